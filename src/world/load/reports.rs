//! Statuses and check runs, by the rules of the API. Nobody is notified. Each is found again by
//! all that the file says of it, so one that has changed since is reported anew.

use std::collections::BTreeSet;

use sea_orm::DbErr;

use super::LoadError;
use super::write::{ItemOutcome, Load};
use crate::areas::checks::draft::CheckRunDraft;
use crate::areas::{checks, statuses};
use crate::entities::{check_run, commit_status, git_commit};
use crate::git::{Sha, graph};
use crate::refs::store::lock;
use crate::world::file::{CheckRun, Repository, Status, World};
use crate::world::findings::{Finding, quoted};
use crate::world::scalar::DateTime;
use crate::world::yaml::At;

pub async fn write(load: &mut Load<'_>, world: &World) -> Result<(), LoadError> {
    for said in &world.repositories {
        if !said.statuses.is_empty() || !said.check_runs.is_empty() {
            write_reports(load, said).await?;
        }
    }
    Ok(())
}

async fn write_reports(load: &mut Load<'_>, said: &Repository) -> Result<(), LoadError> {
    let repository = load.stored.repository_id(&said.full_name.value)?;
    lock(load.db, repository).await?;
    let mut seen = BTreeSet::new();
    for status in &said.statuses {
        seen.insert(write_status(load, repository, status, &seen).await?);
    }
    let mut seen = BTreeSet::new();
    for run in &said.check_runs {
        seen.insert(write_run(load, repository, run, &seen).await?);
    }
    Ok(())
}

async fn write_status(
    load: &mut Load<'_>,
    repository: i64,
    said: &Status,
    seen: &BTreeSet<i64>,
) -> Result<i64, LoadError> {
    let commit = commit(load, repository, &said.sha).await?;
    let new = said.request.status();
    let new = new.map_err(|problem| load.refused_body(&said.request, problem))?;
    let creator = load.stored.account_id(&said.creator.value)?;
    let there = statuses::store::in_context(commit.id, &new.context_key);
    let there = there.all(load.db).await?;
    let created_at = said.created_at.map(DateTime::seconds);
    let wanted = new.row(commit.id, Some(creator), created_at.unwrap_or(load.now));
    let same = |row: &&commit_status::Model| {
        let wanted = commit_status::Model {
            id: row.id,
            latest: row.latest,
            created_at: created_at.unwrap_or(row.created_at),
            ..wanted.clone()
        };
        !seen.contains(&row.id) && **row == wanted
    };
    if let Some(row) = there.iter().find(same) {
        load.count(ItemOutcome::Unchanged);
        return Ok(row.id);
    }
    let few_enough = statuses::rules::few_enough(there.len() as u64);
    few_enough.map_err(|problem| load.refused_body(&said.request, problem))?;
    let name = format!("{} of {}", wanted.context, commit.sha);
    let row = statuses::store::insert(load.db, wanted).await?;
    load.added("commit_status", None);
    load.tell("status", name, row.id);
    Ok(row.id)
}

async fn write_run(
    load: &mut Load<'_>,
    repository: i64,
    said: &CheckRun,
    seen: &BTreeSet<i64>,
) -> Result<i64, LoadError> {
    let commit = commit(load, repository, &said.head_sha).await?;
    let app = load.stored.app_id(&said.app.value)?;
    let draft = said.request.check_run(&commit.sha, commit.id, load.now);
    let draft = draft.map_err(|problem| load.refused_body(&said.request, problem))?;
    if let Some(id) = find_run(load, app, said, &draft, seen).await? {
        load.count(ItemOutcome::Unchanged);
        return Ok(id);
    }
    let suite = checks::creation::new_suite(load.db, &commit, app, load.now).await?;
    let (row, _) = checks::creation::insert(load.db, suite, draft).await?;
    load.added("check_run", None);
    load.tell(
        "check run",
        format!("{} of {}", row.name, commit.sha),
        row.id,
    );
    Ok(row.id)
}

/// A check run that is as the file says. When it began and ended counts only where the file
/// says so.
async fn find_run(
    load: &Load<'_>,
    app: i64,
    said: &CheckRun,
    draft: &CheckRunDraft,
    seen: &BTreeSet<i64>,
) -> Result<Option<i64>, DbErr> {
    let wanted = &draft.row;
    let Some(suite) = checks::store::suite_of(load.db, wanted.commit_id, app).await? else {
        return Ok(None);
    };
    let is_said = |key: &str| !said.request.json[key].is_null();
    let same = |row: &check_run::Model| {
        let mut wanted = check_run::Model {
            id: row.id,
            suite_id: row.suite_id,
            latest: row.latest,
            ..wanted.clone()
        };
        if !is_said("started_at") {
            wanted.started_at = row.started_at;
        }
        if !is_said("completed_at") && wanted.completed_at.is_some() {
            wanted.completed_at = row.completed_at;
        }
        !seen.contains(&row.id) && *row == wanted
    };
    let named = checks::store::named(suite.id, &wanted.name);
    let rows = named.all(load.db).await?;
    Ok(rows.iter().find(|row| same(row)).map(|row| row.id))
}

/// The commit that the file names by its id there or by its SHA-1.
async fn commit(
    load: &Load<'_>,
    repository: i64,
    named: &At<String>,
) -> Result<git_commit::Model, LoadError> {
    let by_hand = load.commits.get(&(repository, named.value.clone()));
    let sha: Option<Sha> = by_hand.copied().or_else(|| named.value.parse().ok());
    let found = match sha {
        Some(sha) => graph::find(load.db, repository, sha).await?,
        None => None,
    };
    found.ok_or_else(|| {
        let wrong = format!("no commit {}", quoted(&named.value));
        let expected = "a commit of the repository";
        load.refused(Finding::at(named.location, wrong).expected(expected))
    })
}
