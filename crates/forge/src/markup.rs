//! Renders user text to safe HTML. Comments, which are Markdown, are in `comment`.
//!
//! A single line (a name, a description, a title) is escaped, and only code spans become
//! markup: the only possible tag is `<code>`, without attributes. Emphasis and links are
//! not rendered, so that `snake_case_name` and `a * b * c` stay unchanged.

/// Comments: Markdown as HTML, and as plain text.
pub mod comment;

/// Renders a line of text to inline HTML, without a paragraph.
pub fn inline(text: &str) -> String {
    let mut html = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find('`') {
        let (before, ticks) = rest.split_at(start);
        escape_into(&mut html, before);
        let width = run(ticks);
        let after = &ticks[width..];
        rest = match closing(after, width) {
            Some(end) => {
                html.push_str("<code>");
                escape_into(&mut html, &code(&after[..end]));
                html.push_str("</code>");
                &after[end + width..]
            }
            None => {
                html.push_str(&ticks[..width]);
                after
            }
        };
    }
    escape_into(&mut html, rest);
    html
}

/// The number of leading backticks.
fn run(text: &str) -> usize {
    text.bytes().take_while(|byte| *byte == b'`').count()
}

/// The offset of the run of exactly `width` backticks that closes a code span.
fn closing(text: &str, width: usize) -> Option<usize> {
    let mut at = 0;
    while let Some(offset) = text[at..].find('`') {
        at += offset;
        let run_width = run(&text[at..]);
        if run_width == width {
            return Some(at);
        }
        at += run_width;
    }
    None
}

/// The content of a code span: newlines become spaces, and one space is stripped on each
/// side, as Markdown does.
fn code(span: &str) -> String {
    let line = span.replace("\r\n", " ").replace(['\r', '\n'], " ");
    let inner = line
        .strip_prefix(' ')
        .and_then(|line| line.strip_suffix(' '));
    match inner {
        Some(inner) if !inner.trim_matches(' ').is_empty() => inner.to_owned(),
        _ => line,
    }
}

pub(crate) fn escape_into(html: &mut String, text: &str) {
    for character in text.chars() {
        match character {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            '\'' => html.push_str("&#39;"),
            other => html.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_stays_as_it_is() {
        for text in [
            "",
            "In progress",
            "snake_case_name",
            "a * b * c",
            "# 1. > no blocks",
            "https://forge.test",
            "Größe 🚀",
            "  two  spaces ",
        ] {
            assert_eq!(inline(text), text.replace('>', "&gt;"), "{text}");
        }
    }

    #[test]
    fn what_means_something_in_html_is_escaped() {
        assert_eq!(
            inline(r#"R&D <b>"it's"</b> &lt;"#),
            "R&amp;D &lt;b&gt;&quot;it&#39;s&quot;&lt;/b&gt; &amp;lt;"
        );
    }

    #[test]
    fn a_code_span_is_rendered_and_its_content_escaped() {
        assert_eq!(inline("Use `a < b` now"), "Use <code>a &lt; b</code> now");
        assert_eq!(inline("`` a`b ``"), "<code>a`b</code>");
        assert_eq!(inline("`  `"), "<code>  </code>");
        assert_eq!(inline("`a\r\nb`"), "<code>a b</code>");
        assert_eq!(inline("`a``b` `"), "<code>a``b</code> `");
    }

    #[test]
    fn backticks_that_nothing_closes_are_backticks() {
        assert_eq!(inline("a ` b"), "a ` b");
        assert_eq!(inline("``a`"), "``a`");
        assert_eq!(inline("```"), "```");
    }

    /// Every tag in the output must be one of ours.
    fn has_only_our_tags(html: &str) -> bool {
        let bare = html.replace("<code>", "").replace("</code>", "");
        !bare.contains(['<', '>', '"', '\''])
    }

    #[test]
    fn nothing_that_a_user_writes_becomes_markup() {
        for payload in [
            "<script>alert(1)</script>",
            "<img src=x onerror=alert(1)>",
            "<svg/onload=alert(1)>",
            "\"><script>alert(1)</script>",
            "' onmouseover='alert(1)",
            "`<script>alert(1)</script>`",
            "``</code><img src=x onerror=alert(1)>``",
            "`</code>`<iframe src=javascript:alert(1)>`<code>`",
            "[x](javascript:alert(1))",
            "![x](x\"onerror=\"alert(1))",
            "<javascript:alert(1)>",
            "<a href=\"jav&#x09;ascript:alert(1)\">x</a>",
            "<!--<img src=\"--><img src=x onerror=alert(1)//\">",
            "<math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>",
            "<scr\0ipt>alert(1)</scr\0ipt>",
            "`<`script>`alert(1)`</script>`",
            "<style>@import'http://evil.test'</style>",
            "&lt;script&gt;alert(1)&lt;/script&gt;",
        ] {
            let html = inline(payload);
            assert!(has_only_our_tags(&html), "{payload} became {html}");
            assert_eq!(
                html.matches("<code>").count(),
                html.matches("</code>").count(),
                "{html}"
            );
        }
    }
}
