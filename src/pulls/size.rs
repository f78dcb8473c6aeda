//! How much a pull request changes, for those who ask for the pull request. It
//! is counted anew each time, and only so far: no request may take long.

use sea_orm::ConnectionTrait;

use super::comparison::{Branches, Comparison};
use crate::entities::pull;
use crate::git::diff::{self, Hunk, LineKind};
use crate::git::{GitError, walk};

/// Commits that are looked at; beyond them no more are counted.
const MOST_COMMITS: usize = 10_000;

/// Files whose lines are counted.
const MOST_FILES: usize = 300;

/// How much a pull request changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Size {
    pub commits: usize,
    pub additions: usize,
    pub deletions: usize,
    pub changed_files: usize,
}

impl Size {
    /// What lies between the place where the branches parted and the head. Of
    /// commits that are not stored nothing can be counted.
    pub async fn of(
        connection: &impl ConnectionTrait,
        pull: &pull::Model,
    ) -> Result<Self, GitError> {
        match Self::counted(connection, pull).await {
            Err(GitError::Missing(_)) => Ok(Self::default()),
            other => other,
        }
    }

    async fn counted(
        connection: &impl ConnectionTrait,
        pull: &pull::Model,
    ) -> Result<Self, GitError> {
        let repository = pull.repository_id;
        let branches = Branches::of(connection, pull).await?;
        let Branches { base, head, .. } = branches;
        let gained = walk::new_commits(connection, repository, &[base], head, MOST_COMMITS).await?;
        let comparison = Comparison::of(connection, branches, head).await?;
        let mut size = Self {
            commits: gained.commits.len(),
            changed_files: diff::MOST_CHANGES,
            ..Self::default()
        };
        let Some(changes) = comparison.changes(connection).await? else {
            return Ok(size);
        };
        size.changed_files = changes.len();
        for change in changes.iter().take(MOST_FILES) {
            let file = diff::file_diff(connection, repository, change).await?;
            size.additions += count(&file.hunks, LineKind::Added);
            size.deletions += count(&file.hunks, LineKind::Removed);
        }
        Ok(size)
    }
}

fn count(hunks: &[Hunk], kind: LineKind) -> usize {
    let lines = hunks.iter().flat_map(|hunk| &hunk.lines);
    lines.filter(|line| line.kind == kind).count()
}
