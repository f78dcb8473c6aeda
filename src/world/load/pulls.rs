//! Pull requests. Their commits are those that their branches name when the world is
//! loaded.
//! The rule that surprises: the head of an open pull request follows its branch, as
//! it does when the branch is pushed to; its base stays where it was.

use std::collections::HashMap;

use sea_orm::{DbErr, EntityTrait, QueryFilter};

use super::LoadError;
use super::history::branches;
use super::write::{Load, UNASSIGNED, WorldItem};
use crate::entities::pull::{self, PullState};
use crate::entities::repository;
use crate::git::{GitError, Sha};
use crate::issues::store::issue;
use crate::pulls::comments::comments_follow;
use crate::world::file::{Pull, Repository, World};
use crate::world::findings::{Finding, quoted};
use crate::world::scalar::Positive;
use crate::world::stored::vanished;
use crate::world::yaml::At;

pub async fn write(load: &mut Load<'_>, world: &World) -> Result<(), LoadError> {
    for said in &world.repositories {
        if said.pulls.is_empty() && said.git.is_none() {
            continue;
        }
        let name = &said.full_name.value;
        let Some(row) = load.stored.repository(name).cloned() else {
            return Err(vanished("repository", name).into());
        };
        write_pulls(load, said, row).await?;
    }
    Ok(())
}

async fn write_pulls(
    load: &mut Load<'_>,
    said: &Repository,
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
    for pull in &said.pulls {
        let stored = stored.remove(&pull.number.value.0);
        write_pull(load, row.id, pull, stored, &branches).await?;
    }
    for other in stored.into_values() {
        let followed = follow(other.clone(), &branches);
        if followed != other {
            let row = load.keep(Some(&other), followed).await?;
            comments_go_along(load, &other, &row).await?;
        }
    }
    Ok(())
}

async fn write_pull(
    load: &mut Load<'_>,
    repository: i64,
    said: &Pull,
    stored: Option<pull::Model>,
    branches: &HashMap<String, String>,
) -> Result<(), LoadError> {
    let mut row = match &stored {
        Some(row) => row.clone(),
        None => {
            unless_taken(load, repository, &said.number).await?;
            new_pull(load, repository, said, branches)?
        }
    };
    row.title.clone_from(&said.title.value);
    row.body = said.body.clone().or(row.body);
    row.author_id = load.stored.account_id(&said.author.value)?;
    row.locked = said.locked.unwrap_or(row.locked);
    for (name, branch, sha) in [
        (&said.base, &mut row.base_ref, &mut row.base_sha),
        (&said.head, &mut row.head_ref, &mut row.head_sha),
    ] {
        if *branch != name.value {
            branch.clone_from(&name.value);
            *sha = tip(load, branches, name)?;
        }
    }
    if let Some(state) = said.state {
        set_state(&mut row, state, load.now);
    }
    let row = follow(row, branches);
    let item = WorldItem {
        what: "pull request",
        name: format!("#{}", row.number),
        id: &said.id,
        created_at: said.created_at,
    };
    let row = load.save(item, stored.as_ref(), row).await?;
    match stored {
        Some(stored) => comments_go_along(load, &stored, &row).await,
        None => Ok(()),
    }
}

/// Refuses the number of a pull request that an issue has.
async fn unless_taken(
    load: &Load<'_>,
    repository: i64,
    number: &At<Positive>,
) -> Result<(), LoadError> {
    let taken = issue(load.db, repository, number.value.0).await?;
    if taken.is_none() {
        return Ok(());
    }
    let wrong = format!("the number {}, which an issue has", number.value.0);
    let expected = "a number that no issue of the repository has";
    Err(load.refused(Finding::at(number.location, wrong).expected(expected)))
}

/// Moves the comments of a pull request along with its head.
async fn comments_go_along(
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
    said: &Pull,
    branches: &HashMap<String, String>,
) -> Result<pull::Model, LoadError> {
    Ok(pull::Model {
        id: UNASSIGNED,
        repository_id: repository,
        number: said.number.value.0,
        title: String::new(),
        body: None,
        author_id: UNASSIGNED,
        base_ref: said.base.value.clone(),
        base_sha: tip(load, branches, &said.base)?,
        head_ref: said.head.value.clone(),
        head_sha: tip(load, branches, &said.head)?,
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
        let wrong = format!("no branch {}", quoted(&name.value));
        load.refused(Finding::at(name.location, wrong).expected("a branch of the repository"))
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
