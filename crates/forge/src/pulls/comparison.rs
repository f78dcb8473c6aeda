//! The diff of a pull request up to one of its commits, from the merge base.

use sea_orm::DbErr;

use crate::git_refs;
use git::diff::{self, FileChange, FileDiff, entry_at};
use git::tree::Mode;
use git::{GitError, Sha, ancestry, graph};
use storage::database::Connection;
use storage::entities::{git_ref, pull};

/// Two trees to compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Comparison {
    repository_id: i64,
    /// The merge base; None if the histories are unrelated.
    pub base: Option<Sha>,
    pub commit: Sha,
    old_tree: Sha,
    new_tree: Sha,
}

impl Comparison {
    /// Compares a commit with the merge base of a pull request.
    pub async fn of(
        connection: &Connection,
        branches: BranchHeads,
        commit: Sha,
    ) -> Result<Self, GitError> {
        let BranchHeads {
            repository_id,
            base,
            head,
        } = branches;
        let base = ancestry::merge_base(connection, repository_id, base, head).await?;
        Self::between(connection, repository_id, base, commit).await
    }

    /// Compares two commits, or a commit with the empty tree.
    pub async fn between(
        connection: &Connection,
        repository_id: i64,
        base: Option<Sha>,
        commit: Sha,
    ) -> Result<Self, GitError> {
        let old_tree = match base {
            Some(base) => tree_of(connection, repository_id, base).await?,
            None => Sha::EMPTY_TREE,
        };
        let new_tree = tree_of(connection, repository_id, commit).await?;
        Ok(Self {
            repository_id,
            base,
            commit,
            old_tree,
            new_tree,
        })
    }

    /// The files that changed; None if there are more than [`diff::MOST_CHANGES`].
    pub async fn changes(
        &self,
        connection: &Connection,
    ) -> Result<Option<Vec<FileChange>>, GitError> {
        diff::changes(connection, self.repository_id, self.old_tree, self.new_tree).await
    }

    /// The lines of one file, or None if it did not change.
    pub async fn file(
        &self,
        connection: &Connection,
        path: &str,
    ) -> Result<Option<FileDiff>, GitError> {
        diff::diff_path(
            connection,
            self.repository_id,
            self.old_tree,
            self.new_tree,
            path,
        )
        .await
    }

    /// The content of a file in the base.
    pub async fn old_blob(
        &self,
        connection: &Connection,
        path: &str,
    ) -> Result<Option<Sha>, GitError> {
        blob_at(connection, self.repository_id, self.old_tree, path).await
    }

    /// The content of a file in the head.
    pub async fn new_blob(
        &self,
        connection: &Connection,
        path: &str,
    ) -> Result<Option<Sha>, GitError> {
        blob_at(connection, self.repository_id, self.new_tree, path).await
    }
}

/// The head commits of the two branches of a pull request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BranchHeads {
    pub repository_id: i64,
    pub base: Sha,
    pub head: Sha,
}

impl BranchHeads {
    pub async fn of(connection: &Connection, pull: &pull::Model) -> Result<Self, GitError> {
        let base = base_branch(connection, pull).await?;
        Self::from(pull, base.as_ref())
    }

    /// The base of a pull request is the current head of its base branch while it is open,
    /// the last one after it was closed.
    pub fn from(pull: &pull::Model, branch: Option<&git_ref::Model>) -> Result<Self, GitError> {
        let base = branch.map_or(&pull.base_sha, |branch| &branch.sha);
        Ok(Self {
            repository_id: pull.repository_id,
            base: Sha::stored(base)?,
            head: Sha::stored(&pull.head_sha)?,
        })
    }
}

/// Whether a pull request would merge this commit.
pub async fn brings(
    connection: &Connection,
    branches: BranchHeads,
    commit: Sha,
) -> Result<bool, GitError> {
    let BranchHeads {
        repository_id,
        base,
        head,
    } = branches;
    if graph::find(connection, repository_id, commit)
        .await?
        .is_none()
    {
        return Ok(false);
    }
    let reached = ancestry::is_ancestor(connection, repository_id, commit, head).await?;
    Ok(reached && !ancestry::is_ancestor(connection, repository_id, commit, base).await?)
}

/// The branch that an open pull request is to be merged into.
pub async fn base_branch(
    connection: &Connection,
    pull: &pull::Model,
) -> Result<Option<git_ref::Model>, DbErr> {
    if pull.state != pull::PullState::Open {
        return Ok(None);
    }
    let name = format!("refs/heads/{}", pull.base_ref);
    git_refs::rows::find(connection, pull.repository_id, &name).await
}

/// The tree of a commit.
pub async fn tree_of(
    connection: &Connection,
    repository_id: i64,
    commit: Sha,
) -> Result<Sha, GitError> {
    let node = graph::find(connection, repository_id, commit).await?;
    let node = node.ok_or(GitError::Missing(commit))?;
    Ok(Sha::stored(&node.tree_sha)?)
}

async fn blob_at(
    connection: &Connection,
    repository_id: i64,
    tree: Sha,
    path: &str,
) -> Result<Option<Sha>, GitError> {
    let entry = entry_at(connection, repository_id, tree, path).await?;
    Ok(entry
        .filter(|entry| entry.mode.is_regular())
        .map(|entry| entry.sha))
}

/// A regular file with this content, for comparing contents only.
pub(super) fn content(sha: Sha) -> diff::File {
    diff::File {
        path: Vec::new(),
        mode: Mode::File,
        sha,
    }
}
