//! Prose: paragraphs without any markup, as most comments are. What it is rendered to needs no
//! HTML parser to be clean, which takes longer than everything else about a comment.

use comrak::nodes::{Node, NodeValue};

/// The sanitizer writes this character as an entity.
const NO_BREAK_SPACE: char = '\u{a0}';

/// Whether a text has nothing but paragraphs, lines and words.
pub(super) fn is_prose(root: Node<'_>) -> bool {
    root.descendants().all(|node| match &node.data().value {
        NodeValue::Text(text) => !text.contains(NO_BREAK_SPACE),
        NodeValue::Document
        | NodeValue::Paragraph
        | NodeValue::SoftBreak
        | NodeValue::LineBreak => true,
        _ => false,
    })
}

/// What the sanitizer makes of rendered prose, in which each `<` and `&` of the text is an
/// entity.
pub(super) fn clean(html: &str) -> String {
    html.replace("<p>", "<p dir=\"auto\">")
        .replace("<br />", "<br>")
        .replace("&quot;", "\"")
}
