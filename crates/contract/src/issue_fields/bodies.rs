//! The request bodies that create and update an issue field. An update distinguishes an absent
//! key from null, so it uses `MaybeUndefined`. The limits on names and descriptions are ours.

use contract_macros::schema;
use poem_openapi::types::{Example, MaybeUndefined};

use super::super::body::Readable;
use super::{IssueFieldColor, IssueFieldType, IssueFieldVisibility};

/// The body of `create_issue_field`.
#[schema(example)]
pub struct CreateIssueField {
    /// The name of the issue field. It must be unique within the organization.
    #[schema(validator(min_length = 1, max_length = 255))]
    pub name: String,
    /// The description of the issue field.
    #[schema(nullable, validator(max_length = 1024))]
    pub description: Option<String>,
    pub data_type: IssueFieldType,
    /// Who can see the issue field. Only used if the server's visibility setting is
    /// enabled.
    #[schema(default)]
    pub visibility: IssueFieldVisibility,
    /// The options of the issue field. Required if the data type is `single_select` or
    /// `multi_select`.
    #[schema(nullable, validator(max_items = 100))]
    pub options: Option<Vec<CreateIssueFieldOption>>,
}

impl Readable for CreateIssueField {}

/// An option of a new issue field.
#[schema]
pub struct CreateIssueFieldOption {
    /// The name of the option.
    #[schema(validator(min_length = 1, max_length = 100))]
    pub name: String,
    /// The description of the option.
    #[schema(nullable, validator(max_length = 1024))]
    pub description: Option<String>,
    pub color: IssueFieldColor,
    /// The position of the option among the options of the field.
    pub priority: i64,
}

impl Example for CreateIssueField {
    fn example() -> Self {
        Self {
            name: "Effort".to_owned(),
            description: Some("How much work it is".to_owned()),
            data_type: IssueFieldType::SingleSelect,
            visibility: IssueFieldVisibility::OrganizationMembersOnly,
            options: Some(vec![CreateIssueFieldOption {
                name: "High".to_owned(),
                description: Some("A week or more".to_owned()),
                color: IssueFieldColor::Red,
                priority: 1,
            }]),
        }
    }
}

/// The body of `update_issue_field`. Omitted properties are not changed.
#[schema(example)]
pub struct UpdateIssueField {
    /// The new name of the issue field.
    #[schema(validator(min_length = 1, max_length = 255))]
    pub name: Option<String>,
    /// The new description of the issue field. Set to `null` to remove the description.
    #[schema(nullable, validator(max_length = 1024))]
    pub description: MaybeUndefined<String>,
    /// Who can see the issue field. Only used if the server's visibility setting is
    /// enabled.
    pub visibility: Option<IssueFieldVisibility>,
    /// The options of the issue field. Only for a `single_select` or `multi_select` field.
    /// They replace all current options: an existing option is kept or updated only if it
    /// is included with its `id`, and an option without `id` is new.
    #[schema(validator(max_items = 100))]
    pub options: Option<Vec<UpdateIssueFieldOption>>,
}

impl Readable for UpdateIssueField {
    const REQUIRED: bool = false;
}

/// An existing option to keep or update, or a new option.
#[schema]
pub struct UpdateIssueFieldOption {
    /// The identifier of the existing option to keep or update. Omit it for a new option.
    pub id: Option<i64>,
    /// The name of the option.
    #[schema(validator(min_length = 1, max_length = 100))]
    pub name: String,
    /// The description of the option. If omitted, it is not changed. Set to `null` to
    /// remove it.
    #[schema(nullable, validator(max_length = 1024))]
    pub description: MaybeUndefined<String>,
    pub color: IssueFieldColor,
    /// The position of the option among the options of the field.
    pub priority: i64,
}

impl Example for UpdateIssueField {
    fn example() -> Self {
        let option = |id, name: &str, color, priority| UpdateIssueFieldOption {
            id,
            name: name.to_owned(),
            description: MaybeUndefined::Undefined,
            color,
            priority,
        };
        Self {
            name: Some("Urgency".to_owned()),
            description: MaybeUndefined::Value("How soon it is needed".to_owned()),
            visibility: None,
            options: Some(vec![
                option(Some(1), "High", IssueFieldColor::Red, 1),
                option(None, "Some day", IssueFieldColor::Gray, 2),
            ]),
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

    fn sentences<T: Readable>(body: Value) -> Vec<String> {
        match read::<T>(body) {
            Err(Problem::Malformed(sentences)) => sentences,
            Err(other) => panic!("refused for another reason: {other}"),
            Ok(_) => Vec::new(),
        }
    }

    fn select(option: &Value) -> Value {
        json!({"name": "Effort", "data_type": "multi_select", "options": [option]})
    }

    #[test]
    fn a_name_and_a_data_type_are_enough_and_nulls_are_ignored() {
        for body in [
            json!({"name": "Effort", "data_type": "number"}),
            json!({"name": "Effort", "data_type": "number", "description": null, "options": null}),
        ] {
            let field = read::<CreateIssueField>(body).unwrap();
            assert_eq!(field.description, None);
            assert_eq!(
                field.visibility,
                IssueFieldVisibility::OrganizationMembersOnly
            );
            assert!(field.options.is_none());
        }
    }

    #[test]
    fn a_new_field_without_required_keys_is_refused() {
        assert_eq!(
            sentences::<CreateIssueField>(json!({})),
            [r#""data_type", "name" weren't supplied."#]
        );
        assert_eq!(
            sentences::<CreateIssueField>(json!({"name": "", "data_type": "iteration"})),
            [
                "For 'properties/name', At least 1 character is required; only 0 were supplied.",
                "For 'properties/data_type', iteration is not a member of \
                 [\"text\", \"date\", \"single_select\", \"multi_select\", \"number\"].",
            ]
        );
    }

    #[test]
    fn an_option_needs_a_name_a_colour_and_a_priority() {
        assert_eq!(
            sentences::<CreateIssueField>(select(&json!({"description": null}))),
            ["For 'properties/options/items', \"color\", \"name\", \"priority\" weren't supplied."]
        );
        assert_eq!(
            sentences::<UpdateIssueField>(select(
                &json!({"name": "High", "color": "RED", "priority": 1})
            )),
            [
                "For 'properties/options/items/properties/color', RED is not a member of \
              [\"gray\", \"blue\", \"green\", \"yellow\", \"orange\", \"red\", \"pink\", \"purple\"]."
            ]
        );
    }

    #[test]
    fn an_update_distinguishes_absent_null_and_a_value() {
        let description = |body| read::<UpdateIssueField>(body).unwrap().description;
        assert_eq!(description(json!({})), MaybeUndefined::Undefined);
        assert_eq!(
            description(json!({"description": null})),
            MaybeUndefined::Null
        );
        assert_eq!(
            description(json!({"description": "x"})),
            MaybeUndefined::Value("x".to_owned())
        );
    }

    #[test]
    fn the_options_of_an_update_are_absent_or_a_list_and_never_null() {
        let options = |body| read::<UpdateIssueField>(body).unwrap().options;
        assert!(options(json!({})).is_none());
        assert!(options(json!({"options": []})).is_some_and(|options| options.is_empty()));
        assert_eq!(
            sentences::<UpdateIssueField>(json!({"options": null})),
            ["For 'properties/options', nil is not an array."]
        );
    }

    #[test]
    fn the_examples_are_accepted() {
        let create = serde_json::to_value(CreateIssueField::example()).unwrap();
        let update = serde_json::to_value(UpdateIssueField::example()).unwrap();
        assert_eq!(sentences::<CreateIssueField>(create), [""; 0]);
        assert_eq!(sentences::<UpdateIssueField>(update), [""; 0]);
    }
}
