//! A commit as lists, comparisons and branches show it.

use poem_openapi::Object;
use poem_openapi::types::Example;
use serde::{Deserialize, Serialize};

use super::super::EXAMPLE_ORIGIN;
use super::super::git_objects::{GitCommit, GitLink, GitParent, GitSignature, Verification};
use super::super::values::{Nullable, Url};
use super::diff_entry::DiffEntry;
use super::user::User;

/// A commit.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
#[oai(example, rename = "RepositoryCommit")]
pub struct RepositoryCommit {
    pub sha: String,
    pub node_id: String,
    pub commit: CommitDetails,
    pub url: Url,
    pub html_url: Url,
    pub comments_url: Url,
    /// The account of the author, if its address is one of the service; null otherwise.
    pub author: Nullable<User>,
    /// The account of the committer, if its address is one of the service; null otherwise.
    pub committer: Nullable<User>,
    /// The commits that this one builds on, the first one first.
    pub parents: Vec<GitParent>,
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stats: Option<CommitStats>,
    /// The files that changed since the first parent; only where one commit is shown.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files: Option<Vec<DiffEntry>>,
}

/// What a commit says of itself.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
pub struct CommitDetails {
    pub author: GitSignature,
    pub committer: GitSignature,
    /// What the commit says of itself, without newlines at its end.
    pub message: String,
    /// The files as of this commit.
    pub tree: GitLink,
    pub url: Url,
    /// Always zero; kept for clients that expect it.
    pub comment_count: i64,
    pub verification: Verification,
}

/// How much a commit changes; only where one commit is shown.
#[derive(Debug, Clone, Copy, Default, Object, Serialize, Deserialize)]
pub struct CommitStats {
    /// The sum of both.
    pub total: i64,
    /// How many lines were added, in the first 300 files.
    pub additions: i64,
    /// How many lines were removed, in the first 300 files.
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
