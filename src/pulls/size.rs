//! How much a pull request changes, for those who ask for the pull request. It
//! is counted only so far: no request may take long. It follows from two commits, so
//! whoever has counted it need not count again.

use sea_orm::ConnectionTrait;

use super::comparison::{Branches, Comparison};
use crate::cache::Weigh;
use crate::git::diff;
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

impl Weigh for Size {
    fn heap_bytes(&self) -> usize {
        0
    }
}

impl Size {
    /// What lies between the place where the branches parted and the head. Fails if
    /// one of the commits is not stored.
    pub async fn of(
        connection: &impl ConnectionTrait,
        branches: Branches,
    ) -> Result<Self, GitError> {
        let Branches {
            repository_id: repository,
            base,
            head,
        } = branches;
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
            let (added, removed) = diff::count_lines(connection, repository, change).await?;
            size.additions += added;
            size.deletions += removed;
        }
        Ok(size)
    }
}
