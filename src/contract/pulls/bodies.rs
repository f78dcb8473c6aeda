//! The bodies that make, change and merge a pull request, and the answers to merging.

use poem_openapi::types::{Example, MaybeUndefined};
use poem_openapi::{Enum, Object};
use serde::{Deserialize, Serialize};

use super::super::EXAMPLE_ORIGIN;
use super::super::body::Readable;
use super::super::git_refs::{EXAMPLE_MAIN_SHA, EXAMPLE_SHA};
use super::super::values::Url;
use super::PullState;

/// The body of `create_pull`.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
#[oai(example)]
pub struct CreatePull {
    /// What the pull request is called. It must be given.
    #[oai(skip_serializing_if_is_none, validator(max_length = 1024))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The branch with the changes: `topic`, or `acme:topic`.
    pub head: String,
    /// The branch that the changes are for.
    pub base: String,
    /// What its author says about it.
    #[oai(nullable, validator(max_length = 65_536))]
    #[serde(default)]
    pub body: Option<String>,
    /// The repository of `head`, which must be this one: `gadgets`, or `acme/gadgets`.
    #[oai(nullable)]
    #[serde(default)]
    pub head_repo: Option<String>,
    /// Whether maintainers may push to `head`.
    #[oai(nullable)]
    #[serde(default)]
    pub maintainer_can_modify: Option<bool>,
    /// Whether it is a draft, which cannot be merged.
    #[oai(nullable)]
    #[serde(default)]
    pub draft: Option<bool>,
}

impl Readable for CreatePull {}

impl Example for CreatePull {
    fn example() -> Self {
        Self {
            title: Some("Use a digit".to_owned()),
            head: "feature/a".to_owned(),
            base: "main".to_owned(),
            body: Some("Shorter.".to_owned()),
            head_repo: None,
            maintainer_can_modify: None,
            draft: Some(false),
        }
    }
}

/// The body of `update_pull`. What is absent stays as it is.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
#[oai(example)]
pub struct UpdatePull {
    /// What the pull request is called.
    #[oai(nullable, validator(max_length = 1024))]
    #[serde(default)]
    pub title: Option<String>,
    /// What its author says about it; null takes it away.
    #[oai(nullable, validator(max_length = 65_536))]
    #[serde(default, skip_serializing_if = "MaybeUndefined::is_undefined")]
    pub body: MaybeUndefined<String>,
    /// Closes or reopens it.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<PullState>,
    /// The branch that the changes are for.
    #[oai(nullable)]
    #[serde(default)]
    pub base: Option<String>,
    /// Whether maintainers may push to its branch.
    #[oai(nullable)]
    #[serde(default)]
    pub maintainer_can_modify: Option<bool>,
}

impl Readable for UpdatePull {
    const REQUIRED: bool = false;
}

impl Example for UpdatePull {
    fn example() -> Self {
        Self {
            title: Some("Use one digit".to_owned()),
            body: MaybeUndefined::Undefined,
            state: Some(PullState::Open),
            base: Some("main".to_owned()),
            maintainer_can_modify: None,
        }
    }
}

/// How a pull request is merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Enum, Serialize, Deserialize)]
#[oai(rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum MergeMethod {
    /// By a commit with two parents.
    #[default]
    Merge,
    /// As one commit.
    Squash,
    /// Each commit is made again on top of the base.
    Rebase,
}

/// The body of `merge_pull`.
#[derive(Debug, Clone, Default, Object, Serialize, Deserialize)]
#[oai(example)]
pub struct MergePull {
    /// The first line of the message of the new commit; not for `rebase`.
    #[oai(nullable, validator(max_length = 1024))]
    #[serde(default)]
    pub commit_title: Option<String>,
    /// The rest of the message; not for `rebase`.
    #[oai(nullable, validator(max_length = 65_536))]
    #[serde(default)]
    pub commit_message: Option<String>,
    /// The commit that must be the head of the pull request.
    #[oai(nullable)]
    #[serde(default)]
    pub sha: Option<String>,
    /// How to merge; by a merge commit if nothing is said.
    #[oai(nullable)]
    #[serde(default)]
    pub merge_method: Option<MergeMethod>,
}

impl Readable for MergePull {
    const REQUIRED: bool = false;
}

impl Example for MergePull {
    fn example() -> Self {
        Self {
            commit_title: Some("Use a digit".to_owned()),
            commit_message: None,
            sha: Some(EXAMPLE_SHA.to_owned()),
            merge_method: Some(MergeMethod::Squash),
        }
    }
}

/// A pull request that was merged.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
#[oai(rename = "PullMergeResult", example)]
pub struct MergeResult {
    /// The commit that merged it.
    pub sha: String,
    /// Always true.
    pub merged: bool,
    /// The same in words.
    pub message: String,
}

impl MergeResult {
    pub fn new(sha: String) -> Self {
        Self {
            sha,
            merged: true,
            message: "Pull Request successfully merged".to_owned(),
        }
    }
}

impl Example for MergeResult {
    fn example() -> Self {
        Self::new(EXAMPLE_MAIN_SHA.to_owned())
    }
}

/// The body of `update_pull_branch`.
#[derive(Debug, Clone, Default, Object, Serialize, Deserialize)]
#[oai(example)]
pub struct UpdatePullBranch {
    /// The commit that must be the head of the pull request.
    #[oai(nullable)]
    #[serde(default)]
    pub expected_head_sha: Option<String>,
}

impl Readable for UpdatePullBranch {
    const REQUIRED: bool = false;
}

impl Example for UpdatePullBranch {
    fn example() -> Self {
        Self {
            expected_head_sha: Some(EXAMPLE_SHA.to_owned()),
        }
    }
}

/// A branch that is being updated.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
#[oai(rename = "PullBranchUpdate", example)]
pub struct BranchUpdate {
    /// What happens, for people.
    pub message: String,
    /// The pull request.
    pub url: Url,
}

impl BranchUpdate {
    pub fn new(url: String) -> Self {
        Self {
            message: "Updating pull request branch.".to_owned(),
            url: url.into(),
        }
    }
}

impl Example for BranchUpdate {
    fn example() -> Self {
        Self::new(format!("{EXAMPLE_ORIGIN}/repos/acme/gadgets/pulls/1"))
    }
}
