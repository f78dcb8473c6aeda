//! Reads pages from the database. A query gets all pages that it lacks together, one level
//! of the tables per round.

use std::collections::HashMap;

use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};

use super::{NotYet, TablePage};
use crate::GitError;
use storage::database::Connection;
use storage::entities::git_reach;

/// Pages per query.
const ROWS: usize = 100;

/// Pages that are cached from one chunk of commits to the next.
const KEPT: usize = 512;

/// A cache of pages.
#[derive(Default)]
pub(crate) struct Pages {
    read: HashMap<i64, TablePage>,
}

impl Pages {
    pub(super) fn get(&self, commit: i64) -> Option<&TablePage> {
        self.read.get(&commit)
    }

    /// Adds a new page.
    pub(crate) fn insert(&mut self, commit: i64, page: TablePage) {
        self.read.insert(commit, page);
    }

    /// Clears the cache when it has grown too large. New pages must be stored by then.
    pub(crate) fn clear_if_large(&mut self) {
        if self.read.len() > KEPT {
            self.read.clear();
        }
    }

    /// Repeats a query until no page is missing.
    pub(crate) async fn query<T>(
        &mut self,
        connection: &Connection,
        compute: impl Fn(&Self) -> Result<T, NotYet>,
    ) -> Result<T, GitError> {
        loop {
            let unread = match compute(self) {
                Ok(answer) => return Ok(answer),
                Err(NotYet::Damaged) => return Err(damaged("a table")),
                Err(NotYet::Unread(commits)) => Vec::from_iter(commits),
            };
            for chunk in unread.chunks(ROWS) {
                self.read_chunk(connection, chunk).await?;
            }
        }
    }

    async fn read_chunk(
        &mut self,
        connection: &Connection,
        commits: &[i64],
    ) -> Result<(), GitError> {
        let rows = git_reach::Entity::find()
            .filter(git_reach::Column::CommitId.is_in(commits.iter().copied()))
            .all(connection)
            .await?;
        if rows.len() != commits.len() {
            return Err(damaged("a page that is missing"));
        }
        for row in rows {
            let page = TablePage::decode(row.commit_id, &row.content);
            let page = page.ok_or_else(|| damaged(&row.commit_id.to_string()))?;
            self.read.insert(row.commit_id, page);
        }
        Ok(())
    }
}

fn damaged(detail: &str) -> GitError {
    GitError::Damaged(format!("git_reach: {detail}"))
}
