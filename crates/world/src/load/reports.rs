//! Statuses and check runs, by the rules of the API. Sends no notifications. Each is matched by
//! all its keys in the file, so one that has changed since is reported again.

use std::collections::BTreeSet;

use sea_orm::DbErr;

use super::LoadError;
use super::write::{ItemOutcome, Load};
use crate::file::{CheckRun, Repository, Status, World};
use crate::findings::{Finding, quoted};
use crate::scalar::DateTime;
use crate::yaml::At;
use forge::checks::draft::CheckRunDraft;
use forge::repositories::rows::lock;
use forge::{checks, statuses};
use git::{Sha, graph};
use storage::entities::{check_run, commit_status, git_commit};

pub async fn write(load: &mut Load<'_>, world: &World) -> Result<(), LoadError> {
    for spec in &world.repositories {
        if !spec.statuses.is_empty() || !spec.check_runs.is_empty() {
            write_reports(load, spec).await?;
        }
    }
    Ok(())
}

async fn write_reports(load: &mut Load<'_>, spec: &Repository) -> Result<(), LoadError> {
    let repository = load.stored.repository_id(&spec.full_name.value)?;
    lock(load.db, repository).await?;
    let mut matched = BTreeSet::new();
    for status in &spec.statuses {
        let written = write_status(load, repository, status, &matched).await;
        matched.extend(load.collect(written)?);
    }
    let mut matched = BTreeSet::new();
    for run in &spec.check_runs {
        let written = write_run(load, repository, run, &matched).await;
        matched.extend(load.collect(written)?);
    }
    Ok(())
}

async fn write_status(
    load: &mut Load<'_>,
    repository: i64,
    spec: &Status,
    matched: &BTreeSet<i64>,
) -> Result<i64, LoadError> {
    let commit = commit(load, repository, &spec.sha).await?;
    let new = spec.request.status();
    let new = new.map_err(|problem| load.body_rejection(&spec.request, problem))?;
    let creator = load.stored.account_id(&spec.creator.value)?;
    let existing = statuses::rows::in_context(commit.id, &new.context_key);
    let existing = existing.all(load.db).await?;
    let created_at = spec.created_at.map(DateTime::seconds);
    let desired = new.row(commit.id, Some(creator), created_at.unwrap_or(load.now));
    let is_match = |row: &&commit_status::Model| {
        let desired = commit_status::Model {
            id: row.id,
            latest: row.latest,
            created_at: created_at.unwrap_or(row.created_at),
            ..desired.clone()
        };
        !matched.contains(&row.id) && **row == desired
    };
    if let Some(row) = existing.iter().find(is_match) {
        load.count(ItemOutcome::Unchanged);
        return Ok(row.id);
    }
    let few_enough = statuses::rules::few_enough(existing.len() as u64);
    few_enough.map_err(|problem| load.body_rejection(&spec.request, problem))?;
    let name = format!("{} of {}", desired.context, commit.sha);
    let row = statuses::rows::insert(load.db, desired).await?;
    load.count(ItemOutcome::Added);
    load.report_id("status", name, row.id);
    Ok(row.id)
}

async fn write_run(
    load: &mut Load<'_>,
    repository: i64,
    spec: &CheckRun,
    matched: &BTreeSet<i64>,
) -> Result<i64, LoadError> {
    let commit = commit(load, repository, &spec.head_sha).await?;
    let app = load.stored.app_id(&spec.app.value)?;
    let draft = spec.request.check_run(&commit.sha, commit.id, load.now);
    let draft = draft.map_err(|problem| load.body_rejection(&spec.request, problem))?;
    if let Some(id) = find_run(load, app, spec, &draft, matched).await? {
        load.count(ItemOutcome::Unchanged);
        return Ok(id);
    }
    let suite = checks::creation::new_suite(load.db, &commit, app, load.now).await?;
    let (row, _) = checks::creation::insert(load.db, suite, draft).await?;
    load.count(ItemOutcome::Added);
    load.report_id(
        "check run",
        format!("{} of {}", row.name, commit.sha),
        row.id,
    );
    Ok(row.id)
}

/// A check run that equals the one in the file. Start and end times count only if the file has
/// them.
async fn find_run(
    load: &Load<'_>,
    app: i64,
    spec: &CheckRun,
    draft: &CheckRunDraft,
    matched: &BTreeSet<i64>,
) -> Result<Option<i64>, DbErr> {
    let desired = &draft.row;
    let Some(suite) = checks::rows::suite_of(load.db, desired.commit_id, app).await? else {
        return Ok(None);
    };
    let is_set = |key: &str| !spec.request.json[key].is_null();
    let is_match = |row: &check_run::Model| {
        let mut desired = check_run::Model {
            id: row.id,
            suite_id: row.suite_id,
            latest: row.latest,
            ..desired.clone()
        };
        if !is_set("started_at") {
            desired.started_at = row.started_at;
        }
        if !is_set("completed_at") && desired.completed_at.is_some() {
            desired.completed_at = row.completed_at;
        }
        !matched.contains(&row.id) && *row == desired
    };
    let with_name = checks::rows::with_name(suite.id, &desired.name);
    let rows = with_name.all(load.db).await?;
    Ok(rows.iter().find(|row| is_match(row)).map(|row| row.id))
}

/// The commit that the file names by its id there or by its SHA-1.
pub async fn commit(
    load: &Load<'_>,
    repository: i64,
    reference: &At<String>,
) -> Result<git_commit::Model, LoadError> {
    let by_hand = load.commits.get(&(repository, reference.value.clone()));
    let sha: Option<Sha> = by_hand.copied().or_else(|| reference.value.parse().ok());
    let commit = match sha {
        Some(sha) => graph::find(load.db, repository, sha).await?,
        None => None,
    };
    commit.ok_or_else(|| {
        let message = format!("no commit {}", quoted(&reference.value));
        let expected = "a commit of the repository";
        load.rejection(Finding::at(reference.location, message).expected(expected))
    })
}
