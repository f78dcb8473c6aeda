//! The settings of a repository: visibility, license, features and merge methods.

use poem_openapi::{Enum, Object};
use serde::{Deserialize, Serialize};

use super::super::super::values::{Nullable, Url};

/// Who can create pull requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum, Serialize, Deserialize)]
#[oai(rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum PullCreationPolicy {
    All,
    CollaboratorsOnly,
}

/// Who can see a repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum, Serialize, Deserialize)]
#[oai(rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum RepositoryVisibility {
    Public,
    Private,
    /// Visible to the members of the organization that owns it.
    Internal,
}

/// The permissions of a user on a repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Object, Serialize, Deserialize)]
pub struct RepositoryPermissions {
    pub admin: bool,
    pub maintain: bool,
    pub push: bool,
    pub triage: bool,
    pub pull: bool,
}

/// The license of a repository.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
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
    pub html_url: Url,
}

/// The features of a repository besides its code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Object, Serialize, Deserialize)]
pub struct RepositoryFeatures {
    pub has_issues: bool,
    pub has_projects: bool,
    pub has_downloads: bool,
    pub has_wiki: bool,
    pub has_pages: bool,
    /// Always false; kept for clients that expect it.
    pub has_discussions: bool,
}

/// The merge methods of a repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Object, Serialize, Deserialize)]
pub struct RepositoryMerging {
    pub allow_squash_merge: bool,
    pub allow_merge_commit: bool,
    pub allow_rebase_merge: bool,
    pub allow_auto_merge: bool,
    pub delete_branch_on_merge: bool,
}
