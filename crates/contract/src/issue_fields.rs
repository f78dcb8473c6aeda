//! The issue field API (Spec, Issue fields). Issue fields belong to an organization; project
//! fields are another area. The request bodies are in `issue_fields/bodies.rs`.
//!
//! The list of fields shows the id, name and color of an option; the responses to create and
//! update show all of its properties.

mod bodies;

pub use bodies::{
    CreateIssueField, CreateIssueFieldOption, UpdateIssueField, UpdateIssueFieldOption,
};
use contract_macros::{operations, schema};
use poem_openapi::types::Example;

use super::body::Body;
use super::call::Call;
use super::reply::{Empty, Outcome, Reply};
use super::values::{Nullable, Timestamp};

/// The operations; `forge::issue_fields` implements them.
#[operations(IssueFields)]
pub trait Operations: Send + Sync {
    /// List issue fields for an organization
    ///
    /// Returns all issue fields of an organization. The list is not paginated. Personal
    /// access tokens (classic) and OAuth tokens need the `read:org` scope.
    #[get(
        "/orgs/{org}/issue-fields",
        docs = "orgs/issue-fields#list-issue-fields-for-an-organization"
    )]
    #[access(token, permission = read("issue_fields"), scopes = &["read:org"])]
    #[fails(403, 404)]
    #[cached]
    #[specified(200, 404)]
    #[links(update_issue_field, issue_field_id = "/0/id")]
    async fn list_issue_fields(
        &self,
        call: Call,
        org: String,
    ) -> Outcome<Reply<200, Vec<IssueField>>>;

    /// Create issue field for an organization
    ///
    /// Creates an issue field for an organization. The caller must be an administrator of
    /// the organization. Personal access tokens (classic) and OAuth tokens need the
    /// `admin:org` scope.
    #[post(
        "/orgs/{org}/issue-fields",
        docs = "orgs/issue-fields#create-issue-field-for-an-organization"
    )]
    #[access(token, WRITE_ISSUE_FIELDS)]
    #[fails(403, 404, 422)]
    #[specified(200, 404, 422)]
    #[links(update_issue_field, delete_issue_field, issue_field_id = "/id")]
    async fn create_issue_field(
        &self,
        call: Call,
        org: String,
        body: Body<CreateIssueField>,
    ) -> Outcome<Reply<200, IssueField>>;

    /// Update issue field for an organization
    ///
    /// Updates an issue field of an organization. Omitted properties are not changed. The
    /// data type cannot be changed. The caller must be an administrator of the
    /// organization. Personal access tokens (classic) and OAuth tokens need the `admin:org`
    /// scope.
    #[patch(
        "/orgs/{org}/issue-fields/{issue_field_id}",
        docs = "orgs/issue-fields#update-issue-field-for-an-organization"
    )]
    #[access(token, WRITE_ISSUE_FIELDS)]
    #[fails(403, 404, 422)]
    #[specified(200, 404, 422)]
    #[links(delete_issue_field, issue_field_id = "/id")]
    async fn update_issue_field(
        &self,
        call: Call,
        org: String,
        issue_field_id: i64,
        body: Body<UpdateIssueField>,
    ) -> Outcome<Reply<200, IssueField>>;

    /// Delete issue field for an organization
    ///
    /// Deletes an issue field and the project fields that were created for it. The caller
    /// must be an administrator of the organization. Personal access tokens (classic) and
    /// OAuth tokens need the `admin:org` scope.
    #[delete(
        "/orgs/{org}/issue-fields/{issue_field_id}",
        docs = "orgs/issue-fields#delete-issue-field-for-an-organization"
    )]
    #[access(token, WRITE_ISSUE_FIELDS)]
    #[fails(403, 404, 422)]
    #[specified(204, 404, 422)]
    async fn delete_issue_field(
        &self,
        call: Call,
        org: String,
        issue_field_id: i64,
    ) -> Outcome<Empty>;
}

/// An issue field of an organization.
#[schema(example)]
pub struct IssueField {
    /// The identifier of the issue field, used as `issue_field_id`.
    pub id: i64,
    /// The global identifier.
    pub node_id: String,
    /// The name of the issue field.
    pub name: String,
    /// The description of the issue field.
    #[schema(unpromised)]
    pub description: Nullable<String>,
    pub data_type: IssueFieldType,
    /// Who can see the issue field. Only present if the server's visibility setting is
    /// enabled.
    pub visibility: Option<IssueFieldVisibility>,
    /// The options of the issue field. Only present for a `single_select` or `multi_select`
    /// field.
    pub options: Option<Vec<IssueFieldOption>>,
    /// When the issue field was created.
    #[schema(unpromised)]
    pub created_at: Timestamp,
    /// When the issue field was last updated.
    #[schema(unpromised)]
    pub updated_at: Timestamp,
}

/// The data type of an issue field.
#[schema(rename_all = "snake_case")]
pub enum IssueFieldType {
    Text,
    Date,
    SingleSelect,
    MultiSelect,
    Number,
}

/// Who can see an issue field.
#[schema(rename_all = "snake_case")]
#[derive(Default)]
pub enum IssueFieldVisibility {
    #[default]
    OrganizationMembersOnly,
    All,
}

/// An option of an issue field. The list of issue fields shows only its `id`, `name` and
/// `color`.
#[schema]
pub struct IssueFieldOption {
    /// The identifier of the option. An update uses it to keep or change the option.
    pub id: i64,
    /// The name of the option.
    pub name: String,
    #[schema(unpromised)]
    pub color: IssueFieldColor,
    /// The description of the option. Empty if there is none. Absent from the list of issue
    /// fields.
    pub description: Option<String>,
    /// The position of the option among the options of the field. Absent from the list of
    /// issue fields.
    pub priority: Option<i64>,
    /// When the option was created. Absent from the list of issue fields.
    pub created_at: Option<Timestamp>,
    /// When the option was last updated. Absent from the list of issue fields.
    pub updated_at: Option<Timestamp>,
}

/// The color of an option of an issue field.
#[schema(rename_all = "lowercase")]
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
