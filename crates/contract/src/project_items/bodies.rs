//! The request bodies that add and update items.

use contract_macros::schema;
use poem_openapi::registry::{MetaSchema, MetaSchemaRef};
use poem_openapi::types::Example;
use serde::{Deserialize, Serialize};

use super::super::body::Readable;
use super::super::values::{TextOrNumber, described};

/// The body of `add_org_project_item` and `add_user_project_item`. Either `id`, or `owner`,
/// `repo` and `number` are required.
#[schema(closed, example)]
pub struct AddProjectItem {
    #[schema(rename = "type")]
    pub kind: AddedItemType,
    /// The identifier of the issue or pull request.
    pub id: Option<i64>,
    /// The account that owns the repository.
    pub owner: Option<String>,
    /// The name of the repository.
    pub repo: Option<String>,
    /// The number of the issue or pull request.
    pub number: Option<i64>,
}

/// The type of an item that can be added to a project.
#[schema]
pub enum AddedItemType {
    Issue,
    PullRequest,
}

impl Readable for AddProjectItem {}

impl Example for AddProjectItem {
    fn example() -> Self {
        Self {
            kind: AddedItemType::Issue,
            id: None,
            owner: Some("acme".to_owned()),
            repo: Some("gadgets".to_owned()),
            number: Some(3),
        }
    }
}

/// The body of `create_org_project_draft` and `create_user_project_draft`.
#[schema(example)]
pub struct CreateProjectDraft {
    /// The title of the draft issue.
    #[schema(validator(max_length = 1024))]
    pub title: String,
    /// The description of the draft issue, in Markdown.
    #[schema(nullable, validator(max_length = 65_536))]
    pub body: Option<String>,
}

impl Readable for CreateProjectDraft {}

impl Example for CreateProjectDraft {
    fn example() -> Self {
        Self {
            title: "Measure the grip".to_owned(),
            body: Some("With gloves, too.".to_owned()),
        }
    }
}

/// The body of `update_org_project_item` and `update_user_project_item`. At least one property
/// is required. Omitted properties are not changed.
#[schema(example)]
pub struct UpdateProjectItem {
    /// The values of fields to set.
    #[schema(validator(max_items = 50))]
    pub fields: Option<Vec<SetItemField>>,
    /// Whether the item is archived: `true` archives it, `false` restores it. On GitHub, only
    /// the GraphQL API can change this.
    pub archived: Option<bool>,
}

/// The value of a field to set.
#[schema]
pub struct SetItemField {
    /// The identifier of the field.
    pub id: i64,
    /// The value, according to the type of the field: a text, a number, a date, or the
    /// identifier of an option or an iteration. Set to `null` to remove the value.
    pub value: GivenItemValue,
}

/// A value, or null.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct GivenItemValue(pub Option<TextOrNumber>);

described!(
    GivenItemValue,
    "GivenItemValue",
    MetaSchema {
        one_of: vec![
            MetaSchemaRef::Inline(Box::new(MetaSchema {
                nullable: true,
                ..MetaSchema::new("string")
            })),
            MetaSchemaRef::Inline(Box::new(MetaSchema::new("number"))),
        ],
        ..MetaSchema::ANY
    }
);

impl Readable for UpdateProjectItem {}

impl Example for UpdateProjectItem {
    fn example() -> Self {
        let value = TextOrNumber::Text("2026-04-01".to_owned());
        Self {
            fields: Some(vec![SetItemField {
                id: 5004,
                value: GivenItemValue(Some(value)),
            }]),
            archived: None,
        }
    }
}
