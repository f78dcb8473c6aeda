use std::time::Duration;

use cpu_time::ThreadTime;

use proptest::prelude::*;

use super::*;

fn login_of(login: &str) -> Option<String> {
    ["Alice", "bob", "o-brien"]
        .into_iter()
        .find(|account| account.to_lowercase() == login)
        .map(str::to_owned)
}

fn html(body: &str) -> String {
    render(body, login_of).html
}

fn text(body: &str) -> String {
    render(body, login_of).text
}

#[test]
fn markdown_becomes_html_as_comments_have_it() {
    assert_eq!(
        html("Why **2**?\nNot `two`?"),
        "<p dir=\"auto\">Why <strong>2</strong>?<br>\nNot <code>two</code>?</p>"
    );
    assert_eq!(
        html("- [x] done\n- [ ] not"),
        "<ul dir=\"auto\">\n<li><input type=\"checkbox\" checked=\"\" disabled=\"\"> done</li>\n\
         <li><input type=\"checkbox\" disabled=\"\"> not</li>\n</ul>"
    );
    assert_eq!(
        html("```rust\nlet a = b < c;\n```"),
        "<pre lang=\"rust\"><code>let a = b &lt; c;\n</code></pre>"
    );
    assert_eq!(
        html("| a |\n|---|\n| ~~b~~ |"),
        "<table>\n<thead>\n<tr>\n<th>a</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n\
         <td><del>b</del></td>\n</tr>\n</tbody>\n</table>"
    );
}

/// Words, what means something in Markdown or HTML, and characters that parsers treat alone.
fn texts() -> impl Strategy<Value = String> {
    let parts = prop_oneof![
        4 => "[a-z .,'\"]{1,8}",
        1 => "[ -~é]",
        1 => proptest::sample::select(vec![
            "\n", "\r\n", "\t", "\0", "\u{a0}", "\u{feff}", "\u{c}", "\u{85}", "&#13;",
            "&#13;&#10;", "&nbsp;", "&quot;", "&amp;quot;", "&lt;b&gt;", "  \n", "\\\n",
        ])
        .prop_map(str::to_owned),
    ];
    proptest::collection::vec(parts, 0..8).prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn prose_is_rendered_as_the_sanitizer_would_leave_it(body in texts()) {
        let arena = Arena::new();
        let root = parse_document(&arena, &body, &options());
        if prose::is_prose(root) {
            let mut html = String::new();
            format_html(root, &options(), &mut html).unwrap();
            prop_assert_eq!(Some(prose::clean(&html)), sanitize::clean(&html));
        }
    }
}

#[test]
fn a_bare_address_is_a_link_that_nobody_vouches_for() {
    assert_eq!(
        html("https://forge.test/x"),
        "<p dir=\"auto\"><a href=\"https://forge.test/x\" rel=\"nofollow noopener noreferrer\">\
         https://forge.test/x</a></p>"
    );
}

#[test]
fn a_mention_of_an_account_is_a_link_and_any_other_is_text() {
    let html = html("@alice, @ALICE and @nobody (@bob)");
    assert_eq!(html.matches("class=\"user-mention\"").count(), 3, "{html}");
    assert!(html.contains("href=\"/Alice\""), "{html}");
    assert!(html.contains(">@ALICE</a> and @nobody (<a"), "{html}");
    assert!(with_host(&html, "https://forge.test").contains("href=\"https://forge.test/bob\""));
}

#[test]
fn what_only_looks_like_a_mention_is_none() {
    for body in [
        "`@alice`",
        "    @alice",
        "```\n@alice\n```",
        "[@alice](https://forge.test)",
        "me@alice",
        "alice@forge.test",
        "@alice/team",
        "@alice_",
        "@-alice",
        "@@alice",
        "https://forge.test/@alice",
        "\\`@alicex",
    ] {
        assert_eq!(
            mentions(body)
                .iter()
                .filter(|login| *login == "alice")
                .count(),
            0,
            "{body}"
        );
        assert!(!html(body).contains("user-mention"), "{body}");
    }
    assert_eq!(
        mentions("@o-brien- @Bob's **@alice** @bob."),
        ["o-brien", "bob", "alice"]
    );
}

#[test]
fn no_more_than_fifty_are_mentioned() {
    let body: String = (0..200).map(|number| format!("@user{number} ")).collect();
    assert_eq!(mentions(&body).len(), MOST);
}

#[test]
fn no_more_than_five_hundred_mentions_are_links() {
    let html = html(&"@alice ".repeat(600));
    assert_eq!(html.matches("<a ").count(), 500);
    assert_eq!(html.matches("@alice").count(), 600);
}

#[test]
fn the_text_is_the_rendering_without_markup() {
    assert_eq!(
        text("Why **2**?\n\n> `a < b` & \"c\""),
        "Why 2?\n\na < b & \"c\""
    );
    assert_eq!(
        text("[a > b](https://forge.test/?x=>) @alice"),
        "a > b @alice"
    );
    assert_eq!(text("&amp;lt; \\<b>"), "&lt; <b>");
    assert_eq!(text("<b title='a > b'>x</b>"), "x");
}

/// None may leave more than text, harmless elements and links of the web.
const ATTACKS: &str = include_str!("attacks.yaml");

#[test]
fn no_attack_of_the_lists_gets_through() {
    let attacks: Vec<String> = serde_saphyr::from_str(ATTACKS).unwrap();
    for attack in attacks {
        for body in [
            attack.clone(),
            format!("x {attack} y"),
            format!("> - {attack}"),
        ] {
            let html = html(&body);
            for (name, attributes) in tags(&html) {
                assert!(
                    ELEMENTS.split(' ').any(|element| element == name),
                    "{body}\n{html}"
                );
                for (attribute, value) in attributes {
                    assert!(allowed(&name, &attribute, &value), "{body}\n{html}");
                }
            }
            // Sanitizing is idempotent: no browser parses the result differently.
            assert_eq!(sanitize::clean(&html).as_deref(), Some(&*html), "{body}");
        }
    }
}

const ELEMENTS: &str = "p a b i em strong del code pre br hr img ul ol li blockquote table \
                        thead tbody tr th td input details div span";

fn allowed(element: &str, attribute: &str, value: &str) -> bool {
    match (element, attribute) {
        ("a", "href") => {
            value.starts_with("https://forge.test")
                || value == "/Alice"
                || value == "x"
                || !value.contains(':')
        }
        ("a", "class") => value == "user-mention" || value.is_empty(),
        ("a", "rel") => value == "nofollow noopener noreferrer",
        ("input", "type") => value == "checkbox",
        (_, "dir") => value == "auto",
        ("input", "disabled" | "checked") | ("img", "alt") | ("pre", "lang") => true,
        (_, "title") => true,
        _ => false,
    }
}

/// The tags that a browser would see in well-formed HTML.
fn tags(html: &str) -> Vec<(String, Vec<(String, String)>)> {
    let mut tags = Vec::new();
    let mut rest = html;
    while let Some(start) = rest.find('<') {
        let (tag, after) = split_tag(&rest[start + 1..]);
        rest = after;
        if tag.starts_with('/') {
            continue;
        }
        let (name, mut rest_of_tag) = tag.split_once(' ').unwrap_or((tag, ""));
        let mut attributes = Vec::new();
        while let Some((attribute, value)) = rest_of_tag.split_once("=\"") {
            let (value, after) = value.split_once('"').unwrap();
            attributes.push((attribute.trim().to_owned(), value.to_owned()));
            rest_of_tag = after;
        }
        assert_eq!(rest_of_tag.trim(), "", "{tag}");
        tags.push((name.to_owned(), attributes));
    }
    tags
}

fn split_tag(text: &str) -> (&str, &str) {
    let mut quoted = false;
    for (at, character) in text.char_indices() {
        match character {
            '"' => quoted = !quoted,
            '>' if !quoted => return (&text[..at], &text[at + 1..]),
            _ => {}
        }
    }
    (text, "")
}

#[test]
fn any_long_text_takes_bounded_processor_time() {
    const LENGTH: usize = 262_144;
    let fill = |piece: &str| piece.repeat(LENGTH / piece.len());
    let numbered = |piece: fn(usize) -> String| {
        let mut text = String::new();
        let mut number = 0;
        while text.len() < LENGTH {
            text.push_str(&piece(number));
            number += 1;
        }
        text
    };
    let hostile = [
        ("quotes", fill(">")),
        ("quotes with spaces", fill("> ")),
        ("list in list", fill("- ")),
        ("numbers in numbers", fill("1. ")),
        ("stars", fill("*")),
        ("emphasis", fill("*a **a ")),
        ("underscores", fill("a_b__")),
        ("brackets", fill("[")),
        ("links", fill("[a](")),
        ("images", fill("![a][")),
        ("closed brackets", fill("[a]")),
        ("definitions", fill("[a]: b\n")),
        ("backticks", numbered(|n| "`".repeat(n % 200 + 1) + " ")),
        ("angles", fill("<")),
        ("tags", fill("<b>")),
        ("different tags", numbered(|n| format!("<b i={n}>"))),
        (
            "tags and paragraphs",
            numbered(|n| format!("<b i={n}>\n\n")),
        ),
        (
            "few tags, many paragraphs",
            numbered(|n| {
                if n < 1000 {
                    format!("<i a={n}>x")
                } else {
                    "\n\nx".to_owned()
                }
            }),
        ),
        ("divisions", fill("<div>\n\n")),
        ("comments", fill("<!--")),
        ("questions", fill("<?")),
        ("entities", fill("&amp;&#1;&")),
        ("mentions", fill("@alice ")),
        ("at signs", fill("@a@")),
        ("own links", fill("[a](/) ")),
        ("quotation marks", fill("\"")),
        ("addresses", fill("www.a.")),
        ("colons", fill("http://")),
        (
            "wide table",
            format!(
                "{}\n{}\n{}",
                fill("|a").split_at(20_000).0,
                fill("|-").split_at(20_000).0,
                fill("|\n").split_at(20_000).0
            ),
        ),
        ("pipes", fill("|\n")),
        ("strikes", fill("~~a~")),
        ("headings", fill("# a\n")),
        ("underlined", fill("a\n===\n")),
        ("indents", fill("\t")),
        ("line ends", fill("\n")),
        ("backslashes", fill("\\")),
        ("ideographs", "字".repeat(LENGTH / 3)),
        ("emoji", "👩\u{200d}👩".repeat(LENGTH / 11)),
    ];
    for (name, body) in hostile {
        let start = ThreadTime::now();
        let rendered = render(&body, login_of);
        let took = start.elapsed();
        // Generous, for debug builds: quadratic time would take many minutes.
        assert!(took < Duration::from_secs(30), "{name}: {took:?}");
        let host = format!("http://{}", "h".repeat(LONGEST_HOST - 7));
        let length = with_host(&rendered.html, &host).len();
        let limit = (body.len() + MOST_ADDED).max(6 * LENGTH + 100);
        assert!(length <= limit, "{name}: {length}");
        assert!(rendered.text.len() <= limit, "{name}");
    }
}
