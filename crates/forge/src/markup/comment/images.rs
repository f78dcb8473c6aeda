//! Replaces images by links. Without an image proxy, an image would let the author of a
//! comment track its readers.

use comrak::nodes::{Node, NodeValue};

/// Replaces the images of a text by links, or by their alternative text inside a link.
pub(super) fn as_links(root: Node<'_>) {
    let images: Vec<_> = root
        .descendants()
        .filter(|node| matches!(node.data().value, NodeValue::Image(_)))
        .collect();
    for image in images {
        let is_link = |node: Node<'_>| matches!(node.data().value, NodeValue::Link(_));
        if image.ancestors().skip(1).any(is_link) {
            while let Some(child) = image.first_child() {
                image.insert_before(child);
            }
            image.detach();
            continue;
        }
        let mut data = image.data_mut();
        if let NodeValue::Image(target) = &data.value {
            let target = target.clone();
            data.value = NodeValue::Link(target);
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn nothing_is_loaded_and_no_address_is_hidden() {
        for (body, html) in [
            (
                "![a *cat*](https://forge.test/cat.png \"Cat\")",
                "<a href=\"https://forge.test/cat.png\" title=\"Cat\" \
                 rel=\"nofollow noopener noreferrer\">a <em>cat</em></a>",
            ),
            (
                "[![cat](https://forge.test/cat.png)](https://forge.test/)",
                "<a href=\"https://forge.test/\" rel=\"nofollow noopener noreferrer\">cat</a>",
            ),
            (
                "a <img src=\"https://forge.test/cat.png\" alt=\"cat\">",
                "a <img alt=\"cat\">",
            ),
            ("a <img src=\"//forge.test/cat.png\">", "a <img>"),
            ("<del cite=\"javascript:alert(1)\">x</del>", "<del>x</del>"),
            ("<q cite=\"https://forge.test/\">x</q>", "<q>x</q>"),
        ] {
            let rendered = crate::markup::comment::render(body, |_| None).html;
            assert_eq!(rendered, format!("<p dir=\"auto\">{html}</p>"), "{body}");
        }
    }
}
