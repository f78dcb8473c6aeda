//! What is set for a repository: who may see it, how it is licensed, what it is used
//! for, and how pull requests get into it.

use poem_openapi::{Enum, Object};
use serde::{Deserialize, Serialize};

use super::super::super::values::{Nullable, Url};

/// Who may open pull requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum, Serialize, Deserialize)]
#[oai(rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum PullCreationPolicy {
    All,
    CollaboratorsOnly,
}

/// Who may see a repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum, Serialize, Deserialize)]
#[oai(rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum RepositoryVisibility {
    Public,
    Private,
    /// Everybody in the organization that owns it.
    Internal,
}

/// What a user may do with a repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Object, Serialize, Deserialize)]
pub struct RepositoryPermissions {
    pub admin: bool,
    pub maintain: bool,
    pub push: bool,
    pub triage: bool,
    pub pull: bool,
}

/// The licence that a repository is under.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
pub struct License {
    /// The SPDX identifier in lower case.
    pub key: String,
    pub name: String,
    pub url: Nullable<Url>,
    /// The SPDX identifier.
    pub spdx_id: Nullable<String>,
    /// The global identifier.
    pub node_id: String,
    pub html_url: Url,
}

/// What a repository is used for beside its code.
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

/// How pull requests may be merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Object, Serialize, Deserialize)]
pub struct RepositoryMerging {
    pub allow_squash_merge: bool,
    pub allow_merge_commit: bool,
    pub allow_rebase_merge: bool,
    pub allow_auto_merge: bool,
    pub delete_branch_on_merge: bool,
}
