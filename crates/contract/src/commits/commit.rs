//! A commit in lists, comparisons and branches.

use contract_macros::schema;
use poem_openapi::types::Example;

use super::super::EXAMPLE_ORIGIN;
use super::super::git_objects::{GitCommit, GitLink, GitParent, GitSignature, Verification};
use super::super::shared::diff_entry::DiffEntry;
use super::super::shared::user::User;
use super::super::values::{Nullable, Url};

/// A commit.
#[schema(example, rename = "RepositoryCommit")]
pub struct RepositoryCommit {
    /// The SHA-1 of the commit.
    pub sha: String,
    pub node_id: String,
    pub commit: CommitDetails,
    /// The API URL of the commit.
    pub url: Url,
    /// The URL of the commit's page.
    pub html_url: Url,
    /// The API URL of the comments on the commit.
    pub comments_url: Url,
    /// The account of the author. `null` if the author's email address does not belong to an
    /// account of this server.
    pub author: Nullable<User>,
    /// The account of the committer. `null` if the committer's email address does not belong to
    /// an account of this server.
    pub committer: Nullable<User>,
    /// The parents of the commit, the first parent first.
    pub parents: Vec<GitParent>,
    pub stats: Option<CommitStats>,
    /// The files that changed since the first parent. Only present for a single commit.
    pub files: Option<Vec<DiffEntry>>,
}

/// The metadata of a commit.
#[schema]
pub struct CommitDetails {
    pub author: GitSignature,
    pub committer: GitSignature,
    /// The commit message, without trailing newlines.
    pub message: String,
    /// The tree of the commit.
    pub tree: GitLink,
    /// The API URL of the Git commit.
    pub url: Url,
    /// Always zero; kept for clients that expect it.
    pub comment_count: i64,
    pub verification: Verification,
}

/// The size of a commit's changes. Only present for a single commit.
#[schema]
#[derive(Copy, Default)]
pub struct CommitStats {
    /// The sum of `additions` and `deletions`.
    pub total: i64,
    /// The number of added lines in the first 300 files.
    pub additions: i64,
    /// The number of deleted lines in the first 300 files.
    pub deletions: i64,
}

impl Example for RepositoryCommit {
    fn example() -> Self {
        let git = GitCommit::example();
        let api = format!("{EXAMPLE_ORIGIN}/repos/acme/gadgets/commits");
        let url = format!("{api}/{}", git.sha);
        let parents = git.parents.into_iter().map(|parent| GitParent {
            url: format!("{api}/{}", parent.sha).into(),
            ..parent
        });
        Self {
            node_id: git.node_id,
            commit: CommitDetails {
                author: git.author,
                committer: git.committer,
                message: git.message,
                tree: git.tree,
                url: git.url,
                comment_count: 0,
                verification: git.verification,
            },
            comments_url: format!("{url}/comments").into(),
            url: url.into(),
            html_url: git.html_url,
            author: None.into(),
            committer: None.into(),
            parents: parents.collect(),
            stats: None,
            files: None,
            sha: git.sha,
        }
    }
}
