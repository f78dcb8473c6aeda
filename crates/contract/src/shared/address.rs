//! Addresses of resources in paths. Names are not case-sensitive.

/// The address that two path parameters form. `#[operations]` passes them on.
pub trait Address {
    type First;
    type Second;

    fn new(first: Self::First, second: Self::Second) -> Self;
}

/// `/repos/{owner}/{repo}`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepoAddress {
    pub owner: String,
    pub repo: String,
}

impl Address for RepoAddress {
    type First = String;
    type Second = String;

    fn new(owner: String, repo: String) -> Self {
        Self { owner, repo }
    }
}

/// The address of a project of an organization or a user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectAddress {
    pub owner: ProjectOwner,
    pub number: i64,
}

/// The owner of a project, by login or by user id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProjectOwner {
    Organization(String),
    User(String),
    UserId(String),
}

impl ProjectOwner {
    /// The owner as the path names it.
    pub fn named(&self) -> &str {
        let (Self::Organization(name) | Self::User(name) | Self::UserId(name)) = self;
        name
    }
}

/// `/orgs/{org}/projectsV2/{project_number}`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrgProject(pub ProjectAddress);

impl Address for OrgProject {
    type First = String;
    type Second = i64;

    fn new(org: String, number: i64) -> Self {
        let owner = ProjectOwner::Organization(org);
        Self(ProjectAddress { owner, number })
    }
}

/// `/users/{username}/projectsV2/{project_number}`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserProject(pub ProjectAddress);

impl Address for UserProject {
    type First = String;
    type Second = i64;

    fn new(username: String, number: i64) -> Self {
        let owner = ProjectOwner::User(username);
        Self(ProjectAddress { owner, number })
    }
}

/// `/user/{user_id}/projectsV2/{project_number}`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserIdProject(pub ProjectAddress);

impl Address for UserIdProject {
    type First = String;
    type Second = i64;

    fn new(user_id: String, number: i64) -> Self {
        let owner = ProjectOwner::UserId(user_id);
        Self(ProjectAddress { owner, number })
    }
}
