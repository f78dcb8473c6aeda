//! Views of check runs and suites, with the related data.

use std::collections::{BTreeSet, HashMap};

use migration::aggregates::Kind;

use crate::access::RepositoryGrant;
use crate::accounts::rows::accounts;
use crate::apps::view::integration;
use crate::checks::suites::SuiteSummary;
use crate::checks::view::{CheckRelations, simple_commit};
use crate::checks::{Checks, rows};
use crate::git_objects::view::GitObjectView;
use crate::repositories::view::minimal;
use crate::views::page::{page as page_of, reply};
use contract::apps::Integration;
use contract::call::Call;
use contract::checks::{CheckAnnotation, CheckRun, CheckRunList, CheckSuite};
use contract::json;
use contract::paging::Page;
use contract::problem::Problem;
use contract::reply::{Outcome, Reply};
use git::Sha;
use git::store::load_commit;
use storage::database::rows_with;
use storage::entities::{app, check_annotation, check_run, check_suite, git_commit};

/// Apps by id.
pub(super) type AppsById = HashMap<i64, Integration>;

impl Checks {
    pub(super) async fn show_runs(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        commit: &git_commit::Model,
        rows: &[check_run::Model],
    ) -> Outcome<Vec<CheckRun>> {
        let reads = self.app.db.reading(&[Kind::Checks.of(commit.id)]).await;
        let suites = rows.iter().map(|row| row.suite_id);
        let suites = rows_with(reads, check_suite::Column::Id, suites).await?;
        let apps = self.apps(call, &suites).await?;
        let apps: HashMap<i64, &Integration> = suites
            .iter()
            .filter_map(|suite| Some((suite.id, apps.get(&suite.app_id)?)))
            .collect();
        let relations = self.relations(call, grant, commit).await?;
        let view = GitObjectView::new(call, grant);
        let views = rows.iter().map(|row| {
            let app = apps.get(&row.suite_id).copied();
            view.check_run(row, app, &relations)
        });
        Ok(views.collect())
    }

    pub(super) async fn show_suites(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        commit: &git_commit::Model,
        rows: &[check_suite::Model],
    ) -> Outcome<Vec<CheckSuite>> {
        let reads = self.app.db.reading(&[Kind::Checks.of(commit.id)]).await;
        let ids: Vec<i64> = rows.iter().map(|row| row.id).collect();
        let counted = rows::counted(reads, &ids).await?;
        let apps = self.apps(call, rows).await?;
        let mut relations = self.relations(call, grant, commit).await?;
        let view = GitObjectView::new(call, grant);
        let mut remaining = json::LARGEST;
        let views = rows.iter().map(|row| {
            let summary = summary(&counted, row.id);
            match remaining.checked_sub(relations.head.message.len()) {
                Some(rest) => remaining = rest,
                None => json::OMITTED.clone_into(&mut relations.head.message),
            }
            view.check_suite(row, summary, apps.get(&row.app_id), &relations)
        });
        Ok(views.collect())
    }

    pub(super) async fn annotations(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        (run, commit): (&check_run::Model, &git_commit::Model),
        page: Page,
    ) -> Outcome<Reply<200, Vec<CheckAnnotation>>> {
        let reads = self.app.db.reading(&[Kind::Checks.of(commit.id)]).await;
        let rows = rows::annotations(reads, run.id, page).await?;
        let bytes = |row: &check_annotation::Model| {
            row.message.len() + row.raw_details.as_ref().map_or(0, String::len)
        };
        let bytes = rows.iter().map(bytes).sum();
        let (view, sha) = (GitObjectView::new(call, grant), commit.sha.clone());
        let views = move || {
            let views = rows.into_iter().map(|row| view.annotation(row, &sha));
            Ok(views.collect())
        };
        let total = u64::try_from(run.annotations).unwrap_or(0);
        Ok(page_of(bytes, views).await?.link(page.link(call, total)))
    }

    /// The views of the apps of suites.
    pub(super) async fn apps(
        &self,
        call: &Call,
        suites: &[check_suite::Model],
    ) -> Outcome<AppsById> {
        let ids: BTreeSet<i64> = suites.iter().map(|suite| suite.app_id).collect();
        let aggregates: Vec<_> = ids.iter().map(|id| Kind::App.of(*id)).collect();
        let reads = self.app.db.reading(&aggregates).await;
        let rows = rows_with(reads, app::Column::Id, ids).await?;
        let owners = rows.iter().map(|row| row.owner_id).collect();
        let owners = accounts(&self.app.db, owners).await?;
        let urls = crate::urls::Urls::of(call);
        let views = rows.iter().map(|row| {
            let owner = owners.get(&row.owner_id);
            let owner = owner.ok_or_else(|| Problem::internal("an app has no owner"))?;
            Ok((row.id, integration(&urls, row, owner)?))
        });
        views.collect()
    }

    /// The related data of the check runs of a commit.
    pub(super) async fn relations(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        commit: &git_commit::Model,
    ) -> Outcome<CheckRelations> {
        let (id, view) = (grant.repository.id, GitObjectView::new(call, grant));
        let reads = self.app.db.reading(&[Kind::RepositoryPulls.of(id)]).await;
        let pulls = rows::pulls(reads, id, &commit.sha).await?;
        let head = load_commit(reads, id, Sha::stored(&commit.sha)?).await?;
        let pulls = pulls.iter();
        Ok(CheckRelations {
            head: simple_commit(&commit.sha, &head),
            pulls: pulls
                .map(|pull| view.minimal_pull(&grant.repository.name, pull))
                .collect(),
            repository: minimal(&view.urls, &grant.repository, &grant.owner)?,
        })
    }
}

/// Summarizes the check runs of a suite.
pub(super) fn summary(counted: &[rows::Counted], suite: i64) -> SuiteSummary {
    let of_suite = counted.iter().filter(|counted| counted.0 == suite);
    let of_suite: Vec<_> = of_suite
        .map(|counted| (counted.1, counted.2, counted.3))
        .collect();
    SuiteSummary::of(&of_suite)
}

/// The response with a list.
pub(super) async fn reply_with_runs(
    list: CheckRunList,
    rows: &[check_run::Model],
) -> Outcome<Reply<200, CheckRunList>> {
    let bytes = |text: &Option<String>| text.as_ref().map_or(0, String::len);
    let long = rows
        .iter()
        .map(|row| bytes(&row.summary) + bytes(&row.text));
    reply(long.sum(), list).await
}
