//! The views and events of a check run that is being written.

use super::showing::{AppsById, summary};
use crate::access::RepositoryGrant;
use crate::checks::view::CheckRelations;
use crate::checks::{Checks, rows};
use crate::events::Origin;
use crate::events::{Audience, CheckRunAction, Event, EventName};
use crate::git_objects::view::GitObjectView;
use contract::call::Call;
use contract::checks::{CheckRun, CheckStatus, CheckSuite};
use contract::reply::Outcome;
use storage::database::Transaction;
use storage::entities::{check_run, check_suite, git_commit};

/// The transition of a check run.
#[derive(Debug, Clone, Copy)]
pub(super) struct CheckRunTransition {
    pub created: bool,
    pub completed: bool,
}

/// The data for views of a check run.
pub(super) struct CheckRunContext {
    view: GitObjectView,
    relations: CheckRelations,
    apps: AppsById,
    pub suite: check_suite::Model,
}

impl CheckRunContext {
    pub async fn of(
        area: &Checks,
        call: &Call,
        grant: &RepositoryGrant,
        commit: &git_commit::Model,
        suite: &check_suite::Model,
    ) -> Outcome<Self> {
        Ok(Self {
            view: GitObjectView::new(call, grant),
            relations: area.relations(call, grant, commit).await?,
            apps: area.apps(call, std::slice::from_ref(suite)).await?,
            suite: suite.clone(),
        })
    }

    pub fn run(&self, row: &check_run::Model) -> CheckRun {
        let app = self.apps.get(&self.suite.app_id);
        self.view.check_run(row, app, &self.relations)
    }

    async fn suite(&self, transaction: &Transaction) -> Outcome<CheckSuite> {
        let counted = rows::counted(transaction, &[self.suite.id]).await?;
        let summary = summary(&counted, self.suite.id);
        let app = self.apps.get(&self.suite.app_id);
        Ok(self
            .view
            .check_suite(&self.suite, summary, app, &self.relations))
    }

    /// Queues the events of a change that was just written.
    pub async fn queue_events(
        &self,
        transaction: &Transaction,
        origin: &Origin<'_>,
        row: &check_run::Model,
        change: CheckRunTransition,
    ) -> Outcome<()> {
        let is_subscribed = |audience: &Audience| {
            audience.has_subscriber(EventName::CheckRun)
                || audience.has_subscriber(EventName::CheckSuite)
        };
        if !origin.audience.as_deref().is_none_or(is_subscribed) {
            return Ok(());
        }
        let (run, suite) = (self.run(row), self.suite(transaction).await?);
        let (run, suite) = (&run, &suite);
        let of_run = |action| Event::CheckRun { action, run, suite };
        let mut events = Vec::new();
        if change.created {
            events.push(of_run(CheckRunAction::Created));
        }
        if change.completed {
            events.push(of_run(CheckRunAction::Completed));
            if suite.status.0 == Some(CheckStatus::Completed) {
                events.push(Event::CheckSuite(suite));
            }
        }
        crate::events::queue_all(transaction, origin, &events).await
    }
}
