//! Writes check runs. Each write is one transaction, with its events. The data for the view is
//! loaded before, because the transaction blocks other writers.

use super::events::{CheckRunContext, CheckRunTransition};
use crate::access::RepositoryGrant;
use crate::checks::draft::{CheckRunDraft, annotations};
use crate::checks::{Checks, creation, rows};
use crate::events::Origin;
use crate::repositories::rows::lock_repository;
use contract::call::Call;
use contract::checks::{CheckRun, CreateCheckRun, UpdateCheckRun};
use contract::problem::Problem;
use contract::reply::Outcome;
use storage::database::Transaction;
use storage::entities::check_run::{CheckRunStatus, Model};
use storage::entities::{check_suite, git_commit};

impl Checks {
    /// Creates a check run on a commit.
    pub(super) async fn create(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        (commit, app): (git_commit::Model, i64),
        body: CreateCheckRun,
    ) -> Outcome<CheckRun> {
        let origin = self.origin(call, grant).await?;
        let draft = CheckRunDraft::new(body, commit.id, origin.now)?;
        let reads = self.app.db.reads();
        let suite = creation::new_suite(reads, &commit, app, origin.now).await?;
        let mut context = CheckRunContext::of(self, call, grant, &commit, &suite).await?;
        let transaction = self.app.db.begin().await?;
        lock_repository(&transaction, grant).await?;
        let (row, suite) = creation::insert(&transaction, suite, draft).await?;
        context.suite = suite;
        let change = CheckRunTransition {
            created: true,
            completed: row.status == CheckRunStatus::Completed,
        };
        context
            .queue_events(&transaction, &origin, &row, change)
            .await?;
        transaction.commit().await?;
        Ok(context.run(&row))
    }

    /// Changes a check run of the calling app.
    pub(super) async fn update(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        (commit, suite, run): (git_commit::Model, check_suite::Model, i64),
        body: UpdateCheckRun,
    ) -> Outcome<CheckRun> {
        let origin = self.origin(call, grant).await?;
        let mut context = CheckRunContext::of(self, call, grant, &commit, &suite).await?;
        let transaction = self.app.db.begin().await?;
        lock_repository(&transaction, grant).await?;
        let before = rows::run(&transaction, run).await?;
        let before = before.ok_or(Problem::NotFound)?;
        let draft = CheckRunDraft::change(before.clone(), body, origin.now)?;
        rows::update_run(&transaction, &draft.row, &before.name).await?;
        let row = reload(&transaction, draft.row).await?;
        let rows = annotations(row.id, draft.annotations);
        rows::insert_annotations(&transaction, rows).await?;
        context.suite = rows::touch_suite(&transaction, suite, origin.now).await?;
        let change = CheckRunTransition {
            created: false,
            completed: row.status == CheckRunStatus::Completed
                && before.status != CheckRunStatus::Completed,
        };
        context
            .queue_events(&transaction, &origin, &row, change)
            .await?;
        transaction.commit().await?;
        Ok(context.run(&row))
    }

    /// The origin of a change, with its audience.
    async fn origin<'a>(&'a self, call: &Call, grant: &'a RepositoryGrant) -> Outcome<Origin<'a>> {
        let audience = self.app.audience(&grant.repository).await?;
        Ok(self.app.origin(call, grant).before(audience))
    }
}

/// Reads a row again: a new name may have changed its mark.
async fn reload(transaction: &Transaction, row: Model) -> Outcome<Model> {
    let row = rows::run(transaction, row.id).await?;
    row.ok_or(Problem::NotFound)
}
