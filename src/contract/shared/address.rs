//! How a path names a thing. The names are compared without regard to case.

/// `/repos/{owner}/{repo}`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepoAddress {
    pub owner: String,
    pub repo: String,
}

/// `/orgs/{org}/projectsV2/{project_number}` or
/// `/users/{username}/projectsV2/{project_number}`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectAddress {
    pub owner: String,
    pub number: i64,
}
