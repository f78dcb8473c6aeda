//! Pull requests. Their commits are those in the file, or the heads of their branches when the
//! world is loaded.
//! Note: the head of an open pull request follows its branch, as it does when the branch is
//! pushed to; its base stays.

use std::collections::HashMap;

use sea_orm::{DbErr, EntityTrait, QueryFilter};

use super::LoadError;
use super::history::branches;
use super::reports::commit;
use super::write::{Load, UNASSIGNED, WorldItem};
use crate::file::{Pull, Repository, World};
use crate::findings::{Finding, quoted};
use crate::scalar::{DateTime, Positive};
use crate::stored::vanished;
use crate::yaml::{At, value_of};
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

/// The stored pull request of a repository in the file.
pub async fn stored(
    load: &Load<'_>,
    repository: &Repository,
    spec: &Pull,
) -> Result<pull::Model, LoadError> {
    let name = &repository.full_name.value;
    let id = load.stored.repository_id(name)?;
    let row = pull::Entity::find()
        .filter(pull::COLUMN.repository_id.eq(id))
        .filter(pull::COLUMN.number.eq(spec.number.value.0))
        .one(load.db)
        .await?;
    Ok(row.ok_or_else(|| vanished("pull request", name))?)
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
            new_pull(load, repository, spec.number.value.0)
        }
    };
    row.title.clone_from(&spec.title.value);
    row.body = spec.body.clone().or(row.body);
    row.author_id = load.stored.account_id(&spec.author.value)?;
    row.locked = spec.locked.unwrap_or(row.locked);
    for (name, fixed, branch, sha) in [
        (
            &spec.base,
            &spec.base_sha,
            &mut row.base_ref,
            &mut row.base_sha,
        ),
        (
            &spec.head,
            &spec.head_sha,
            &mut row.head_ref,
            &mut row.head_sha,
        ),
    ] {
        if let Some(fixed) = fixed {
            *sha = commit(load, repository, fixed).await?.sha;
        } else if *branch != name.value {
            *sha = tip(load, branches, name)?;
        }
        branch.clone_from(&name.value);
    }
    if let Some(state) = spec.state {
        set_state(&mut row, state, load.now);
    }
    describe(load, &mut row, spec)?;
    let row = follow(row, branches);
    let item = WorldItem {
        kind: "pull request",
        name: format!("#{}", row.number),
        id: &spec.id,
        created_at: spec.created_at,
        updated_at: spec.updated_at,
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

fn new_pull(load: &Load<'_>, repository: i64, number: i64) -> pull::Model {
    pull::Model {
        id: UNASSIGNED,
        repository_id: repository,
        number,
        title: String::new(),
        body: None,
        author_id: UNASSIGNED,
        base_ref: String::new(),
        base_sha: String::new(),
        head_ref: String::new(),
        head_sha: String::new(),
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
    }
}

/// What else the file says about a pull request. Times of an end that it has not come to, and
/// the circumstances of a merge that has not happened, are checked before.
fn describe(load: &Load<'_>, row: &mut pull::Model, spec: &Pull) -> Result<(), DbErr> {
    row.draft = spec.draft.unwrap_or(row.draft);
    row.maintainer_can_modify = spec
        .maintainer_can_modify
        .unwrap_or(row.maintainer_can_modify);
    row.closed_at = spec.closed_at.map(DateTime::seconds).or(row.closed_at);
    row.merged_at = spec.merged_at.map(DateTime::seconds).or(row.merged_at);
    row.merge_commit_sha = value_of(&spec.merge_commit_sha).or(row.merge_commit_sha.take());
    if let Some(login) = &spec.merged_by {
        row.merged_by_id = Some(load.stored.account_id(&login.value)?);
    }
    Ok(())
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
