//! The size of a pull request: commits, files and lines. Counting is limited, so that no
//! request takes long. The result depends only on two commits, so it can be cached.

use super::comparison::{BranchHeads, Comparison};
use git::diff;
use git::{GitError, walk};
use storage::cache::Weigh;
use storage::database::Connection;

/// The most commits counted.
const MOST_COMMITS: usize = 10_000;

/// The most files whose lines are counted.
const MOST_FILES: usize = 300;

/// The size of a pull request.
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
    /// Counts from the merge base to the head. Fails if one of the commits is not stored.
    pub async fn of(connection: &Connection, branches: BranchHeads) -> Result<Self, GitError> {
        let BranchHeads {
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
