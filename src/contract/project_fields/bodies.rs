//! The bodies that add a field to a project. A body has exactly one of a few
//! forms, and each form is closed: a key of another form is refused, not
//! ignored (`CLOSED` in `document.rs`).
//!
//! The specification's table lists the keys of all forms together; no body needs
//! them all. `issue_field_id` says what `name` and `data_type` would; a body that
//! has all three must agree with itself. The caps on names and descriptions are ours.

use poem_openapi::types::Example;
use poem_openapi::{Enum, Object, Union};
use serde::{Deserialize, Serialize};

use super::super::body::Readable;
use super::super::values::Day;
use super::ProjectOptionColor;

/// The body of `add_org_project_field`: one of four forms.
#[derive(Debug, Clone, Union, Serialize, Deserialize)]
#[oai(one_of = true)]
#[serde(untagged)]
pub enum AddOrgProjectField {
    FromIssueField(AddFieldFromIssueField),
    Plain(AddPlainField),
    SingleSelect(AddSingleSelectField),
    Iteration(AddIterationField),
}

impl Readable for AddOrgProjectField {}

/// The body of `add_user_project_field`: one of three forms.
#[derive(Debug, Clone, Union, Serialize, Deserialize)]
#[oai(one_of = true)]
#[serde(untagged)]
pub enum AddUserProjectField {
    Plain(AddPlainField),
    SingleSelect(AddSingleSelectField),
    Iteration(AddIterationField),
}

impl Readable for AddUserProjectField {}

/// A user's body has the forms of an organization's, less one.
impl From<AddUserProjectField> for AddOrgProjectField {
    fn from(body: AddUserProjectField) -> Self {
        match body {
            AddUserProjectField::Plain(form) => Self::Plain(form),
            AddUserProjectField::SingleSelect(form) => Self::SingleSelect(form),
            AddUserProjectField::Iteration(form) => Self::Iteration(form),
        }
    }
}

/// A field made from an issue field of the organization, with its name and data type.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
#[oai(example)]
pub struct AddFieldFromIssueField {
    /// The identifier of the issue field.
    pub issue_field_id: i64,
    /// The name of the issue field. Another name is refused.
    #[oai(
        skip_serializing_if_is_none,
        validator(min_length = 1, max_length = 255)
    )]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The data type of the issue field. Another data type is refused.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data_type: Option<AddedFieldType>,
}

/// The data types that a field can be added with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum, Serialize, Deserialize)]
#[oai(rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum AddedFieldType {
    Text,
    Number,
    Date,
    SingleSelect,
    Iteration,
}

impl Example for AddFieldFromIssueField {
    fn example() -> Self {
        Self {
            issue_field_id: 4001,
            name: None,
            data_type: None,
        }
    }
}

/// A field that needs nothing but a name.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
#[oai(example)]
pub struct AddPlainField {
    /// The name that is shown; unique among the project's own fields, whatever its case.
    #[oai(validator(min_length = 1, max_length = 255))]
    pub name: String,
    pub data_type: PlainFieldType,
}

/// The data types that need nothing but a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum, Serialize, Deserialize)]
#[oai(rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum PlainFieldType {
    Text,
    Number,
    Date,
}

impl Example for AddPlainField {
    fn example() -> Self {
        Self {
            name: "Notes".to_owned(),
            data_type: PlainFieldType::Text,
        }
    }
}

/// A field that holds one of several options.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
#[oai(example)]
pub struct AddSingleSelectField {
    /// The name that is shown; unique among the project's own fields, whatever its case.
    #[oai(validator(min_length = 1, max_length = 255))]
    pub name: String,
    pub data_type: SingleSelectType,
    /// The options, in the order in which they are shown.
    #[oai(validator(min_items = 1, max_items = 50))]
    pub single_select_options: Vec<AddSelectOption>,
}

/// The data type of a single select field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum, Serialize, Deserialize)]
#[oai(rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum SingleSelectType {
    SingleSelect,
}

/// An option of a new single select field.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
pub struct AddSelectOption {
    /// The name that is shown.
    #[oai(validator(min_length = 1, max_length = 100))]
    pub name: String,
    #[oai(default)]
    #[serde(default)]
    pub color: ProjectOptionColor,
    /// What the option means.
    #[oai(default, validator(max_length = 1024))]
    #[serde(default)]
    pub description: String,
}

impl Example for AddSingleSelectField {
    fn example() -> Self {
        let option = |name: &str, color, description: &str| AddSelectOption {
            name: name.to_owned(),
            color,
            description: description.to_owned(),
        };
        Self {
            name: "Size".to_owned(),
            data_type: SingleSelectType::SingleSelect,
            single_select_options: vec![
                option("Small", ProjectOptionColor::Green, "A day or less"),
                option("Large", ProjectOptionColor::Red, "More than a day"),
            ],
        }
    }
}

/// A field that holds one of several iterations.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
#[oai(example)]
pub struct AddIterationField {
    /// The name that is shown; unique among the project's own fields, whatever its case.
    #[oai(validator(min_length = 1, max_length = 255))]
    pub name: String,
    pub data_type: IterationType,
    pub iteration_configuration: AddIterationConfiguration,
}

/// The data type of an iteration field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum, Serialize, Deserialize)]
#[oai(rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum IterationType {
    Iteration,
}

/// The iterations of a new iteration field.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
pub struct AddIterationConfiguration {
    /// The first day of the first iteration.
    pub start_date: Day,
    /// How many days an iteration lasts unless it says otherwise.
    #[oai(validator(minimum(value = "1")))]
    pub duration: i64,
    /// The iterations to begin with, which may not overlap. Left out, three of the default length are
    /// made, one after the other from `start_date`; an empty list makes none.
    #[oai(skip_serializing_if_is_none, validator(max_items = 100))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iterations: Option<Vec<AddIteration>>,
}

/// An iteration of a new iteration field.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
pub struct AddIteration {
    /// The name that is shown.
    #[oai(validator(min_length = 1, max_length = 255))]
    pub title: String,
    /// The first day.
    pub start_date: Day,
    /// How many days it lasts.
    #[oai(validator(minimum(value = "1")))]
    pub duration: i64,
}

/// Monday, 5 January 2026, the first day of the examples' iterations.
const EXAMPLE_START: Day = Day(time::macros::date!(2026 - 01 - 05));

impl Example for AddIterationField {
    fn example() -> Self {
        Self {
            name: "Sprint".to_owned(),
            data_type: IterationType::Iteration,
            iteration_configuration: AddIterationConfiguration {
                start_date: EXAMPLE_START,
                duration: 14,
                iterations: Some(vec![AddIteration {
                    title: "Sprint 1".to_owned(),
                    start_date: EXAMPLE_START,
                    duration: 14,
                }]),
            },
        }
    }
}

#[cfg(test)]
#[allow(clippy::panic, clippy::unwrap_used)]
mod tests;
