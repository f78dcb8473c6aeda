//! The bodies that make and change labels, and give them to issues.

use poem_openapi::Object;
use poem_openapi::types::{Example, MaybeUndefined};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::super::body::Readable;

/// The body of `create_label`.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
#[oai(example)]
pub struct CreateLabel {
    /// What the label is called.
    pub name: String,
    /// The color, as six hexadecimal digits without `#`; a gray if nothing is said.
    #[oai(nullable)]
    #[serde(default)]
    pub color: Option<String>,
    /// What the label is for, in at most 100 characters.
    #[oai(nullable)]
    #[serde(default)]
    pub description: Option<String>,
}

impl Readable for CreateLabel {}

impl Example for CreateLabel {
    fn example() -> Self {
        Self {
            name: "needs oil".to_owned(),
            color: Some("f29513".to_owned()),
            description: Some("Squeaks".to_owned()),
        }
    }
}

/// The body of `update_label`. What is absent stays as it is.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
#[oai(example)]
pub struct UpdateLabel {
    /// What the label is called from now on.
    #[oai(nullable)]
    #[serde(default)]
    pub new_name: Option<String>,
    /// The color, as six hexadecimal digits without `#`.
    #[oai(nullable)]
    #[serde(default)]
    pub color: Option<String>,
    /// What the label is for, in at most 100 characters; null takes it away.
    #[oai(nullable)]
    #[serde(default, skip_serializing_if = "MaybeUndefined::is_undefined")]
    pub description: MaybeUndefined<String>,
}

impl Readable for UpdateLabel {
    const REQUIRED: bool = false;

    /// Older clients give the new name as `name`.
    fn prepare(body: &mut Value) {
        if let Value::Object(fields) = body
            && !fields.contains_key("new_name")
            && let Some(name) = fields.remove("name")
        {
            fields.insert("new_name".to_owned(), name);
        }
    }
}

impl Example for UpdateLabel {
    fn example() -> Self {
        Self {
            new_name: Some("needs grease".to_owned()),
            color: Some("b01f26".to_owned()),
            description: MaybeUndefined::Undefined,
        }
    }
}

/// The body of `add_issue_labels` and `set_issue_labels`. A list alone stands for its `labels`.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
#[oai(example)]
pub struct IssueLabels {
    /// The names of the labels.
    #[oai(validator(max_items = 100))]
    pub labels: Vec<String>,
}

impl Readable for IssueLabels {
    const LIST: Option<&'static str> = Some("labels");

    fn prepare(body: &mut Value) {
        name_labels(body);
    }
}

impl Example for IssueLabels {
    fn example() -> Self {
        Self {
            labels: vec!["bug".to_owned(), "needs oil".to_owned()],
        }
    }
}

/// A label may be named by an object that has its name.
pub fn name_labels(body: &mut Value) {
    let labels = body.get_mut("labels").and_then(Value::as_array_mut);
    for label in labels.into_iter().flatten() {
        if let Some(name) = label.get_mut("name") {
            *label = name.take();
        }
    }
}
