//! Statuses of commits.
//!
//! - A status is a report on a commit in a context, and never changes. The newest of each context
//!   counts; it is marked when it is written, and the previous one is unmarked.
//! - Writers lock the repository, so that two concurrent statuses do not both count.
//!
//! World files create statuses too: they share `rules::NewStatus` and `rows::insert` with the
//! operations.

/// Fields of statuses and check runs.
pub mod fields;
mod operations;
pub mod rows;
pub mod rules;
mod view;

use std::sync::Arc;

use contract::reply::Outcome;
use git::{Sha, graph};
use migration::aggregates::Kind;
use sea_orm::sea_query::{Condition, Expr};
use sea_orm::{ColumnTrait, DbErr, EntityTrait, QueryFilter, QuerySelect};
use storage::database::{Connection, Database};
use storage::entities::check_run::{self, Conclusion};
use storage::entities::commit_status::{self, Column, CommitStatusState, Entity};

use crate::app::App;

/// The operations, with the service they work on.
pub struct Statuses {
    app: Arc<App>,
}

impl Statuses {
    pub fn new(app: Arc<App>) -> Self {
        Self { app }
    }
}

/// The number of statuses of a commit by state; only the newest of each context.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    pub failed: u64,
    pub pending: u64,
    pub succeeded: u64,
}

/// The combined state of the statuses of a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatusRollup {
    Failure,
    Pending,
    Success,
}

impl Tally {
    /// Counts the statuses of a commit, which is a row of `git_commit`.
    pub async fn of(connection: &Connection, commit: i64) -> Result<Self, DbErr> {
        let counted: Vec<(CommitStatusState, i64)> = Entity::find()
            .select_only()
            .column(Column::State)
            .column_as(Column::Id.count(), "count")
            .filter(commit_status::COLUMN.commit_id.eq(commit))
            .filter(latest())
            .group_by(Column::State)
            .into_tuple()
            .all(connection)
            .await?;
        let mut tally = Self::default();
        for (state, count) in counted {
            tally.add(state, u64::try_from(count).unwrap_or(0));
        }
        Ok(tally)
    }

    fn add(&mut self, state: CommitStatusState, count: u64) {
        match state {
            CommitStatusState::Error | CommitStatusState::Failure => self.failed += count,
            CommitStatusState::Pending => self.pending += count,
            CommitStatusState::Success => self.succeeded += count,
        }
    }

    pub fn total(self) -> u64 {
        self.failed + self.pending + self.succeeded
    }

    pub fn verdict(self) -> StatusRollup {
        match self {
            Self { failed: 1.., .. } => StatusRollup::Failure,
            Self { pending: 1.., .. } | Self { succeeded: 0, .. } => StatusRollup::Pending,
            _ => StatusRollup::Success,
        }
    }
}

/// The newest of each context. The partial index only serves queries with this exact expression.
pub fn latest() -> Expr {
    Expr::cust("latest")
}

/// Whether a commit has statuses or checks that are not all successful. False if the commit is not
/// stored.
pub async fn is_unstable(db: &Database, repository_id: i64, sha: &str) -> Outcome<bool> {
    let sha = Sha::stored(sha)?;
    let Some(commit) = graph::find(db.reads(), repository_id, sha).await? else {
        return Ok(false);
    };
    let aggregates = [Kind::Statuses.of(commit.id), Kind::Checks.of(commit.id)];
    let reads = db.reading(&aggregates).await;
    let tally = Tally::of(reads, commit.id).await?;
    let has_unsuccessful_status = tally.total() > 0 && tally.verdict() != StatusRollup::Success;
    Ok(has_unsuccessful_status || has_unsuccessful_check(reads, commit.id).await?)
}

/// Whether a check run of a commit is incomplete or failed.
async fn has_unsuccessful_check(connection: &Connection, commit: i64) -> Result<bool, DbErr> {
    let successful = [
        Conclusion::Success,
        Conclusion::Neutral,
        Conclusion::Skipped,
    ];
    let unsuccessful = Condition::any()
        .add(check_run::Column::Conclusion.is_null())
        .add(check_run::Column::Conclusion.is_not_in(successful));
    let run_id: Option<i64> = check_run::Entity::find()
        .select_only()
        .column(check_run::Column::Id)
        .filter(check_run::COLUMN.commit_id.eq(commit))
        .filter(latest())
        .filter(unsuccessful)
        .into_tuple()
        .one(connection)
        .await?;
    Ok(run_id.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(states: &[CommitStatusState]) -> StatusRollup {
        let mut tally = Tally::default();
        for state in states {
            tally.add(*state, 1);
        }
        assert_eq!(tally.total(), states.len() as u64);
        tally.verdict()
    }

    #[test]
    fn one_failure_fails_all_and_nothing_is_not_success() {
        use CommitStatusState::{Error, Failure, Pending, Success};
        assert_eq!(verdict(&[Success, Pending, Error]), StatusRollup::Failure);
        assert_eq!(verdict(&[Success, Failure]), StatusRollup::Failure);
        assert_eq!(verdict(&[Success, Pending]), StatusRollup::Pending);
        assert_eq!(verdict(&[]), StatusRollup::Pending);
        assert_eq!(verdict(&[Success, Success]), StatusRollup::Success);
    }
}
