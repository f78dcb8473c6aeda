//! A project, without its fields.

use contract_macros::schema;
use poem_openapi::types::Example;

use super::super::EXAMPLE_ORIGIN;
use super::super::shared::installation::example_organization;
use super::super::shared::user::User;
use super::super::values::{Nullable, Timestamp, Url};

/// Whether a project is open or closed.
#[schema(rename_all = "lowercase")]
pub enum ProjectState {
    Open,
    Closed,
}

/// A project of an organization or a user.
#[schema(example)]
pub struct Project {
    /// The identifier of the project.
    pub id: i64,
    /// The global identifier.
    pub node_id: String,
    pub owner: User,
    /// The owner of the project. The service does not record who created it.
    pub creator: User,
    /// The number of the project, unique for its owner.
    pub number: i64,
    /// The title of the project.
    pub title: String,
    /// Always null; kept for clients that expect it.
    pub description: Nullable<String>,
    /// Always null; kept for clients that expect it.
    pub short_description: Nullable<String>,
    /// Whether the project is public.
    pub public: bool,
    pub state: ProjectState,
    /// Whether the project is a template.
    pub is_template: bool,
    /// The API URL of the project.
    pub url: Url,
    /// The URL of the project's page.
    pub html_url: Url,
    /// When the project was created.
    pub created_at: Timestamp,
    /// When the project was last updated.
    pub updated_at: Timestamp,
    /// Always null; kept for clients that expect it.
    pub closed_at: Nullable<Timestamp>,
    /// Always null; kept for clients that expect it.
    pub deleted_at: Nullable<Timestamp>,
    /// Always null; kept for clients that expect it.
    pub deleted_by: Nullable<User>,
}

impl Example for Project {
    fn example() -> Self {
        Self {
            id: 3001,
            node_id: "PVT_kwDNA-zNC7k".to_owned(),
            owner: example_organization(),
            creator: example_organization(),
            number: 1,
            title: "Roadmap".to_owned(),
            description: None.into(),
            short_description: None.into(),
            public: true,
            state: ProjectState::Open,
            is_template: false,
            url: format!("{EXAMPLE_ORIGIN}/orgs/acme/projectsV2/1").into(),
            html_url: format!("{EXAMPLE_ORIGIN}/orgs/acme/projects/1").into(),
            created_at: Timestamp(1_773_135_000),
            updated_at: Timestamp(1_773_135_000),
            closed_at: None.into(),
            deleted_at: None.into(),
            deleted_by: None.into(),
        }
    }
}
