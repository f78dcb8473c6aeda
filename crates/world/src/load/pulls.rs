//! Pull requests. Their commits are the heads of their branches when the world is loaded.
//! Note: the head of an open pull request follows its branch, as it does when the branch is
//! pushed to; its base stays.

use std::collections::HashMap;

use sea_orm::{DbErr, EntityTrait, QueryFilter};

use super::LoadError;
use super::history::branches;
use super::write::{Load, UNASSIGNED, WorldItem};
use crate::file::{Pull, Repository, World};
use crate::findings::{Finding, quoted};
use crate::scalar::Positive;
use crate::stored::vanished;
use crate::yaml::At;
use forge::issues::rows::issue;
use forge::pulls::comments::comments_follow;
use git::{GitError, Sha};
use storage::entities::pull::{self, PullState};
use storage::entities::repository;

pub async fn write(load: &mut Load<'_>, world: &World) -> Result<(), LoadError> {
    for spec in &world.repositories {
        if spec.pulls.is_empty() && spec.git.is_none() {
            continue;
        }
        let name = &spec.full_name.value;
        let Some(row) = load.stored.repository(name).cloned() else {
            return Err(vanished("repository", name).into());
        };
        write_pulls(load, spec, row).await?;
    }
    Ok(())
}

async fn write_pulls(
    load: &mut Load<'_>,
    spec: &Repository,
    row: repository::Model,
) -> Result<(), LoadError> {
    let branches = branches(load.db, row.id).await?;
    let mut stored: HashMap<i64, pull::Model> = pull::Entity::find()
        .filter(pull::COLUMN.repository_id.eq(row.id))
        .all(load.db)
        .await?
        .into_iter()
        .map(|pull| (pull.number, pull))
        .collect();
    for pull in &spec.pulls {
        let stored = stored.remove(&pull.number.value.0);
        let written = write_pull(load, row.id, pull, stored, &branches).await;
        load.collect(written)?;
    }
    for other in stored.into_values() {
        let followed = follow(other.clone(), &branches);
        if followed != other {
            let row = load.upsert(Some(&other), followed).await?;
            move_comments(load, &other, &row).await?;
        }
    }
    Ok(())
}

async fn write_pull(
    load: &mut Load<'_>,
    repository: i64,
    spec: &Pull,
    stored: Option<pull::Model>,
    branches: &HashMap<String, String>,
) -> Result<(), LoadError> {
    let mut row = match &stored {
        Some(row) => row.clone(),
        None => {
            require_free_number(load, repository, &spec.number).await?;
            new_pull(load, repository, spec, branches)?
        }
    };
    row.title.clone_from(&spec.title.value);
    row.body = spec.body.clone().or(row.body);
    row.author_id = load.stored.account_id(&spec.author.value)?;
    row.locked = spec.locked.unwrap_or(row.locked);
    for (name, branch, sha) in [
        (&spec.base, &mut row.base_ref, &mut row.base_sha),
        (&spec.head, &mut row.head_ref, &mut row.head_sha),
    ] {
        if *branch != name.value {
            branch.clone_from(&name.value);
            *sha = tip(load, branches, name)?;
        }
    }
    if let Some(state) = spec.state {
        set_state(&mut row, state, load.now);
    }
    let row = follow(row, branches);
    let item = WorldItem {
        kind: "pull request",
        name: format!("#{}", row.number),
        id: &spec.id,
        created_at: spec.created_at,
    };
    let row = load.save(item, stored.as_ref(), row).await?;
    match stored {
        Some(stored) => move_comments(load, &stored, &row).await,
        None => Ok(()),
    }
}

/// Rejects a number that an issue already has.
async fn require_free_number(
    load: &Load<'_>,
    repository: i64,
    number: &At<Positive>,
) -> Result<(), LoadError> {
    let existing = issue(load.db, repository, number.value.0).await?;
    if existing.is_none() {
        return Ok(());
    }
    let message = format!("the number {} belongs to an issue", number.value.0);
    let expected = "a number that no issue of the repository has";
    Err(load.rejection(Finding::at(number.location, message).expected(expected)))
}

/// Moves the comments of a pull request along with its head.
async fn move_comments(
    load: &Load<'_>,
    old: &pull::Model,
    new: &pull::Model,
) -> Result<(), LoadError> {
    if old.head_sha == new.head_sha {
        return Ok(());
    }
    match comments_follow(load.db, new, Sha::stored(&new.head_sha)?).await {
        Ok(()) => Ok(()),
        Err(GitError::Database(cause)) => Err(cause.into()),
        Err(other) => Err(DbErr::Custom(other.to_string()).into()),
    }
}

fn new_pull(
    load: &Load<'_>,
    repository: i64,
    spec: &Pull,
    branches: &HashMap<String, String>,
) -> Result<pull::Model, LoadError> {
    Ok(pull::Model {
        id: UNASSIGNED,
        repository_id: repository,
        number: spec.number.value.0,
        title: String::new(),
        body: None,
        author_id: UNASSIGNED,
        base_ref: spec.base.value.clone(),
        base_sha: tip(load, branches, &spec.base)?,
        head_ref: spec.head.value.clone(),
        head_sha: tip(load, branches, &spec.head)?,
        state: PullState::Open,
        locked: false,
        created_at: load.now,
        updated_at: load.now,
        closed_at: None,
        merged_at: None,
        draft: false,
        maintainer_can_modify: false,
        merged_by_id: None,
        merge_commit_sha: None,
    })
}

/// The commit that a branch names. Whether a repository on disk has a branch is
/// known only now.
fn tip(
    load: &Load<'_>,
    branches: &HashMap<String, String>,
    name: &At<String>,
) -> Result<String, LoadError> {
    branches.get(&name.value).cloned().ok_or_else(|| {
        let message = format!("no branch {}", quoted(&name.value));
        load.rejection(Finding::at(name.location, message).expected("a branch of the repository"))
    })
}

fn follow(mut row: pull::Model, branches: &HashMap<String, String>) -> pull::Model {
    if let (PullState::Open, Some(sha)) = (row.state, branches.get(&row.head_ref)) {
        row.head_sha.clone_from(sha);
    }
    row
}

fn set_state(row: &mut pull::Model, state: PullState, now: i64) {
    row.state = state;
    let closed = row.state != PullState::Open;
    row.closed_at = closed.then(|| row.closed_at.unwrap_or(now));
    let merged = row.state == PullState::Merged;
    row.merged_at = merged.then(|| row.merged_at.or(row.closed_at).unwrap_or(now));
    if !merged {
        (row.merged_by_id, row.merge_commit_sha) = (None, None);
    }
}
