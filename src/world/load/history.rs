//! The Git data of repositories: imported from a repository on disk, or built from
//! the commits, tags and refs that the file writes by hand.
//! The rule that surprises: the file has the last word on its refs. One that was
//! moved since the last load is moved back; one that the file does not name stays.

mod by_hand;
mod refs;

use std::collections::HashMap;

use indicatif::{HumanCount, ProgressBar, ProgressStyle};
use sea_orm::sea_query::{Expr, ExprTrait};
use sea_orm::{ConnectionTrait, DbErr, EntityTrait, QueryFilter, QuerySelect};

use super::stored::vanished;
use super::write::{Kept, Writing};
use super::{LoadError, on_disk};
use crate::entities::{git_object, repository};
use crate::git::{GitError, import, pushes};
use crate::world::file::{Repository, World};
use crate::world::findings::{Finding, one_line};
use crate::world::node::{At, Place};

pub async fn write(writing: &mut Writing<'_>, world: &World) -> Result<(), LoadError> {
    for said in &world.repositories {
        let Some(git) = &said.git else {
            continue;
        };
        let name = &said.full_name.value;
        let Some(row) = writing.stored.repository(name).cloned() else {
            return Err(vanished("repository", name).into());
        };
        let brought = match &git.path {
            Some(path) => from_disk(writing, &row, path).await?,
            None => by_hand::write(writing, &row, owner_of(name), git).await?,
        };
        if brought.new {
            describe(writing, said, row, brought).await?;
        }
    }
    Ok(())
}

fn owner_of(full_name: &str) -> &str {
    full_name.split('/').next().unwrap_or_default()
}

/// The commits that the branches of a repository name.
pub async fn branches(
    db: &impl ConnectionTrait,
    repository: i64,
) -> Result<HashMap<String, String>, DbErr> {
    let stored = refs::stored(db, repository).await?.into_values();
    let heads = stored.filter_map(|row| {
        let name = row.name.strip_prefix("refs/heads/")?;
        Some((name.to_owned(), row.sha))
    });
    Ok(heads.collect())
}

/// What became of a repository's Git data.
struct Brought {
    /// Whether there is anything that was not there.
    new: bool,
    /// The branch to show, if the repository had none and the file does not say.
    default_branch: Option<String>,
}

async fn from_disk(
    writing: &mut Writing<'_>,
    row: &repository::Model,
    path: &At<String>,
) -> Result<Brought, LoadError> {
    let from = on_disk::repository(writing.source, path).map_err(|wrong| writing.refused(wrong))?;
    let empty = refs::stored(writing.db, row.id).await?.is_empty();
    let imported = import::import(
        writing.db,
        row.id,
        from,
        writing.now,
        &mut progress_bar(&row.name),
    )
    .await
    .map_err(|cause| failed(writing, path.place, cause))?;
    for skipped in &imported.skipped_refs {
        let (name, reason) = (&skipped.name, skipped.reason);
        tracing::warn!(repository = %row.name, %name, reason, "a reference was left out");
    }
    for _ in &imported.new_refs {
        writing.count(Kept::Added);
    }
    for _ in &imported.moved_refs {
        writing.count(Kept::Changed);
    }
    Ok(Brought {
        new: imported.new_objects > 0
            || !imported.new_refs.is_empty()
            || !imported.moved_refs.is_empty(),
        default_branch: imported.default_branch.filter(|_| empty),
    })
}

/// What the repository says of itself now that its Git data is new.
async fn describe(
    writing: &mut Writing<'_>,
    said: &Repository,
    mut row: repository::Model,
    brought: Brought,
) -> Result<(), DbErr> {
    row.size_kb = size_kb(writing, row.id).await?;
    if let (None, Some(branch)) = (&said.default_branch, brought.default_branch) {
        row.default_branch = branch;
    }
    if said.pushed_at.is_none() {
        pushes::note(writing.db, row.id, writing.now).await?;
    }
    let row = writing.update(row).await?;
    writing.stored.put_repository(row);
    Ok(())
}

/// What the objects hold, in KiB.
async fn size_kb(writing: &Writing<'_>, repository: i64) -> Result<i64, DbErr> {
    let bytes: Option<i64> = git_object::Entity::find()
        .select_only()
        .expr(Expr::col(git_object::Column::Size).sum().cast_as("BIGINT"))
        .filter(git_object::COLUMN.repository_id.eq(repository))
        .into_tuple()
        .one(writing.db)
        .await?
        .flatten();
    Ok(bytes.unwrap_or_default() / 1024)
}

/// What the Git layer says about a place in the file; the database's own failures
/// stay what they are.
fn failed(writing: &Writing<'_>, place: Place, cause: GitError) -> LoadError {
    match cause {
        GitError::Database(cause) => cause.into(),
        other => writing.refused(Finding::at(place, one_line(&other.to_string()))),
    }
}

/// A bar on standard error, which shows itself to people only: indicatif draws
/// nothing where there is no terminal.
fn progress_bar(name: &str) -> impl FnMut(import::Progress) + Send + use<> {
    let form = "{prefix} {bar:30} {human_pos} of {human_len} commits, {msg}, {eta} left";
    let bar = ProgressBar::new(0).with_prefix(name.to_owned());
    if let Ok(style) = ProgressStyle::with_template(form) {
        bar.set_style(style);
    }
    move |progress| {
        // What references name beside commits comes first; there is no end to show.
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
