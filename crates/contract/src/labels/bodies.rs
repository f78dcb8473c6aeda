//! The request bodies that create and update labels, and label issues.

use contract_macros::schema;
use poem_openapi::types::{Example, MaybeUndefined};
use serde_json::Value;

use super::super::body::Readable;

/// The body of `create_label`.
#[schema(example)]
pub struct CreateLabel {
    /// The name of the label.
    pub name: String,
    /// The color of the label, as six hexadecimal digits without the leading `#`. If omitted,
    /// gray.
    #[schema(nullable)]
    pub color: Option<String>,
    /// The description of the label. At most 100 characters.
    #[schema(nullable)]
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

/// The body of `update_label`. Omitted properties are not changed.
#[schema(example)]
pub struct UpdateLabel {
    /// The new name of the label.
    #[schema(nullable)]
    pub new_name: Option<String>,
    /// The new color of the label, as six hexadecimal digits without the leading `#`.
    #[schema(nullable)]
    pub color: Option<String>,
    /// The new description of the label. At most 100 characters. Set to `null` to remove the
    /// description.
    #[schema(nullable)]
    pub description: MaybeUndefined<String>,
}

impl Readable for UpdateLabel {
    const REQUIRED: bool = false;

    /// Older clients send the new name as `name`.
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

/// The body of `add_issue_labels` and `set_issue_labels`. An array of labels is accepted in
/// place of the object.
#[schema(example)]
pub struct IssueLabels {
    /// The names of the labels.
    #[schema(validator(max_items = 100))]
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

/// Replaces each label object with its name.
pub fn name_labels(body: &mut Value) {
    let labels = body.get_mut("labels").and_then(Value::as_array_mut);
    for label in labels.into_iter().flatten() {
        if let Some(name) = label.get_mut("name") {
            *label = name.take();
        }
    }
}
