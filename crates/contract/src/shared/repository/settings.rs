//! The settings of a repository: visibility, license, features and merge methods.

use super::super::super::values::{Nullable, Url};
use contract_macros::schema;

/// Who can create pull requests.
#[schema(rename_all = "snake_case")]
pub enum PullCreationPolicy {
    All,
    CollaboratorsOnly,
}

/// Who can see a repository.
#[schema(rename_all = "lowercase")]
pub enum RepositoryVisibility {
    Public,
    Private,
    /// Visible to the members of the organization that owns it.
    Internal,
}

/// The permissions of a user on a repository.
#[schema]
#[derive(Copy, PartialEq, Eq)]
pub struct RepositoryPermissions {
    pub admin: bool,
    #[schema(unpromised)]
    pub maintain: bool,
    pub push: bool,
    #[schema(unpromised)]
    pub triage: bool,
    pub pull: bool,
}

/// The license of a repository.
#[schema]
pub struct License {
    /// The SPDX identifier of the license, in lower case.
    pub key: String,
    /// The name of the license.
    pub name: String,
    /// The API URL of the license.
    pub url: Nullable<Url>,
    /// The SPDX identifier of the license.
    pub spdx_id: Nullable<String>,
    /// The global identifier.
    pub node_id: String,
    /// The URL of the license's page.
    #[schema(unpromised)]
    pub html_url: Url,
}

/// The features of a repository besides its code.
#[schema]
#[derive(Copy, PartialEq, Eq)]
pub struct RepositoryFeatures {
    pub has_issues: bool,
    pub has_projects: bool,
    pub has_downloads: bool,
    pub has_wiki: bool,
    pub has_pages: bool,
    /// Always false; kept for clients that expect it.
    #[schema(unpromised)]
    pub has_discussions: bool,
}

/// The merge methods of a repository.
#[schema]
#[derive(Copy, PartialEq, Eq)]
pub struct RepositoryMerging {
    #[schema(unpromised)]
    pub allow_squash_merge: bool,
    #[schema(unpromised)]
    pub allow_merge_commit: bool,
    #[schema(unpromised)]
    pub allow_rebase_merge: bool,
    #[schema(unpromised)]
    pub allow_auto_merge: bool,
    #[schema(unpromised)]
    pub delete_branch_on_merge: bool,
}
