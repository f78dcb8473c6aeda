//! The representations of items.

use contract_macros::schema;
use poem_openapi::registry::MetaSchema;
use poem_openapi::types::Example;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::super::EXAMPLE_ORIGIN;
use super::super::project_fields::ProjectFieldType;
use super::super::shared::user::User;
use super::super::values::{AnyJson, Nullable, Timestamp, Url, described};

/// The type of an item's content.
#[schema]
pub enum ItemContentType {
    Issue,
    PullRequest,
    DraftIssue,
}

/// The issue, pull request or draft issue of an item.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ItemContent(pub Map<String, Value>);

impl ItemContent {
    /// An object with one field.
    fn of(name: &str, value: Value) -> Self {
        Self(Map::from_iter([(name.to_owned(), value)]))
    }
}

described!(
    ItemContent,
    component "ProjectItemContent",
    MetaSchema {
        title: Some("ProjectItemContent".to_owned()),
        description: Some(
            "The issue, pull request or draft issue of an item, in the same representation as \
             elsewhere in the API.",
        ),
        ..MetaSchema::new("object")
    }
);

/// An item of a project, with the values of some of its fields.
#[schema(example)]
pub struct ProjectItem {
    /// The identifier, for use as `item_id`.
    pub id: i64,
    /// The global identifier.
    pub node_id: String,
    /// The API URL of the project.
    pub project_url: Url,
    pub content_type: ItemContentType,
    /// The issue, pull request or draft issue. `null` if the caller may not read it.
    pub content: Nullable<ItemContent>,
    /// The user who added the item. Absent if the account no longer exists.
    pub creator: Option<User>,
    /// When the item was added.
    pub created_at: Timestamp,
    /// When the item was last updated.
    pub updated_at: Timestamp,
    /// When the item was archived. `null` if it is not archived.
    pub archived_at: Nullable<Timestamp>,
    /// The API URL of the item.
    pub item_url: Url,
    /// The values of the requested fields. Empty if the caller may not read the content.
    pub fields: Vec<ItemFieldValue>,
}

/// The value of a field for an item.
#[schema]
pub struct ItemFieldValue {
    /// The identifier of the field. 0 is the title, which every item has.
    pub id: i64,
    /// The name of the field.
    pub name: String,
    pub data_type: ProjectFieldType,
    /// The value, in the format of the field's type. `null` if the item has no value.
    pub value: AnyJson,
}

/// An item of a project, without the values of its fields.
#[schema(example)]
pub struct SimpleProjectItem {
    /// The identifier, for use as `item_id`.
    pub id: i64,
    /// The global identifier.
    pub node_id: String,
    /// The issue, pull request or draft issue.
    pub content: ItemContent,
    pub content_type: ItemContentType,
    /// The user who added the item. Absent if the account no longer exists.
    pub creator: Option<User>,
    /// When the item was added.
    pub created_at: Timestamp,
    /// When the item was last updated.
    pub updated_at: Timestamp,
    /// When the item was archived. `null` if it is not archived.
    pub archived_at: Nullable<Timestamp>,
    /// The API URL of the project.
    pub project_url: Url,
    /// The API URL of the item.
    pub item_url: Url,
}

/// A draft issue, as the `content` of an item.
#[derive(Debug, Clone, Serialize)]
pub struct DraftIssue {
    pub id: i64,
    pub node_id: String,
    pub title: String,
    pub body: Option<String>,
    pub user: Option<User>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl SimpleProjectItem {
    /// The same item with the values of fields.
    pub fn with(self, content: Option<ItemContent>, fields: Vec<ItemFieldValue>) -> ProjectItem {
        ProjectItem {
            id: self.id,
            node_id: self.node_id,
            project_url: self.project_url,
            content_type: self.content_type,
            content: content.into(),
            creator: self.creator,
            created_at: self.created_at,
            updated_at: self.updated_at,
            archived_at: self.archived_at,
            item_url: self.item_url,
            fields,
        }
    }
}

impl ProjectItem {
    /// The same item without the values of fields.
    pub fn simple(self) -> SimpleProjectItem {
        SimpleProjectItem {
            id: self.id,
            node_id: self.node_id,
            content: self.content.0.unwrap_or_default(),
            content_type: self.content_type,
            creator: self.creator,
            created_at: self.created_at,
            updated_at: self.updated_at,
            archived_at: self.archived_at,
            project_url: self.project_url,
            item_url: self.item_url,
        }
    }
}

impl Example for SimpleProjectItem {
    fn example() -> Self {
        let project = format!("{EXAMPLE_ORIGIN}/orgs/acme/projectsV2/1");
        let moment = Timestamp(1_773_135_000);
        Self {
            id: 5502,
            node_id: "PVTI_lADNA-zNC7nNF3I".to_owned(),
            content: ItemContent::of("title", "Measure the grip".into()),
            content_type: ItemContentType::DraftIssue,
            creator: Some(User::example()),
            created_at: moment,
            updated_at: moment,
            archived_at: None.into(),
            item_url: format!("{project}/items/5502").into(),
            project_url: project.into(),
        }
    }
}

impl Example for ProjectItem {
    fn example() -> Self {
        let item = SimpleProjectItem::example();
        let content = item.content.clone();
        let title = ItemFieldValue {
            id: 0,
            name: "Title".to_owned(),
            data_type: ProjectFieldType::Title,
            value: AnyJson(serde_json::json!({
                "raw": "Measure the grip",
                "html": "Measure the grip",
            })),
        };
        item.with(Some(content), vec![title])
    }
}
