//! Rendering user text as HTML.

use forge::markup::comment::{LONGEST_LOGIN, MOST, mentions, render, with_host};
use forge::markup::inline as render_inline;

use super::html::assert_harmless;
use super::text;

/// The rendered HTML is harmless, also with a host, which occurs only in links. Every mention
/// occurs in the text.
pub fn comments(data: &[u8]) {
    let body = text(data);
    let known = |login: &str| (login == "alice").then(|| "Alice".to_owned());
    let rendered = render(&body, known);
    assert_harmless(&rendered.html);
    assert_eq!(render(&body, known), rendered);
    let hosted = with_host(&rendered.html, "https://forge.test");
    assert_harmless(&hosted);
    assert_eq!(shown(&hosted), shown(&rendered.html));
    let logins = mentions(&body);
    assert!(logins.len() <= MOST);
    for login in &logins {
        assert!((1..=LONGEST_LOGIN).contains(&login.len()));
        assert!(body.to_ascii_lowercase().contains(&format!("@{login}")));
    }
}

/// The text without tags.
fn shown(html: &str) -> String {
    let mut text = String::new();
    let mut quoted = false;
    let mut tag = false;
    for character in html.chars() {
        match character {
            '"' if tag => quoted = !quoted,
            '<' => tag = true,
            '>' if tag && !quoted => tag = false,
            other if !tag => text.push(other),
            _ => {}
        }
    }
    text
}

/// The only tag in the output is `<code>`, and no character is lost.
pub fn inline(data: &[u8]) {
    let line = text(data);
    let html = render_inline(&line);
    let bare = html.replace("<code>", "").replace("</code>", "");
    assert!(!bare.contains(['<', '>', '"', '\'']), "{html}");
    assert_eq!(
        html.matches("<code>").count(),
        html.matches("</code>").count()
    );
    if !line.contains('`') {
        let back = bare
            .replace("&lt;", "<")
            .replace("&gt;", ">")
            .replace("&quot;", "\"")
            .replace("&#39;", "'")
            .replace("&amp;", "&");
        assert_eq!(back, line);
    }
}
