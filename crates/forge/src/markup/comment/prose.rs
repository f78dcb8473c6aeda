//! Prose: paragraphs without any markup, as in most comments. It needs no HTML parser to be
//! sanitized, and the parser would take longer than the rest of the rendering.

use comrak::nodes::{Node, NodeValue};

/// Characters that the sanitizer writes in another way: a no-break space as an entity, and a
/// carriage return, which a text has only if it was written as an entity, as a newline.
const REWRITTEN: [char; 2] = ['\u{a0}', '\r'];

/// Whether a text has nothing but paragraphs, lines and words.
pub(super) fn is_prose(root: Node<'_>) -> bool {
    root.descendants().all(|node| match &node.data().value {
        NodeValue::Text(text) => !text.contains(REWRITTEN),
        NodeValue::Document
        | NodeValue::Paragraph
        | NodeValue::SoftBreak
        | NodeValue::LineBreak => true,
        _ => false,
    })
}

/// The sanitizer's output for rendered prose, in which each `<` and `&` of the text is an
/// entity.
pub(super) fn clean(html: &str) -> String {
    html.replace("<p>", "<p dir=\"auto\">")
        .replace("<br />", "<br>")
        .replace("&quot;", "\"")
}
