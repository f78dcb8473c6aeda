//! Project fields: what clients see (Spec, Project fields). The bodies that add
//! a field are in `project_fields/bodies.rs`.
//!
//! A project belongs to an organization or to a user, and the two have their
//! own operations: only an organization has issue fields to make a field from,
//! and only its public projects can be read without a credential (Spec,
//! Authentication, 3).

mod bodies;

use std::sync::Arc;

use async_trait::async_trait;
pub use bodies::{
    AddFieldFromIssueField, AddIteration, AddIterationConfiguration, AddIterationField,
    AddOrgProjectField, AddPlainField, AddSelectOption, AddSingleSelectField, AddUserProjectField,
    AddedFieldType, IterationType, PlainFieldType, SingleSelectType,
};
use poem_openapi::param::{Path, Query};
use poem_openapi::types::Example;
use poem_openapi::{Enum, Object, OpenApi};
use serde::{Deserialize, Serialize};

use super::body::Body;
use super::call::{Call, Open, Signed};
use super::paging::{CursorPage, Given, PerPage};
use super::reply::{Fails, Outcome, Reply};
use super::shared::address::ProjectAddress;
use super::values::{Day, Timestamp, Url};
use super::{EXAMPLE_ORIGIN, Tag};

/// What the area does; `areas/project_fields` is how.
#[async_trait]
pub trait Operations: Send + Sync {
    async fn list_org_project_fields(
        &self,
        call: Call,
        at: ProjectAddress,
        page: CursorPage,
    ) -> Outcome<Reply<200, Vec<ProjectField>>>;

    async fn add_org_project_field(
        &self,
        call: Call,
        at: ProjectAddress,
        body: Body<AddOrgProjectField>,
    ) -> Outcome<Reply<201, ProjectField>>;

    async fn get_org_project_field(
        &self,
        call: Call,
        at: ProjectAddress,
        field_id: i64,
    ) -> Outcome<Reply<200, ProjectField>>;

    async fn list_user_project_fields(
        &self,
        call: Call,
        at: ProjectAddress,
        page: CursorPage,
    ) -> Outcome<Reply<200, Vec<ProjectField>>>;

    async fn add_user_project_field(
        &self,
        call: Call,
        at: ProjectAddress,
        body: Body<AddUserProjectField>,
    ) -> Outcome<Reply<201, ProjectField>>;

    async fn get_user_project_field(
        &self,
        call: Call,
        at: ProjectAddress,
        field_id: i64,
    ) -> Outcome<Reply<200, ProjectField>>;
}

/// The endpoints of the area.
pub struct Api(pub Arc<dyn Operations>);

#[OpenApi(tag = "Tag::ProjectFields")]
impl Api {
    /// List project fields for organization
    ///
    /// Returns the fields of a project that an organization owns, in the order in which they were
    /// added. The list is paginated with cursors: follow the `Link` header.
    #[oai(
        path = "/orgs/:org/projectsV2/:project_number/fields",
        method = "get",
        operation_id = "list_org_project_fields",
        external_docs = "https://docs.github.com/rest/projects/fields#list-project-fields-for-organization"
    )]
    async fn list_org_project_fields(
        &self,
        call: Open,
        org: Path<String>,
        project_number: Path<i64>,
        per_page: Query<PerPage>,
        before: Query<Given<String>>,
        after: Query<Given<String>>,
    ) -> Result<Reply<200, Vec<ProjectField>>, Fails<403, 404, 422>> {
        let at = ProjectAddress {
            owner: org.0,
            number: project_number.0,
        };
        let page = CursorPage {
            per_page: per_page.0,
            before: before.0.0,
            after: after.0.0,
        };
        Ok(self.0.list_org_project_fields(call.0, at, page).await?)
    }

    /// Add a field to an organization-owned project
    ///
    /// Adds a field to a project that an organization owns: either a new one, with a name and a data
    /// type, or one made from an issue field of the organization. A single select field needs its
    /// options, an iteration field its configuration.
    #[oai(
        path = "/orgs/:org/projectsV2/:project_number/fields",
        method = "post",
        operation_id = "add_org_project_field",
        external_docs = "https://docs.github.com/rest/projects/fields#add-a-field-to-an-organization-owned-project"
    )]
    async fn add_org_project_field(
        &self,
        call: Open,
        org: Path<String>,
        project_number: Path<i64>,
        body: Body<AddOrgProjectField>,
    ) -> Result<Reply<201, ProjectField>, Fails<304, 403, 404, 422>> {
        let at = ProjectAddress {
            owner: org.0,
            number: project_number.0,
        };
        Ok(self.0.add_org_project_field(call.0, at, body).await?)
    }

    /// Get project field for organization
    ///
    /// Returns one field of a project that an organization owns.
    #[oai(
        path = "/orgs/:org/projectsV2/:project_number/fields/:field_id",
        method = "get",
        operation_id = "get_org_project_field",
        external_docs = "https://docs.github.com/rest/projects/fields#get-project-field-for-organization"
    )]
    async fn get_org_project_field(
        &self,
        call: Open,
        org: Path<String>,
        project_number: Path<i64>,
        field_id: Path<i64>,
    ) -> Result<Reply<200, ProjectField>, Fails<403, 404>> {
        let at = ProjectAddress {
            owner: org.0,
            number: project_number.0,
        };
        Ok(self.0.get_org_project_field(call.0, at, field_id.0).await?)
    }

    /// List project fields for user
    ///
    /// Returns the fields of a project that a user owns, in the order in which they were added. The
    /// list is paginated with cursors: follow the `Link` header. App tokens and fine-grained personal
    /// access tokens do not work here.
    #[oai(
        path = "/users/:username/projectsV2/:project_number/fields",
        method = "get",
        operation_id = "list_user_project_fields",
        external_docs = "https://docs.github.com/rest/projects/fields#list-project-fields-for-user"
    )]
    async fn list_user_project_fields(
        &self,
        call: Signed,
        username: Path<String>,
        project_number: Path<i64>,
        per_page: Query<PerPage>,
        before: Query<Given<String>>,
        after: Query<Given<String>>,
    ) -> Result<Reply<200, Vec<ProjectField>>, Fails<403, 404, 422>> {
        let at = ProjectAddress {
            owner: username.0,
            number: project_number.0,
        };
        let page = CursorPage {
            per_page: per_page.0,
            before: before.0.0,
            after: after.0.0,
        };
        Ok(self.0.list_user_project_fields(call.0, at, page).await?)
    }

    /// Add field to user owned project
    ///
    /// Adds a field to a project that a user owns. A single select field needs its options, an
    /// iteration field its configuration. App tokens and fine-grained personal access tokens do not
    /// work here.
    #[oai(
        path = "/users/:username/projectsV2/:project_number/fields",
        method = "post",
        operation_id = "add_user_project_field",
        external_docs = "https://docs.github.com/rest/projects/fields#add-field-to-user-owned-project"
    )]
    async fn add_user_project_field(
        &self,
        call: Signed,
        username: Path<String>,
        project_number: Path<i64>,
        body: Body<AddUserProjectField>,
    ) -> Result<Reply<201, ProjectField>, Fails<304, 403, 404, 422>> {
        let at = ProjectAddress {
            owner: username.0,
            number: project_number.0,
        };
        Ok(self.0.add_user_project_field(call.0, at, body).await?)
    }

    /// Get project field for user
    ///
    /// Returns one field of a project that a user owns. App tokens and fine-grained personal access
    /// tokens do not work here.
    #[oai(
        path = "/users/:username/projectsV2/:project_number/fields/:field_id",
        method = "get",
        operation_id = "get_user_project_field",
        external_docs = "https://docs.github.com/rest/projects/fields#get-project-field-for-user"
    )]
    async fn get_user_project_field(
        &self,
        call: Signed,
        username: Path<String>,
        project_number: Path<i64>,
        field_id: Path<i64>,
    ) -> Result<Reply<200, ProjectField>, Fails<403, 404>> {
        let at = ProjectAddress {
            owner: username.0,
            number: project_number.0,
        };
        Ok(self
            .0
            .get_user_project_field(call.0, at, field_id.0)
            .await?)
    }
}

/// A field of a project.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
#[oai(example)]
pub struct ProjectField {
    /// The identifier, for use as `field_id`.
    pub id: i64,
    /// The global identifier.
    pub node_id: String,
    /// The name that is shown.
    pub name: String,
    pub data_type: ProjectFieldType,
    /// The project that has the field.
    pub project_url: Url,
    /// The issue field that the field was made from; absent from all others.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issue_field_id: Option<i64>,
    /// The choices; only of a `single_select` field.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub options: Option<Vec<ProjectFieldOption>>,
    /// The iterations; only of an `iteration` field.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub configuration: Option<IterationConfiguration>,
    /// When the field was added.
    pub created_at: Timestamp,
    /// When the field last changed.
    pub updated_at: Timestamp,
}

/// What a project field holds. `text`, `number`, `date`, `single_select` and `iteration` can be
/// added; the others are built into projects elsewhere, and are never returned by this server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum, Serialize, Deserialize)]
#[oai(rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum ProjectFieldType {
    Assignees,
    LinkedPullRequests,
    Reviewers,
    Labels,
    Milestone,
    Repository,
    Title,
    Text,
    SingleSelect,
    Number,
    Date,
    Iteration,
    IssueType,
    ParentIssue,
    SubIssuesProgress,
}

/// A choice of a single select field.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
pub struct ProjectFieldOption {
    /// The identifier, unique within the field.
    pub id: String,
    pub name: RichText,
    pub color: ProjectOptionColor,
    /// Empty when the option has none.
    pub description: RichText,
}

/// The colours of the options of a project field.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Enum, Serialize, Deserialize)]
#[oai(rename_all = "UPPERCASE")]
#[serde(rename_all = "UPPERCASE")]
pub enum ProjectOptionColor {
    Blue,
    #[default]
    Gray,
    Green,
    Orange,
    Pink,
    Purple,
    Red,
    Yellow,
}

/// A line of text, rendered and as it was written.
#[derive(Debug, Clone, PartialEq, Eq, Object, Serialize, Deserialize)]
pub struct RichText {
    /// The text as inline HTML: escaped, with code spans rendered.
    pub html: String,
    /// The text as it was written.
    pub raw: String,
}

/// The iterations of an iteration field.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
pub struct IterationConfiguration {
    /// How many days an iteration lasts unless it says otherwise.
    pub duration: i64,
    /// The day of the week on which iterations start: 1 is Monday, 7 is Sunday.
    pub start_day: i64,
    /// The iterations by start date, past ones included.
    pub iterations: Vec<Iteration>,
}

/// A span of days that work is planned for.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
pub struct Iteration {
    /// The identifier, unique within the field.
    pub id: String,
    pub title: RichText,
    /// The first day.
    pub start_date: Day,
    /// How many days it lasts.
    pub duration: i64,
    /// Whether its last day is past.
    pub completed: bool,
}

impl Example for ProjectField {
    fn example() -> Self {
        let plain = |text: &str| RichText {
            html: text.to_owned(),
            raw: text.to_owned(),
        };
        let option = |id: &str, name: &str, color| ProjectFieldOption {
            id: id.to_owned(),
            name: plain(name),
            color,
            description: plain(""),
        };
        Self {
            id: 5001,
            node_id: "PVTSSF_lADNBEzNC7nNE4k".to_owned(),
            name: "Status".to_owned(),
            data_type: ProjectFieldType::SingleSelect,
            project_url: format!("{EXAMPLE_ORIGIN}/orgs/acme/projectsV2/1").into(),
            issue_field_id: None,
            options: Some(vec![
                option("f75ad846", "Todo", ProjectOptionColor::Green),
                option("98236657", "Done", ProjectOptionColor::Purple),
            ]),
            configuration: None,
            created_at: Timestamp(1_773_135_000),
            updated_at: Timestamp(1_773_135_000),
        }
    }
}
