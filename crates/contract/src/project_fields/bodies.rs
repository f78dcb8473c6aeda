//! The request bodies that add a field to a project. A body has exactly one of several forms,
//! and each form is closed: a key of another form is refused, not ignored.
//!
//! The specification lists the keys of all forms in one table; no body needs them all.
//! `issue_field_id` implies `name`, `data_type` and `single_select_options`; those that a body has
//! must match.
//! The limits on names and descriptions are ours.

use contract_macros::schema;
use poem_openapi::Union;
use poem_openapi::types::Example;
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

/// The forms of a user's body are those of an organization's, except `FromIssueField`.
impl From<AddUserProjectField> for AddOrgProjectField {
    fn from(body: AddUserProjectField) -> Self {
        match body {
            AddUserProjectField::Plain(form) => Self::Plain(form),
            AddUserProjectField::SingleSelect(form) => Self::SingleSelect(form),
            AddUserProjectField::Iteration(form) => Self::Iteration(form),
        }
    }
}

/// A new field for an issue field of the organization. It has the name and the data type of
/// the issue field.
#[schema(closed, example)]
pub struct AddFieldFromIssueField {
    /// The identifier of the issue field to create the field for.
    pub issue_field_id: i64,
    /// The name of the issue field. Any other name is rejected.
    #[schema(validator(min_length = 1, max_length = 255))]
    pub name: Option<String>,
    /// The data type of the issue field. Any other data type is rejected.
    pub data_type: Option<AddedFieldType>,
    /// The options of the issue field, in its order. Other names are rejected, and so are a color
    /// other than `GRAY` and a description that differ.
    #[schema(validator(min_items = 1, max_items = 100))]
    pub single_select_options: Option<Vec<AddSelectOption>>,
}

/// The data type of a new project field.
#[schema(rename_all = "snake_case")]
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
            single_select_options: None,
        }
    }
}

/// A new text, number or date field.
#[schema(closed, example)]
pub struct AddPlainField {
    /// The name of the field. It must be unique among the project's own fields, ignoring
    /// case.
    #[schema(validator(min_length = 1, max_length = 255))]
    pub name: String,
    pub data_type: PlainFieldType,
}

/// The data type of a text, number or date field.
#[schema(rename_all = "snake_case")]
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

/// A new single select field.
#[schema(closed, example)]
pub struct AddSingleSelectField {
    /// The name of the field. It must be unique among the project's own fields, ignoring
    /// case.
    #[schema(validator(min_length = 1, max_length = 255))]
    pub name: String,
    pub data_type: SingleSelectType,
    /// The options of the field, in display order.
    #[schema(validator(min_items = 1, max_items = 50))]
    pub single_select_options: Vec<AddSelectOption>,
}

/// The data type of a single select field.
#[schema(rename_all = "snake_case")]
pub enum SingleSelectType {
    SingleSelect,
}

/// An option of a new single select field.
#[schema(closed)]
pub struct AddSelectOption {
    /// The name of the option.
    #[schema(validator(min_length = 1, max_length = 100))]
    pub name: String,
    /// The color of the option.
    #[schema(default)]
    pub color: ProjectOptionColor,
    /// The description of the option.
    #[schema(default, validator(max_length = 1024))]
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

/// A new iteration field.
#[schema(closed, example)]
pub struct AddIterationField {
    /// The name of the field. It must be unique among the project's own fields, ignoring
    /// case.
    #[schema(validator(min_length = 1, max_length = 255))]
    pub name: String,
    pub data_type: IterationType,
    pub iteration_configuration: AddIterationConfiguration,
}

/// The data type of an iteration field.
#[schema(rename_all = "snake_case")]
pub enum IterationType {
    Iteration,
}

/// The configuration of a new iteration field.
#[schema]
pub struct AddIterationConfiguration {
    /// The first day of the first iteration.
    pub start_date: Day,
    /// The default duration of an iteration, in days.
    #[schema(validator(minimum(value = "1")))]
    pub duration: i64,
    /// The iterations of the field. They must not overlap. If omitted, three consecutive
    /// iterations of the default duration are created, the first of which starts on
    /// `start_date`. An empty list creates none.
    #[schema(validator(max_items = 100))]
    pub iterations: Option<Vec<AddIteration>>,
}

/// An iteration of a new iteration field.
#[schema(closed)]
pub struct AddIteration {
    /// The title of the iteration.
    #[schema(validator(min_length = 1, max_length = 255))]
    pub title: String,
    /// The first day of the iteration.
    pub start_date: Day,
    /// The duration of the iteration, in days.
    #[schema(validator(minimum(value = "1")))]
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
