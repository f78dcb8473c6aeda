//! The operations: identify, find, and delegate to the other files.

mod changing;
mod events;
mod showing;

use std::sync::Arc;

use async_trait::async_trait;
use migration::aggregates::{Aggregate, Kind};
use sea_orm::{DbErr, EntityTrait};

use super::rows::{CheckRunFilter, CheckRunScope};
use super::{Checks, rows, rules};
use crate::access::RepositoryGrant;
use crate::explain;
use crate::git_refs::revision;
use crate::views::page::reply;
use contract::body::Body;
use contract::call::Call;
use contract::caller::Caller;
use contract::checks::*;
use contract::paging::{OptionalParameter, Page};
use contract::problem::Problem;
use contract::reply::{Outcome, Reply};
use contract::shared::address::RepoAddress;
use git::graph;
use storage::database::Connection;
use storage::entities::{app, check_run, check_suite, git_commit};

#[async_trait]
impl Operations for Checks {
    async fn create_check_run(
        &self,
        call: Call,
        at: RepoAddress,
        body: Body<CreateCheckRun>,
    ) -> Outcome<Reply<201, CheckRun>> {
        let grant = self.app.access.repository(&call, &at).await?;
        grant.writable()?;
        let app = app_of(&call)?;
        let body = body.validated()?;
        let sha = body.head_sha.parse();
        let sha = sha.map_err(|_| rules::no_commit(&body.head_sha))?;
        let commit = graph::find(self.app.db.reads(), grant.repository.id, sha).await?;
        let commit = commit.ok_or_else(|| rules::no_commit(&body.head_sha))?;
        let run = self.create(&call, &grant, (commit, app), body).await?;
        let location = run.url.0.clone();
        Ok(Reply::new(run).location(location))
    }

    async fn get_check_run(
        &self,
        call: Call,
        at: RepoAddress,
        check_run_id: i64,
    ) -> Outcome<Reply<200, CheckRun>> {
        let grant = self.app.access.repository(&call, &at).await?;
        let (run, commit) = self.run(&grant, check_run_id).await?;
        let runs = self.show_runs(&call, &grant, &commit, &[run]).await?;
        let runs = runs.into_iter().next();
        Ok(Reply::new(runs.ok_or(Problem::NotFound)?))
    }

    async fn update_check_run(
        &self,
        call: Call,
        at: RepoAddress,
        check_run_id: i64,
        body: Body<UpdateCheckRun>,
    ) -> Outcome<Reply<200, CheckRun>> {
        let grant = self.app.access.repository(&call, &at).await?;
        let (run, commit) = self.run(&grant, check_run_id).await?;
        let app = app_of(&call)?;
        grant.writable()?;
        let suite = rows::suite(self.app.db.reads(), run.suite_id).await?;
        let suite = suite.ok_or(Problem::NotFound)?;
        self.may_change(&call, &suite, app).await?;
        let body = body.validated()?;
        let updated = self.update(&call, &grant, (commit, suite, run.id), body);
        Ok(Reply::new(updated.await?))
    }

    async fn list_check_run_annotations(
        &self,
        call: Call,
        at: RepoAddress,
        check_run_id: i64,
        page: Page,
    ) -> Outcome<Reply<200, Vec<CheckAnnotation>>> {
        let grant = self.app.access.repository(&call, &at).await?;
        let (run, commit) = self.run(&grant, check_run_id).await?;
        self.annotations(&call, &grant, (&run, &commit), page).await
    }

    async fn list_check_runs_for_ref(
        &self,
        call: Call,
        at: RepoAddress,
        name: String,
        app_id: OptionalParameter<i64>,
        list: CheckRunQuery,
    ) -> Outcome<Reply<200, CheckRunList>> {
        let grant = self.app.access.repository(&call, &at).await?;
        let commit = self.find_commit(&grant, &name).await?;
        let reads = self.app.db.reading(&[Kind::Checks.of(commit.id)]).await;
        let scope = match app_id.0 {
            None => CheckRunScope::Commit(commit.id),
            // Without a suite there are no runs.
            Some(app) => {
                let suite = rows::suite_of(reads, commit.id, app).await?;
                CheckRunScope::Suite(suite.map_or(0, |suite| suite.id))
            }
        };
        self.list_runs(&call, &grant, &commit, (scope, &list)).await
    }

    async fn list_check_suites_for_ref(
        &self,
        call: Call,
        at: RepoAddress,
        name: String,
        app_id: OptionalParameter<i64>,
        check_name: OptionalParameter<String>,
        page: Page,
    ) -> Outcome<Reply<200, CheckSuiteList>> {
        let grant = self.app.access.repository(&call, &at).await?;
        let commit = self.find_commit(&grant, &name).await?;
        let reads = self.app.db.reading(&[Kind::Checks.of(commit.id)]).await;
        let filter = (app_id.0, check_name.0.as_deref());
        let (rows, total) = rows::suites(reads, commit.id, filter, page).await?;
        let list = CheckSuiteList {
            total_count: i64::try_from(total).unwrap_or(i64::MAX),
            check_suites: self.show_suites(&call, &grant, &commit, &rows).await?,
        };
        let messages = list.check_suites.iter();
        let bytes = messages.map(|suite| suite.head_commit.message.len()).sum();
        Ok(reply(bytes, list).await?.link(page.link(&call, total)))
    }

    async fn get_check_suite(
        &self,
        call: Call,
        at: RepoAddress,
        check_suite_id: i64,
    ) -> Outcome<Reply<200, CheckSuite>> {
        let grant = self.app.access.repository(&call, &at).await?;
        let (suite, commit) = self.suite(&grant, check_suite_id).await?;
        let suites = self.show_suites(&call, &grant, &commit, &[suite]).await?;
        let suite = suites.into_iter().next().ok_or(Problem::NotFound)?;
        reply(suite.head_commit.message.len(), suite).await
    }

    async fn list_check_runs_for_suite(
        &self,
        call: Call,
        at: RepoAddress,
        check_suite_id: i64,
        list: CheckRunQuery,
    ) -> Outcome<Reply<200, CheckRunList>> {
        let grant = self.app.access.repository(&call, &at).await?;
        let (suite, commit) = self.suite(&grant, check_suite_id).await?;
        let scope = CheckRunScope::Suite(suite.id);
        self.list_runs(&call, &grant, &commit, (scope, &list)).await
    }
}

impl Checks {
    /// The commit that a request names.
    async fn find_commit(&self, grant: &RepositoryGrant, name: &str) -> Outcome<git_commit::Model> {
        let id = grant.repository.id;
        let reads = self.app.db.reading(&[Kind::Refs.of(id)]).await;
        let sha = revision::commit(reads, grant, name).await?;
        let sha = sha.ok_or_else(|| rules::no_commit(name))?;
        let commit = graph::find(reads, id, sha).await?;
        commit.ok_or_else(|| rules::no_commit(name))
    }

    async fn run(&self, grant: &RepositoryGrant, id: i64) -> Outcome<OfCommit<check_run::Model>> {
        let repository = grant.repository.id;
        self.of_commit(|reads| async move {
            let run = rows::run(&reads, id).await?;
            rows::with_commit(&reads, repository, run, |run| run.commit_id).await
        })
        .await
    }

    async fn suite(
        &self,
        grant: &RepositoryGrant,
        id: i64,
    ) -> Outcome<OfCommit<check_suite::Model>> {
        let repository = grant.repository.id;
        self.of_commit(|reads| async move {
            let suite = rows::suite(&reads, id).await?;
            rows::with_commit(&reads, repository, suite, |suite| suite.commit_id).await
        })
        .await
    }

    async fn of_commit<T, Lookup>(
        &self,
        find: impl Fn(Arc<Connection>) -> Lookup,
    ) -> Outcome<OfCommit<T>>
    where
        Lookup: Future<Output = Result<Option<OfCommit<T>>, DbErr>>,
    {
        let aggregates = |(_, commit): &OfCommit<T>| checks(commit);
        let row = self.app.db.resolve(find, aggregates).await?;
        row.ok_or(Problem::NotFound)
    }

    /// An app changes its own check runs only.
    async fn may_change(&self, call: &Call, suite: &check_suite::Model, app: i64) -> Outcome<()> {
        if suite.app_id == app {
            return Ok(());
        }
        if explain::is_recording() {
            let owner = app::Entity::find_by_id(suite.app_id);
            let owner = owner.one(self.app.db.reads()).await?;
            let owner = owner.map(|owner| owner.slug).unwrap_or_default();
            let caller = call.caller.name();
            explain::note(|| explain::of_another_app("the check run", &owner, caller));
        }
        Err(rules::of_another_app(app))
    }

    async fn list_runs(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        commit: &git_commit::Model,
        (scope, list): (CheckRunScope, &CheckRunQuery),
    ) -> Outcome<Reply<200, CheckRunList>> {
        let reads = self.app.db.reading(&checks(commit)).await;
        let filter = CheckRunFilter {
            name: list.name.as_deref(),
            status: list.status.map(rules::status),
            latest: list.filter == CheckFilter::Latest,
            page: list.page,
        };
        let (rows, total) = rows::runs(reads, scope, filter).await?;
        let runs = CheckRunList {
            total_count: i64::try_from(total).unwrap_or(i64::MAX),
            check_runs: self.show_runs(call, grant, commit, &rows).await?,
        };
        let link = list.page.link(call, total);
        Ok(showing::reply_with_runs(runs, &rows).await?.link(link))
    }
}

/// A check run or suite, with its commit.
type OfCommit<T> = (T, git_commit::Model);

/// The aggregates of the check runs of a commit.
fn checks(commit: &git_commit::Model) -> Vec<Aggregate> {
    vec![Kind::Checks.of(commit.id)]
}

/// The calling app.
fn app_of(call: &Call) -> Outcome<i64> {
    match &*call.caller {
        Caller::Installation { app, .. } => Ok(*app),
        _ => Err(rules::only_apps()),
    }
}
