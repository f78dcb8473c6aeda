//! The bodies that add a field to a project. A body has exactly one of a few
//! forms, and each form is closed: a key of another form is refused, not
//! ignored (`CLOSED` in `document.rs`).
//!
//! The specification's table lists the keys of all forms together; nothing could
//! satisfy it read as one form, because `issue_field_id` stands in place of
//! `name` and `data_type`. The caps on names and descriptions are ours.

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

/// A field made from an issue field of the organization, with its name and data type.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
#[oai(example)]
pub struct AddFieldFromIssueField {
    /// The identifier of the issue field.
    pub issue_field_id: i64,
}

impl Example for AddFieldFromIssueField {
    fn example() -> Self {
        Self {
            issue_field_id: 4001,
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
mod tests {
    use serde_json::{Value, json};

    use super::super::super::body::read;
    use super::super::super::problem::Problem;
    use super::*;

    /// The sentences with which an organization's body is refused.
    fn sentences(body: Value) -> Vec<String> {
        match read::<AddOrgProjectField>(body) {
            Err(Problem::Malformed(sentences)) => sentences,
            other => panic!("not refused for its form: {other:?}"),
        }
    }

    fn assert_said(body: Value, expected: &str) {
        let said = sentences(body);
        assert_eq!(said[0], r#"No subschema in "oneOf" matched."#);
        assert!(
            said.iter().any(|sentence| sentence == expected),
            "{said:#?}"
        );
    }

    fn single_select(options: &Value) -> Value {
        json!({"name": "Size", "data_type": "single_select", "single_select_options": options})
    }

    fn iteration(configuration: &Value) -> Value {
        json!({"name": "Sprint", "data_type": "iteration", "iteration_configuration": configuration})
    }

    #[test]
    fn an_issue_field_alone_is_enough_for_an_organization_and_nothing_to_a_user() {
        let body = json!({"issue_field_id": 4001});
        assert!(matches!(
            read(body.clone()),
            Ok(AddOrgProjectField::FromIssueField(AddFieldFromIssueField {
                issue_field_id: 4001
            }))
        ));
        assert!(matches!(
            read::<AddUserProjectField>(body),
            Err(Problem::Malformed(_))
        ));
    }

    #[test]
    fn a_name_and_a_data_type_are_enough_for_a_plain_field() {
        for (word, expected) in [
            ("text", PlainFieldType::Text),
            ("number", PlainFieldType::Number),
            ("date", PlainFieldType::Date),
        ] {
            let body = json!({"name": "Notes", "data_type": word});
            let Ok(AddOrgProjectField::Plain(field)) = read(body.clone()) else {
                panic!("{word} is refused for an organization");
            };
            assert_eq!((field.name.as_str(), field.data_type), ("Notes", expected));
            assert!(
                matches!(read(body), Ok(AddUserProjectField::Plain(_))),
                "{word} is refused for a user"
            );
        }
    }

    #[test]
    fn an_option_is_gray_and_undescribed_unless_it_says_otherwise() {
        let body = single_select(&json!([
            {"name": "S"}, {"name": "L", "color": "RED", "description": "Weeks"}]));
        let Ok(AddOrgProjectField::SingleSelect(field)) = read(body) else {
            panic!("refused");
        };
        let [small, large] = &field.single_select_options[..] else {
            panic!("not two options");
        };
        assert_eq!(small.color, ProjectOptionColor::Gray);
        assert_eq!(small.description, "");
        assert_eq!(large.color, ProjectOptionColor::Red);
        assert_eq!(large.description, "Weeks");
    }

    #[test]
    fn iterations_may_be_left_out_or_listed() {
        let bare = json!({"start_date": "2026-01-05", "duration": 14});
        let Ok(AddUserProjectField::Iteration(field)) = read(iteration(&bare)) else {
            panic!("refused without iterations");
        };
        assert_eq!(field.iteration_configuration.start_date, EXAMPLE_START);
        assert!(field.iteration_configuration.iterations.is_none());
        let listed = json!({"start_date": "2026-01-05", "duration": 14, "iterations": [
            {"title": "One", "start_date": "2026-01-05", "duration": 7}]});
        let Ok(AddOrgProjectField::Iteration(field)) = read(iteration(&listed)) else {
            panic!("refused with iterations");
        };
        let iterations = field.iteration_configuration.iterations.unwrap();
        assert_eq!(iterations[0].duration, 7);
    }

    #[test]
    fn every_example_has_exactly_one_form() {
        for example in [
            serde_json::to_value(AddFieldFromIssueField::example()),
            serde_json::to_value(AddPlainField::example()),
            serde_json::to_value(AddSingleSelectField::example()),
            serde_json::to_value(AddIterationField::example()),
        ] {
            let refusal = read::<AddOrgProjectField>(example.unwrap()).err();
            assert!(refusal.is_none(), "{refusal:?}");
        }
    }

    #[test]
    fn a_mixture_of_forms_is_told_which_keys_do_not_belong_together() {
        let body = json!({"issue_field_id": 4001, "name": "Notes", "data_type": "text"});
        assert_said(
            body.clone(),
            r#""name", "data_type" are not permitted keys."#,
        );
        assert_said(body, r#""issue_field_id" is not a permitted key."#);
    }

    #[test]
    fn an_unknown_key_is_named_wherever_the_form_is_closed() {
        assert_said(
            json!({"name": "Notes", "data_type": "text", "colour": "RED"}),
            r#""colour" is not a permitted key."#,
        );
        let listed = json!({"start_date": "2026-01-05", "duration": 14, "iterations": [
            {"title": "One", "start_date": "2026-01-05", "duration": 7, "goal": "?"}]});
        assert_said(
            iteration(&listed),
            "For 'properties/iteration_configuration/properties/iterations/items', \
             \"goal\" is not a permitted key.",
        );
    }

    #[test]
    fn a_single_select_field_needs_between_one_and_fifty_options() {
        assert_said(
            json!({"name": "Size", "data_type": "single_select"}),
            r#""single_select_options" wasn't supplied."#,
        );
        assert_said(
            single_select(&json!([])),
            "For 'properties/single_select_options', 1 item required; only 0 were supplied.",
        );
        assert_said(
            single_select(&vec![json!({"name": "S"}); 51].into()),
            "For 'properties/single_select_options', \
             No more than 50 items are allowed; 51 were supplied.",
        );
    }

    #[test]
    fn an_option_needs_a_name_and_a_colour_that_exists() {
        assert_said(
            single_select(&json!([{"color": "RED"}])),
            "For 'properties/single_select_options/items', \"name\" wasn't supplied.",
        );
        assert_said(
            single_select(&json!([{"name": "S", "color": "red"}])),
            "For 'properties/single_select_options/items/properties/color', red is not a member of \
             [\"BLUE\", \"GRAY\", \"GREEN\", \"ORANGE\", \"PINK\", \"PURPLE\", \"RED\", \"YELLOW\"].",
        );
    }

    #[test]
    fn an_iteration_field_needs_its_configuration_whole() {
        assert_said(
            json!({"name": "Sprint", "data_type": "iteration"}),
            r#""iteration_configuration" wasn't supplied."#,
        );
        assert_said(
            iteration(&json!({})),
            "For 'properties/iteration_configuration', \
             \"duration\", \"start_date\" weren't supplied.",
        );
        assert_said(
            iteration(&json!({"start_date": "2026-02-30", "duration": 14})),
            "For 'properties/iteration_configuration/properties/start_date', \
             2026-02-30 is not a valid date.",
        );
        assert_said(
            iteration(&json!({"start_date": "2026-01-05", "duration": 0})),
            "For 'properties/iteration_configuration/properties/duration', \
             0 must be greater than or equal to 1.",
        );
    }
}
