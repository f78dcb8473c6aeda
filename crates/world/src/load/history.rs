//! The Git data of repositories: imported from a repository on disk, or built from
//! the commits, tags and refs that the file writes by hand.
//! Note: the file overrides its refs. One that was moved since the last load is moved back; one
//! that the file does not name stays.

mod by_hand;
mod refs;

use std::collections::HashMap;

use indicatif::{HumanCount, ProgressBar, ProgressStyle};
use sea_orm::sea_query::{Expr, ExprTrait};
use sea_orm::{DbErr, EntityTrait, QueryFilter, QuerySelect};

use super::write::{ItemOutcome, Load};
use super::{LoadError, on_disk};
use crate::file::{Repository, World};
use crate::findings::{Finding, one_line};
use crate::stored::vanished;
use crate::yaml::{At, Location};
use git::progress::ImportProgress;
use git::{GitError, import, pushes};
use storage::database::Connection;
use storage::entities::{git_object, repository};

pub async fn write(load: &mut Load<'_>, world: &World) -> Result<(), LoadError> {
    for spec in &world.repositories {
        let Some(git) = &spec.git else {
            continue;
        };
        let name = &spec.full_name.value;
        let Some(row) = load.stored.repository(name).cloned() else {
            return Err(vanished("repository", name).into());
        };
        let history = match &git.path {
            Some(path) => from_disk(load, &row, path).await?,
            None => by_hand::write(load, &row, owner_of(name), git).await?,
        };
        if history.new {
            describe(load, spec, row, history).await?;
        }
    }
    Ok(())
}

fn owner_of(full_name: &str) -> &str {
    full_name.split('/').next().unwrap_or_default()
}

/// The commits that the branches of a repository name.
pub async fn branches(db: &Connection, repository: i64) -> Result<HashMap<String, String>, DbErr> {
    let stored = refs::stored(db, repository).await?.into_values();
    let heads = stored.filter_map(|row| {
        let name = row.name.strip_prefix("refs/heads/")?;
        Some((name.to_owned(), row.sha))
    });
    Ok(heads.collect())
}

/// The result of loading a repository's Git data.
struct LoadedHistory {
    /// Whether any object or reference is new.
    new: bool,
    /// The branch to show, if the repository had none and the file does not say.
    default_branch: Option<String>,
}

async fn from_disk(
    load: &mut Load<'_>,
    row: &repository::Model,
    path: &At<String>,
) -> Result<LoadedHistory, LoadError> {
    let from = on_disk::repository(load.source, path).map_err(|message| load.rejection(message))?;
    let empty = refs::stored(load.db, row.id).await?.is_empty();
    let imported = import::import(
        load.db,
        row.id,
        from,
        load.now,
        &mut progress_bar(&row.name),
    )
    .await
    .map_err(|cause| failed(load, path.location, cause))?;
    for skipped in &imported.skipped_refs {
        let (name, reason) = (&skipped.name, skipped.reason);
        tracing::warn!(repository = %row.name, %name, reason, "skipped a reference");
    }
    for _ in &imported.new_refs {
        load.count(ItemOutcome::Added);
    }
    for _ in &imported.moved_refs {
        load.count(ItemOutcome::Changed);
    }
    Ok(LoadedHistory {
        new: imported.new_objects > 0
            || !imported.new_refs.is_empty()
            || !imported.moved_refs.is_empty(),
        default_branch: imported.default_branch.filter(|_| empty),
    })
}

/// Updates the columns of a repository that follow from its Git data.
async fn describe(
    load: &mut Load<'_>,
    spec: &Repository,
    mut row: repository::Model,
    history: LoadedHistory,
) -> Result<(), DbErr> {
    row.size_kb = size_kb(load, row.id).await?;
    if let (None, Some(branch)) = (&spec.default_branch, history.default_branch) {
        row.default_branch = branch;
    }
    if spec.pushed_at.is_none() {
        pushes::record(load.db, row.id, load.now).await?;
    }
    let row = load.update(row).await?;
    load.stored.put_repository(row);
    Ok(())
}

/// The size of the objects, in KiB.
async fn size_kb(load: &Load<'_>, repository: i64) -> Result<i64, DbErr> {
    let bytes: Option<i64> = git_object::Entity::find()
        .select_only()
        .expr(Expr::col(git_object::Column::Size).sum().cast_as("BIGINT"))
        .filter(git_object::COLUMN.repository_id.eq(repository))
        .into_tuple()
        .one(load.db)
        .await?
        .flatten();
    Ok(bytes.unwrap_or_default() / 1024)
}

/// An error of the Git layer, at a location in the file; database errors stay database
/// errors.
fn failed(load: &Load<'_>, location: Location, cause: GitError) -> LoadError {
    match cause {
        GitError::Database(cause) => cause.into(),
        other => load.rejection(Finding::at(location, one_line(&other.to_string()))),
    }
}

/// A progress bar on standard error. indicatif draws nothing without a terminal.
fn progress_bar(name: &str) -> impl FnMut(ImportProgress) + Send + use<> {
    let form = "{prefix} {bar:30} {human_pos} of {human_len} commits, {msg}, {eta} left";
    let bar = ProgressBar::new(0).with_prefix(name.to_owned());
    if let Ok(style) = ProgressStyle::with_template(form) {
        bar.set_style(style);
    }
    move |progress| {
        // The import begins with the objects that are not commits; their number is unknown.
        if progress.commits_total == 0 {
            return;
        }
        bar.set_length(progress.commits_total as u64);
        bar.set_position(progress.commits_done as u64);
        bar.set_message(format!("{} objects", HumanCount(progress.objects)));
        if progress.commits_done >= progress.commits_total {
            bar.finish_and_clear();
        }
    }
}
