//! Changes issues: each change is one transaction, with its events.

use sea_orm::EntityTrait;

use crate::access::RepositoryGrant;
use crate::assignees;
use crate::events::IssueAction;
use crate::events::Origin;
use crate::issues::Issues;
use crate::issues::events::{IssueTransition, queue_issue_events};
use crate::issues::rows;
use crate::issues::rules::{IssueUpdate, revise};
use crate::labels;
use crate::pulls::{branches, changes, save};
use contract::call::Call;
use contract::problem::Problem;
use contract::reply::Outcome;
use storage::database::{Connection, Transaction};
use storage::entities::{issue, pull};

impl Issues {
    pub(super) async fn update(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        issue: &issue::Model,
        revision: IssueUpdate,
    ) -> Outcome<issue::Model> {
        let origin = self.app.origin(call, grant);
        let (transaction, before, actions) = match issue.pull_id {
            Some(pull) => self.update_pull(&origin, grant, pull, &revision).await?,
            None => self.update_itself(&origin, issue, &revision).await?,
        };
        let mut transition = IssueTransition {
            actions,
            ..IssueTransition::default()
        };
        if let Some(names) = revision.labels {
            let (grant, now) = (Some(grant), origin.now);
            let change = labels::rows::label_issue(&transaction, grant, &before, names, true, now);
            transition.labels = change.await?;
        }
        if let Some(logins) = revision.assignees {
            let users = assignees::rows::require_assignable(&transaction, grant, &logins).await?;
            transition.assignees =
                assignees::rows::assign(&transaction, &before, users, true).await?;
        }
        if !transition.labels.is_empty() || !transition.assignees.is_empty() {
            rows::touch(&transaction, &before, origin.now).await?;
        }
        let row = current(&transaction, before.id).await?;
        queue_issue_events(&transaction, &origin, &row, transition).await?;
        transaction.commit().await?;
        Ok(row)
    }

    /// Changes the issue itself.
    async fn update_itself(
        &self,
        origin: &Origin<'_>,
        issue: &issue::Model,
        revision: &IssueUpdate,
    ) -> Outcome<(Transaction, issue::Model, Vec<IssueAction>)> {
        let transaction = self.app.db.begin().await?;
        let before = crate::issues::lock(&transaction, issue).await?;
        let mut row = before.clone();
        let actions = revise(&mut row, revision, origin.sender, origin.now);
        if row != before {
            row.updated_at = origin.now;
            rows::save(&transaction, &row).await?;
        }
        Ok((transaction, row, actions))
    }

    /// Changes the pull request itself, and queues its events.
    async fn update_pull(
        &self,
        origin: &Origin<'_>,
        grant: &RepositoryGrant,
        pull: i64,
        revision: &IssueUpdate,
    ) -> Outcome<(Transaction, issue::Model, Vec<IssueAction>)> {
        let transaction = self.app.db.begin().await?;
        let before = branches::lock(&transaction, grant, pull).await?;
        let body = revision.of_pull();
        let row = changes::change(&transaction, origin, grant, &before, &body).await?;
        let issue = rows::issue(&transaction, row.repository_id, row.number).await?;
        let mut issue = issue.ok_or(Problem::NotFound)?;
        let closed = before.state == pull::PullState::Open && row.state == pull::PullState::Closed;
        if closed && issue.closed_by_id != origin.sender {
            issue.closed_by_id = origin.sender;
            rows::save(&transaction, &issue).await?;
        }
        Ok((transaction, issue, Vec::new()))
    }

    /// Locks a conversation, perhaps with a reason, or unlocks it.
    pub(super) async fn lock(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        issue: &issue::Model,
        lock: Option<Option<issue::LockReason>>,
    ) -> Outcome<()> {
        let transaction = self.app.db.begin().await?;
        let before = crate::issues::lock(&transaction, issue).await?;
        let origin = self.app.origin(call, grant);
        let mut row = before.clone();
        (row.locked, row.lock_reason) = (lock.is_some(), lock.flatten());
        if row == before {
            return Ok(());
        }
        row.updated_at = origin.now;
        if let Some(pull) = row.pull_id {
            let pull = pull::Entity::find_by_id(pull).one(&*transaction).await?;
            let mut pull = pull.ok_or(Problem::NotFound)?;
            (pull.locked, pull.updated_at) = (row.locked, origin.now);
            save(&transaction, &pull).await?;
        }
        rows::save(&transaction, &row).await?;
        let transition = IssueTransition {
            locked: (before.locked != row.locked).then_some(row.locked),
            ..IssueTransition::default()
        };
        queue_issue_events(&transaction, &origin, &row, transition).await?;
        Ok(transaction.commit().await?)
    }
}

/// The current row of an issue, in a transaction that changes it.
async fn current(transaction: &Connection, id: i64) -> Outcome<issue::Model> {
    let row = issue::Entity::find_by_id(id).one(transaction).await?;
    row.ok_or_else(|| Problem::internal("an issue that is locked is gone"))
}
