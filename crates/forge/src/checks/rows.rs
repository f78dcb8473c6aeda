//! Rows of check runs, suites and annotations. A commit is a row of `git_commit`.

mod writing;

pub use super::rows::writing::{
    insert_annotations, insert_run, insert_suite, touch_suite, update_run, with_name,
};
use sea_orm::{
    ColumnTrait, DbErr, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder, QuerySelect,
    QueryTrait, Select,
};

use crate::statuses::latest;
use contract::paging::Page;
use git::refs::NameRange;
use storage::database::Connection;
use storage::entities::check_run::{CheckRunStatus, Column, Conclusion, Entity, Model};
use storage::entities::{check_annotation, check_run, check_suite, git_commit, git_ref, pull};

/// Pull requests that are shown with a check run.
const MOST_PULLS: u64 = 100;

/// The filter of a list of check runs.
#[derive(Debug, Clone, Copy)]
pub struct CheckRunFilter<'a> {
    pub name: Option<&'a str>,
    pub status: Option<CheckRunStatus>,
    /// Only the newest run of each name.
    pub latest: bool,
    pub page: Page,
}

/// The scope of a list of check runs.
#[derive(Debug, Clone, Copy)]
pub enum CheckRunScope {
    Commit(i64),
    Suite(i64),
}

/// The commit with this id, if it is in the repository.
pub async fn commit(
    connection: &Connection,
    repository: i64,
    id: i64,
) -> Result<Option<git_commit::Model>, DbErr> {
    git_commit::Entity::find_by_id(id)
        .filter(git_commit::COLUMN.repository_id.eq(repository))
        .one(connection)
        .await
}

/// A row with its commit; None unless the commit is in the repository.
pub async fn with_commit<T>(
    connection: &Connection,
    repository: i64,
    row: Option<T>,
    commit_id: impl Fn(&T) -> i64,
) -> Result<Option<(T, git_commit::Model)>, DbErr> {
    let Some(row) = row else {
        return Ok(None);
    };
    let commit = commit(connection, repository, commit_id(&row)).await?;
    Ok(commit.map(|commit| (row, commit)))
}

pub async fn run(connection: &Connection, id: i64) -> Result<Option<Model>, DbErr> {
    Entity::find_by_id(id).one(connection).await
}

pub async fn suite(connection: &Connection, id: i64) -> Result<Option<check_suite::Model>, DbErr> {
    check_suite::Entity::find_by_id(id).one(connection).await
}

/// The suite of an app on a commit.
pub async fn suite_of(
    connection: &Connection,
    commit: i64,
    app: i64,
) -> Result<Option<check_suite::Model>, DbErr> {
    check_suite::Entity::find()
        .filter(check_suite::COLUMN.commit_id.eq(commit))
        .filter(check_suite::COLUMN.app_id.eq(app))
        .one(connection)
        .await
}

/// A page of the suites of a commit, newest first, and how many there are. `name` is that
/// of a check run.
pub async fn suites(
    connection: &Connection,
    commit: i64,
    (app, name): (Option<i64>, Option<&str>),
    page: Page,
) -> Result<(Vec<check_suite::Model>, u64), DbErr> {
    let mut all = check_suite::Entity::find().filter(check_suite::COLUMN.commit_id.eq(commit));
    if let Some(app) = app {
        all = all.filter(check_suite::COLUMN.app_id.eq(app));
    }
    if let Some(name) = name {
        let with_name = Entity::find()
            .select_only()
            .column(Column::SuiteId)
            .filter(check_run::COLUMN.commit_id.eq(commit))
            .filter(check_run::COLUMN.name.eq(name))
            .into_query();
        all = all.filter(check_suite::Column::Id.in_subquery(with_name));
    }
    let total = all.clone().count(connection).await?;
    let rows = all
        .order_by_desc(check_suite::Column::Id)
        .offset(page.skipped().min(total))
        .limit(page.per_page)
        .all(connection)
        .await?;
    Ok((rows, total))
}

/// A page of check runs, newest first, and how many there are.
pub async fn runs(
    connection: &Connection,
    scope: CheckRunScope,
    filter: CheckRunFilter<'_>,
) -> Result<(Vec<Model>, u64), DbErr> {
    let all = listed(scope, filter);
    let total = all.clone().count(connection).await?;
    let rows = all
        .order_by_desc(Column::Id)
        .offset(filter.page.skipped().min(total))
        .limit(filter.page.per_page)
        .all(connection)
        .await?;
    Ok((rows, total))
}

fn listed(scope: CheckRunScope, filter: CheckRunFilter<'_>) -> Select<Entity> {
    let mut query = match scope {
        CheckRunScope::Commit(commit) => {
            Entity::find().filter(check_run::COLUMN.commit_id.eq(commit))
        }
        CheckRunScope::Suite(suite) => Entity::find().filter(check_run::COLUMN.suite_id.eq(suite)),
    };
    if filter.latest {
        query = query.filter(latest());
    }
    if let Some(name) = filter.name {
        query = query.filter(check_run::COLUMN.name.eq(name));
    }
    if let Some(status) = filter.status {
        query = query.filter(check_run::COLUMN.status.eq(status));
    }
    query
}

/// How many check runs of suites count, by suite, status and conclusion.
pub type Counted = (i64, CheckRunStatus, Option<Conclusion>, i64);

/// Counts the check runs of suites.
pub async fn counted(connection: &Connection, suites: &[i64]) -> Result<Vec<Counted>, DbErr> {
    Entity::find()
        .select_only()
        .columns([Column::SuiteId, Column::Status, Column::Conclusion])
        .column_as(Column::Id.count(), "count")
        .filter(Column::SuiteId.is_in(suites.iter().copied()))
        .filter(latest())
        .group_by(Column::SuiteId)
        .group_by(Column::Status)
        .group_by(Column::Conclusion)
        .into_tuple()
        .all(connection)
        .await
}

/// A page of the annotations of a check run.
pub async fn annotations(
    connection: &Connection,
    run: i64,
    page: Page,
) -> Result<Vec<check_annotation::Model>, DbErr> {
    check_annotation::Entity::find()
        .filter(check_annotation::COLUMN.run_id.eq(run))
        .order_by_asc(check_annotation::Column::Id)
        .offset(page.skipped().min(i64::MAX as u64))
        .limit(page.per_page)
        .all(connection)
        .await
}

/// Open pull requests with this head.
pub async fn pulls(
    connection: &Connection,
    repository: i64,
    sha: &str,
) -> Result<Vec<pull::Model>, DbErr> {
    pull::Entity::find()
        .filter(pull::COLUMN.repository_id.eq(repository))
        .filter(pull::COLUMN.head_sha.eq(sha))
        .filter(pull::COLUMN.state.eq(pull::PullState::Open))
        .order_by_asc(pull::Column::Id)
        .limit(MOST_PULLS)
        .all(connection)
        .await
}

/// The first branch at this commit.
pub async fn branch_at(
    connection: &Connection,
    repository: i64,
    sha: &str,
) -> Result<Option<String>, DbErr> {
    let branches = NameRange::branches();
    git_ref::Entity::find()
        .select_only()
        .column(git_ref::Column::Name)
        .filter(git_ref::COLUMN.repository_id.eq(repository))
        .filter(git_ref::COLUMN.sha.eq(sha))
        .filter(git_ref::COLUMN.name.gte(branches.from))
        .filter(git_ref::COLUMN.name.lt(branches.until))
        .order_by_asc(git_ref::Column::Name)
        .into_tuple()
        .one(connection)
        .await
}
