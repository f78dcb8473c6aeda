//! The project field API (Spec, Project fields). The request bodies are in
//! `project_fields/bodies.rs`.
//!
//! A project belongs to an organization or to a user, and each has its own operations: only an
//! organization has issue fields to create a field from, and only its public projects can be
//! read without a credential (Spec, Authentication, 3).

mod bodies;

pub use bodies::{
    AddFieldFromIssueField, AddIteration, AddIterationConfiguration, AddIterationField,
    AddOrgProjectField, AddPlainField, AddSelectOption, AddSingleSelectField, AddUserProjectField,
    AddedFieldType, IterationType, PlainFieldType, SingleSelectType,
};
use contract_macros::{operations, schema};
use poem_openapi::types::Example;

use super::EXAMPLE_ORIGIN;
use super::body::Body;
use super::call::Call;
use super::paging::{CursorPage, OptionalParameter, PerPage};
use super::reply::{Outcome, Reply};
use super::shared::address::{OrgProject, ProjectAddress, UserProject};
use super::values::{Day, Timestamp, Url};

/// The operations; `forge::project_fields` implements them. The first three
/// implement the operations on projects of both organizations and users.
#[operations(ProjectFields)]
pub trait Operations: Send + Sync {
    async fn list_project_fields(
        &self,
        call: Call,
        at: ProjectAddress,
        page: CursorPage,
    ) -> Outcome<Reply<200, Vec<ProjectField>>>;

    async fn add_project_field(
        &self,
        call: Call,
        at: ProjectAddress,
        body: Body<AddOrgProjectField>,
    ) -> Outcome<Reply<201, ProjectField>>;

    async fn get_project_field(
        &self,
        call: Call,
        at: ProjectAddress,
        field_id: i64,
    ) -> Outcome<Reply<200, ProjectField>>;

    /// List project fields for organization
    ///
    /// Returns the fields of a project that an organization owns, in the order in which they were
    /// added. The list is paginated with cursors: follow the `Link` header.
    #[get(
        "/orgs/{org}/projectsV2/{project_number}/fields",
        docs = "projects/fields#list-project-fields-for-organization"
    )]
    #[access(open, READ_ORG_PROJECT)]
    #[fails(403, 404, 422)]
    #[cached]
    #[specified(200, 304, 401, 403)]
    #[links(get_org_project_field, field_id = "/0/id")]
    async fn list_org_project_fields(
        &self,
        call: Call,
        at: OrgProject,
        #[query(per_page: PerPage, before: OptionalParameter<String>, after: OptionalParameter<String>)]
        page: CursorPage,
    ) -> Outcome<Reply<200, Vec<ProjectField>>> {
        self.list_project_fields(call, at.0, page).await
    }

    /// Add a field to an organization-owned project
    ///
    /// Adds a field to a project that an organization owns: either a new field with a name
    /// and a data type, or a field for an issue field of the organization. A single select
    /// field requires `single_select_options`, an iteration field
    /// `iteration_configuration`.
    #[post(
        "/orgs/{org}/projectsV2/{project_number}/fields",
        docs = "projects/fields#add-a-field-to-an-organization-owned-project"
    )]
    #[access(open, WRITE_ORG_PROJECT)]
    #[fails(304, 403, 404, 422)]
    #[specified(201, 304, 401, 403, 422)]
    #[links(get_org_project_field, field_id = "/id")]
    async fn add_org_project_field(
        &self,
        call: Call,
        at: OrgProject,
        body: Body<AddOrgProjectField>,
    ) -> Outcome<Reply<201, ProjectField>> {
        self.add_project_field(call, at.0, body).await
    }

    /// Get project field for organization
    ///
    /// Returns one field of a project that an organization owns.
    #[get(
        "/orgs/{org}/projectsV2/{project_number}/fields/{field_id}",
        docs = "projects/fields#get-project-field-for-organization"
    )]
    #[access(open, READ_ORG_PROJECT)]
    #[fails(403, 404)]
    #[cached]
    #[specified(200, 304, 401, 403)]
    async fn get_org_project_field(
        &self,
        call: Call,
        at: OrgProject,
        field_id: i64,
    ) -> Outcome<Reply<200, ProjectField>> {
        self.get_project_field(call, at.0, field_id).await
    }

    /// List project fields for user
    ///
    /// Returns the fields of a project that a user owns, in the order in which they were added. The
    /// list is paginated with cursors: follow the `Link` header. App tokens and fine-grained personal
    /// access tokens do not work here.
    #[get(
        "/users/{username}/projectsV2/{project_number}/fields",
        docs = "projects/fields#list-project-fields-for-user"
    )]
    #[access(token, READ_USER_PROJECT)]
    #[fails(403, 404, 422)]
    #[cached]
    #[specified(200, 304, 401, 403)]
    #[links(get_user_project_field, field_id = "/0/id")]
    async fn list_user_project_fields(
        &self,
        call: Call,
        at: UserProject,
        #[query(per_page: PerPage, before: OptionalParameter<String>, after: OptionalParameter<String>)]
        page: CursorPage,
    ) -> Outcome<Reply<200, Vec<ProjectField>>> {
        self.list_project_fields(call, at.0, page).await
    }

    /// Add field to user owned project
    ///
    /// Adds a field to a project that a user owns. A single select field requires
    /// `single_select_options`, an iteration field `iteration_configuration`. App tokens
    /// and fine-grained personal access tokens do not work here.
    #[post(
        "/users/{username}/projectsV2/{project_number}/fields",
        docs = "projects/fields#add-field-to-user-owned-project"
    )]
    #[access(token, WRITE_USER_PROJECT)]
    #[fails(304, 403, 404, 422)]
    #[specified(201, 304, 401, 403, 422)]
    #[links(get_user_project_field, field_id = "/id")]
    async fn add_user_project_field(
        &self,
        call: Call,
        at: UserProject,
        body: Body<AddUserProjectField>,
    ) -> Outcome<Reply<201, ProjectField>> {
        self.add_project_field(call, at.0, body.map(AddOrgProjectField::from))
            .await
    }

    /// Get project field for user
    ///
    /// Returns one field of a project that a user owns. App tokens and fine-grained personal access
    /// tokens do not work here.
    #[get(
        "/users/{username}/projectsV2/{project_number}/fields/{field_id}",
        docs = "projects/fields#get-project-field-for-user"
    )]
    #[access(token, READ_USER_PROJECT)]
    #[fails(403, 404)]
    #[cached]
    #[specified(200, 304, 401, 403)]
    async fn get_user_project_field(
        &self,
        call: Call,
        at: UserProject,
        #[example("5008")] field_id: i64,
    ) -> Outcome<Reply<200, ProjectField>> {
        self.get_project_field(call, at.0, field_id).await
    }
}

/// A field of a project.
#[schema(example)]
pub struct ProjectField {
    /// The identifier of the field, used as `field_id`.
    pub id: i64,
    /// The global identifier.
    pub node_id: String,
    /// The name of the field.
    pub name: String,
    pub data_type: ProjectFieldType,
    /// The API URL of the project.
    pub project_url: Url,
    /// The identifier of the issue field that the field was created for. Absent from other
    /// fields.
    pub issue_field_id: Option<i64>,
    /// The options of the field. Only present for a `single_select` field.
    pub options: Option<Vec<ProjectFieldOption>>,
    /// The iterations of the field. Only present for an `iteration` field.
    pub configuration: Option<IterationConfiguration>,
    /// When the field was added to the project.
    pub created_at: Timestamp,
    /// When the field was last updated.
    pub updated_at: Timestamp,
}

/// The data type of a project field. Fields of the types `text`, `number`, `date`,
/// `single_select` and `iteration` can be added. The others are the types of GitHub's
/// built-in fields; this server never returns a project field of these types.
#[schema(rename_all = "snake_case")]
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

/// An option of a single select field.
#[schema]
pub struct ProjectFieldOption {
    /// The identifier of the option, unique within the field.
    pub id: String,
    pub name: RichText,
    pub color: ProjectOptionColor,
    /// The description of the option. Empty if there is none.
    pub description: RichText,
}

/// The color of an option of a project field.
#[schema(rename_all = "UPPERCASE")]
#[derive(Default)]
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

/// A line of text, as HTML and as raw text.
#[schema]
#[derive(PartialEq, Eq)]
pub struct RichText {
    /// The text as inline HTML, escaped and with code spans rendered.
    pub html: String,
    /// The raw text.
    pub raw: String,
}

/// The configuration of an iteration field.
#[schema]
pub struct IterationConfiguration {
    /// The default duration of an iteration, in days.
    #[schema(unpromised)]
    pub duration: i64,
    /// The day of the week on which iterations start, from 1 (Monday) to 7 (Sunday).
    #[schema(unpromised)]
    pub start_day: i64,
    /// The iterations of the field, sorted by start date. Completed ones are included.
    #[schema(unpromised)]
    pub iterations: Vec<Iteration>,
}

/// An iteration of an iteration field.
#[schema]
pub struct Iteration {
    /// The identifier of the iteration, unique within the field.
    pub id: String,
    pub title: RichText,
    /// The first day of the iteration.
    pub start_date: Day,
    /// The duration of the iteration, in days.
    pub duration: i64,
    /// Whether the last day of the iteration has passed.
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
