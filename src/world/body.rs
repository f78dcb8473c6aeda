//! Items that mean the body of a request: an issue field, a project field, a review
//! comment. They are kept as JSON, for the validator that requests pass, together
//! with the tree, so that what it says can be put at the right line.
//! The rule that surprises: the API ignores keys that it does not know; here they
//! are errors, so the shapes below must name every key of the bodies.

use std::cmp::Reverse;

use serde_json::Value;

use super::findings::{Finding, Findings, one_line};
use super::node::{At, Content, Node, Place, json_object};
use super::record::{Keys, mismatch, unknown_key};

/// The keys of a body, and the shapes of the objects below them.
pub struct Shape {
    what: &'static str,
    keys: &'static [&'static str],
    below: &'static [(&'static str, &'static Shape)],
}

/// Spec, Issue fields, create body.
pub const ISSUE_FIELD: Shape = Shape {
    what: "an issue field",
    keys: &["name", "description", "data_type", "visibility", "options"],
    below: &[(
        "options",
        &Shape {
            what: "an option of an issue field",
            keys: &["name", "description", "color", "priority"],
            below: &[],
        },
    )],
};

/// Spec, Project fields, add-field body.
pub const PROJECT_FIELD: Shape = Shape {
    what: "a project field",
    keys: &[
        "issue_field_id",
        "name",
        "data_type",
        "single_select_options",
        "iteration_configuration",
    ],
    below: &[
        (
            "single_select_options",
            &Shape {
                what: "an option of a project field",
                keys: &["name", "color", "description"],
                below: &[],
            },
        ),
        (
            "iteration_configuration",
            &Shape {
                what: "an iteration configuration",
                keys: &["start_date", "duration", "iterations"],
                below: &[(
                    "iterations",
                    &Shape {
                        what: "an iteration",
                        keys: &["title", "start_date", "duration"],
                        below: &[],
                    },
                )],
            },
        ),
    ],
};

/// Spec, Pull request review comments, create body; `in_reply_to` is read apart,
/// because in the file it names a key and not an id.
pub const COMMENT: Shape = Shape {
    what: "a review comment",
    keys: &[
        "body",
        "commit_id",
        "path",
        "position",
        "side",
        "line",
        "start_line",
        "start_side",
        "subject_type",
    ],
    below: &[],
};

/// The part of an item that is a request body.
#[derive(Debug, Clone)]
pub struct Body {
    pub value: Value,
    node: Node,
}

impl Body {
    /// Splits an item into the keys that only the file knows, `extras`, and its body.
    pub fn split<'a>(
        node: &'a Node,
        key: &str,
        shape: &'static Shape,
        extras: &[&str],
        findings: &mut Findings,
    ) -> Option<(Keys<'a>, Self)> {
        let known: Vec<&str> = extras.iter().chain(shape.keys).copied().collect();
        let keys = Keys::open(node, key, shape.what, &known, findings)?;
        let Content::Mapping(entries) = &node.content else {
            return None;
        };
        let body: Vec<(At<String>, Node)> = entries
            .iter()
            .filter(|(name, _)| shape.keys.contains(&name.value.as_str()))
            .cloned()
            .collect();
        for (name, inner) in shape.below {
            for (_, node) in body.iter().filter(|(at, _)| at.value == *name) {
                refuse_unknown(node, name, inner, findings);
            }
        }
        let body = Self {
            value: Value::Object(json_object(&body)),
            node: Node {
                place: node.place,
                content: Content::Mapping(body),
            },
        };
        Some((keys, body))
    }

    /// A text of the body, with its place.
    pub fn text(&self, key: &str) -> Option<At<&str>> {
        let Content::Mapping(entries) = &self.node.content else {
            return None;
        };
        entries.iter().find_map(|(name, node)| match &node.content {
            Content::Text(value) if name.value == key => Some(At {
                place: node.place,
                value: value.as_str(),
            }),
            _ => None,
        })
    }

    /// Puts what a validator says at the deepest field that the words name, or at
    /// the item when they name none, as when a field is missing.
    pub fn complain(&self, message: &str, findings: &mut Findings) {
        let place = message
            .split(|c: char| !(c.is_ascii_alphanumeric() || "_.[]".contains(c)))
            .filter(|word| !word.is_empty())
            .map(|word| self.node.follow(word))
            .min_by_key(|(_, depth)| Reverse(*depth))
            .map_or(self.node.place, |(place, _)| place);
        findings.push(Finding::at(place, one_line(message)));
    }

    pub fn place(&self) -> Place {
        self.node.place
    }
}

fn refuse_unknown(node: &Node, key: &str, shape: &Shape, findings: &mut Findings) {
    match &node.content {
        Content::List(items) => {
            for item in items {
                if matches!(item.content, Content::List(_)) {
                    mismatch(item, key, &format!("{}: a mapping", shape.what), findings);
                } else {
                    refuse_unknown(item, key, shape, findings);
                }
            }
        }
        Content::Mapping(entries) => {
            for (name, node) in entries {
                if !shape.keys.contains(&name.value.as_str()) {
                    unknown_key(name, shape.what, shape.keys, findings);
                }
                let inner = shape.below.iter().find(|(key, _)| *key == name.value);
                if let Some((key, inner)) = inner {
                    refuse_unknown(node, key, inner, findings);
                }
            }
        }
        _ => {}
    }
}
