//! Issue fields: what clients see (Spec, Issue fields). They belong to an
//! organization; the fields of a project are another area. The bodies that make
//! and change a field are in `issue_fields/bodies.rs`.
//!
//! An option shows more of itself to whoever has just written it: the list has
//! its id, name and colour, the answers to create and update have everything.

mod bodies;

pub use bodies::{
    CreateIssueField, CreateIssueFieldOption, UpdateIssueField, UpdateIssueFieldOption,
};
use forgewright_macros::operations;
use poem_openapi::types::Example;
use poem_openapi::{Enum, Object};
use serde::{Deserialize, Serialize};

use super::body::Body;
use super::call::Call;
use super::reply::{Empty, Outcome, Reply};
use super::values::{Nullable, Timestamp};

/// What the area does; `areas/issue_fields` is how.
#[operations(IssueFields)]
pub trait Operations: Send + Sync {
    /// List issue fields for an organization
    ///
    /// Returns every issue field of the organization. The list is not paginated. Classic and OAuth
    /// tokens need the `read:org` scope.
    #[get(
        "/orgs/{org}/issue-fields",
        docs = "orgs/issue-fields#list-issue-fields-for-an-organization"
    )]
    #[access(token, permission = read("issue_fields"), scopes = &["read:org"])]
    #[fails(403, 404)]
    #[cached]
    async fn list_issue_fields(
        &self,
        call: Call,
        org: String,
    ) -> Outcome<Reply<200, Vec<IssueField>>>;

    /// Create issue field for an organization
    ///
    /// Creates an issue field. The caller must administer the organization; classic and OAuth tokens
    /// need the `admin:org` scope.
    #[post(
        "/orgs/{org}/issue-fields",
        docs = "orgs/issue-fields#create-issue-field-for-an-organization"
    )]
    #[access(
        token,
        permission = write("issue_fields"),
        scopes = &["admin:org"],
        standing = Administrator,
    )]
    #[fails(403, 404, 422)]
    async fn create_issue_field(
        &self,
        call: Call,
        org: String,
        body: Body<CreateIssueField>,
    ) -> Outcome<Reply<200, IssueField>>;

    /// Update issue field for an organization
    ///
    /// Changes what the body names and leaves the rest. The data type of a field cannot change. The
    /// caller must administer the organization; classic and OAuth tokens need the `admin:org` scope.
    #[patch(
        "/orgs/{org}/issue-fields/{issue_field_id}",
        docs = "orgs/issue-fields#update-issue-field-for-an-organization"
    )]
    #[access(
        token,
        permission = write("issue_fields"),
        scopes = &["admin:org"],
        standing = Administrator,
    )]
    #[fails(403, 404, 422)]
    async fn update_issue_field(
        &self,
        call: Call,
        org: String,
        issue_field_id: i64,
        body: Body<UpdateIssueField>,
    ) -> Outcome<Reply<200, IssueField>>;

    /// Delete issue field for an organization
    ///
    /// Deletes an issue field, and the project fields that were made from it. The caller must
    /// administer the organization; classic and OAuth tokens need the `admin:org` scope.
    #[delete(
        "/orgs/{org}/issue-fields/{issue_field_id}",
        docs = "orgs/issue-fields#delete-issue-field-for-an-organization"
    )]
    #[access(
        token,
        permission = write("issue_fields"),
        scopes = &["admin:org"],
        standing = Administrator,
    )]
    #[fails(403, 404, 422)]
    async fn delete_issue_field(
        &self,
        call: Call,
        org: String,
        issue_field_id: i64,
    ) -> Outcome<Empty>;
}

/// A field that the issues of an organization have.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
#[oai(example)]
pub struct IssueField {
    /// The identifier, for use as `issue_field_id`.
    pub id: i64,
    /// The global identifier.
    pub node_id: String,
    /// The name that is shown.
    pub name: String,
    /// What the field is for.
    pub description: Nullable<String>,
    pub data_type: IssueFieldType,
    /// Who sees the field; only when the server has its visibility setting on.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub visibility: Option<IssueFieldVisibility>,
    /// The choices; only of a `single_select` or `multi_select` field.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub options: Option<Vec<IssueFieldOption>>,
    /// When the field was created.
    pub created_at: Timestamp,
    /// When the field last changed.
    pub updated_at: Timestamp,
}

/// What an issue field holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum, Serialize, Deserialize)]
#[oai(rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum IssueFieldType {
    Text,
    Date,
    SingleSelect,
    MultiSelect,
    Number,
}

/// Who sees an issue field.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Enum, Serialize, Deserialize)]
#[oai(rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum IssueFieldVisibility {
    #[default]
    OrganizationMembersOnly,
    All,
}

/// A choice of an issue field. The list of fields shows its id, name and colour alone.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
pub struct IssueFieldOption {
    /// The identifier, with which an update names the option.
    pub id: i64,
    /// The name that is shown.
    pub name: String,
    pub color: IssueFieldColor,
    /// Empty when the option has none; not in the list.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Where the option stands among the others; not in the list.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<i64>,
    /// When the option was made; not in the list.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<Timestamp>,
    /// When the option last changed; not in the list.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Timestamp>,
}

/// The colours of the options of an issue field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum, Serialize, Deserialize)]
#[oai(rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum IssueFieldColor {
    Gray,
    Blue,
    Green,
    Yellow,
    Orange,
    Red,
    Pink,
    Purple,
}

impl Example for IssueField {
    fn example() -> Self {
        let moment = Timestamp(1_773_135_000);
        Self {
            id: 4001,
            node_id: "IFSS_kwDNBEzND6E".to_owned(),
            name: "Priority".to_owned(),
            description: Some("How soon it is needed".to_owned()).into(),
            data_type: IssueFieldType::SingleSelect,
            visibility: None,
            options: Some(vec![IssueFieldOption {
                id: 1,
                name: "High".to_owned(),
                color: IssueFieldColor::Red,
                description: Some(String::new()),
                priority: Some(1),
                created_at: Some(moment),
                updated_at: Some(moment),
            }]),
            created_at: moment,
            updated_at: moment,
        }
    }
}
