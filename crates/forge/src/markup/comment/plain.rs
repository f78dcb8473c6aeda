//! Plain text: strips the tags of a rendering, and shows a text as it was written.

use crate::markup::escape_into;

/// The text of sanitized HTML. Its tags are well formed, and its only entities are those of
/// the serializer.
pub(super) fn text(html: &str) -> String {
    let mut text = String::with_capacity(html.len());
    let mut quoted = false;
    let mut tag = false;
    for character in html.chars() {
        match character {
            '"' if tag => quoted = !quoted,
            '>' if tag && !quoted => tag = false,
            _ if tag => {}
            '<' => tag = true,
            _ => text.push(character),
        }
    }
    let text = text
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&#39;", "'")
        .replace("&nbsp;", "\u{a0}")
        .replace("&amp;", "&");
    text.trim().to_owned()
}

/// A text as it was written, in one paragraph.
pub(super) fn paragraph(body: &str) -> String {
    let mut html = String::with_capacity(body.len() + 32);
    html.push_str(r#"<p dir="auto">"#);
    escape_into(&mut html, body);
    html.push_str("</p>");
    html.replace("\r\n", "\n").replace('\n', "<br>\n")
}
