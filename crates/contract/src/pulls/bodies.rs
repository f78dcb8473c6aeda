//! The request bodies that create, update and merge a pull request, and the responses to a
//! merge.

use contract_macros::schema;
use poem_openapi::types::{Example, MaybeUndefined};

use super::super::EXAMPLE_ORIGIN;
use super::super::body::Readable;
use super::super::git_refs::{EXAMPLE_MAIN_SHA, EXAMPLE_SHA};
use super::super::shared::state::PullState;
use super::super::values::Url;

/// The body of `create_pull`.
#[schema(example)]
pub struct CreatePull {
    /// The title of the pull request. Required.
    #[schema(validator(max_length = 1024))]
    pub title: Option<String>,
    /// The name of the branch that contains the changes: `topic` or `acme:topic`.
    pub head: String,
    /// The name of the branch to merge the changes into.
    pub base: String,
    /// The description of the pull request, in Markdown.
    #[schema(nullable, validator(max_length = 65_536))]
    pub body: Option<String>,
    /// The repository that contains `head`. It must be this repository: `gadgets` or
    /// `acme/gadgets`.
    #[schema(nullable)]
    pub head_repo: Option<String>,
    /// Whether maintainers can push to the head branch.
    #[schema(nullable)]
    pub maintainer_can_modify: Option<bool>,
    /// Whether the pull request is a draft. A draft cannot be merged.
    #[schema(nullable)]
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

/// The body of `update_pull`. Omitted properties are not changed.
#[schema(example)]
pub struct UpdatePull {
    /// The new title of the pull request.
    #[schema(nullable, validator(max_length = 1024))]
    pub title: Option<String>,
    /// The new description of the pull request, in Markdown. Set to `null` to remove the
    /// description.
    #[schema(nullable, validator(max_length = 65_536))]
    pub body: MaybeUndefined<String>,
    /// The new state: `closed` closes the pull request, `open` reopens it.
    pub state: Option<PullState>,
    /// The name of the new base branch.
    #[schema(nullable)]
    pub base: Option<String>,
    /// Whether maintainers can push to the head branch.
    #[schema(nullable)]
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

/// How a pull request is merged: with a merge commit (`merge`), as a single commit (`squash`),
/// or by rebasing its commits onto the base branch (`rebase`).
#[schema(rename_all = "lowercase")]
#[derive(Default)]
pub enum MergeMethod {
    /// With a merge commit.
    #[default]
    Merge,
    /// As a single commit.
    Squash,
    /// By rebasing each commit onto the base branch.
    Rebase,
}

/// The body of `merge_pull`.
#[schema(example)]
#[derive(Default)]
pub struct MergePull {
    /// The first line of the commit message. Not used by `rebase`.
    #[schema(nullable, validator(max_length = 1024))]
    pub commit_title: Option<String>,
    /// The commit message after the first line. Not used by `rebase`.
    #[schema(nullable, validator(max_length = 65_536))]
    pub commit_message: Option<String>,
    /// The SHA-1 that must be the head of the pull request.
    #[schema(nullable)]
    pub sha: Option<String>,
    /// The merge method. If omitted, `merge`.
    #[schema(nullable)]
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

/// The result of merging a pull request.
#[schema(rename = "PullMergeResult", example)]
pub struct MergeResult {
    /// The SHA-1 of the resulting commit on the base branch.
    pub sha: String,
    /// Whether the pull request was merged. Always `true`.
    pub merged: bool,
    /// A message that describes the result.
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
#[schema(example)]
#[derive(Default)]
pub struct UpdatePullBranch {
    /// The SHA-1 that must be the head of the pull request.
    #[schema(nullable)]
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

/// The result of updating the branch of a pull request.
#[schema(rename = "PullBranchUpdate", example)]
pub struct BranchUpdate {
    /// A message that describes the result.
    pub message: String,
    /// The API URL of the pull request.
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
