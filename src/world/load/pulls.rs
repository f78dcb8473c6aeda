//! Pull requests. Their commits are those that their branches name when the world is
//! loaded.
//! The rule that surprises: the head of an open pull request follows its branch, as
//! it does when the branch is pushed to; its base stays where it was.

use std::collections::HashMap;

use sea_orm::{ColumnTrait, DbErr, EntityTrait, PaginatorTrait, QueryFilter};

use super::LoadError;
use super::history::branches;
use super::stored::vanished;
use super::write::{Row, UNASSIGNED, Writing};
use crate::entities::pull::{self, State};
use crate::entities::repository;
use crate::git::{GitError, Sha};
use crate::pulls::comments::comments_follow;
use crate::world::file::{Pull, PullState, Repository, World};
use crate::world::findings::{Finding, quoted};
use crate::world::node::At;

pub async fn write(writing: &mut Writing<'_>, world: &World) -> Result<(), LoadError> {
    for said in &world.repositories {
        if said.pulls.is_empty() && said.git.is_none() {
            continue;
        }
        let name = &said.full_name.value;
        let Some(row) = writing.stored.repository(name).cloned() else {
            return Err(vanished("repository", name).into());
        };
        write_pulls(writing, said, row).await?;
    }
    Ok(())
}

async fn write_pulls(
    writing: &mut Writing<'_>,
    said: &Repository,
    row: repository::Model,
) -> Result<(), LoadError> {
    let branches = branches(writing.db, row.id).await?;
    let mut stored: HashMap<i64, pull::Model> = pull::Entity::find()
        .filter(pull::COLUMN.repository_id.eq(row.id))
        .all(writing.db)
        .await?
        .into_iter()
        .map(|pull| (pull.number, pull))
        .collect();
    for pull in &said.pulls {
        let stored = stored.remove(&pull.number.value.0);
        write_pull(writing, row.id, pull, stored, &branches).await?;
    }
    for other in stored.into_values() {
        let followed = follow(other.clone(), &branches);
        if followed != other {
            let row = writing.keep(Some(&other), followed).await?;
            comments_go_along(writing, &other, &row).await?;
        }
    }
    Ok(count_open(writing, row).await?)
}

async fn write_pull(
    writing: &mut Writing<'_>,
    repository: i64,
    said: &Pull,
    stored: Option<pull::Model>,
    branches: &HashMap<String, String>,
) -> Result<(), LoadError> {
    let mut row = match &stored {
        Some(row) => row.clone(),
        None => new_pull(writing, repository, said, branches)?,
    };
    row.id = said.id.as_ref().map_or(row.id, |id| id.value.0);
    row.title.clone_from(&said.title.value);
    row.body = said.body.clone().or(row.body);
    row.author_id = writing.stored.account_id(&said.author.value)?;
    row.locked = said.locked.unwrap_or(row.locked);
    for (name, branch, sha) in [
        (&said.base, &mut row.base_ref, &mut row.base_sha),
        (&said.head, &mut row.head_ref, &mut row.head_sha),
    ] {
        if *branch != name.value {
            branch.clone_from(&name.value);
            *sha = tip(writing, branches, name)?;
        }
    }
    row.date(said.created_at, stored.is_none());
    if let Some(state) = said.state {
        set_state(&mut row, state, writing.now);
    }
    let row = follow(row, branches);
    let row = writing.keep(stored.as_ref(), row).await?;
    writing.tell("pull request", format!("#{}", row.number), row.id);
    match stored {
        Some(stored) => comments_go_along(writing, &stored, &row).await,
        None => Ok(()),
    }
}

/// The comments of a pull request follow its head, however that has moved.
async fn comments_go_along(
    writing: &Writing<'_>,
    old: &pull::Model,
    new: &pull::Model,
) -> Result<(), LoadError> {
    let (before, after) = (Sha::stored(&old.head_sha)?, Sha::stored(&new.head_sha)?);
    match comments_follow(writing.db, new, before, after).await {
        Ok(()) => Ok(()),
        Err(GitError::Database(cause)) => Err(cause.into()),
        Err(other) => Err(DbErr::Custom(other.to_string()).into()),
    }
}

fn new_pull(
    writing: &Writing<'_>,
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
        base_sha: tip(writing, branches, &said.base)?,
        head_ref: said.head.value.clone(),
        head_sha: tip(writing, branches, &said.head)?,
        state: State::Open,
        locked: false,
        created_at: writing.now,
        updated_at: writing.now,
        closed_at: None,
        merged_at: None,
    })
}

/// The commit that a branch names. Whether a repository on disk has a branch is
/// known only now.
fn tip(
    writing: &Writing<'_>,
    branches: &HashMap<String, String>,
    name: &At<String>,
) -> Result<String, LoadError> {
    branches.get(&name.value).cloned().ok_or_else(|| {
        let wrong = format!("no branch {}", quoted(&name.value));
        writing.refused(Finding::at(name.place, wrong).expected("a branch of the repository"))
    })
}

fn follow(mut row: pull::Model, branches: &HashMap<String, String>) -> pull::Model {
    if let (State::Open, Some(sha)) = (row.state, branches.get(&row.head_ref)) {
        row.head_sha.clone_from(sha);
    }
    row
}

fn set_state(row: &mut pull::Model, said: PullState, now: i64) {
    row.state = match said {
        PullState::Open => State::Open,
        PullState::Closed => State::Closed,
        PullState::Merged => State::Merged,
    };
    let closed = row.state != State::Open;
    row.closed_at = closed.then(|| row.closed_at.unwrap_or(now));
    let merged = row.state == State::Merged;
    row.merged_at = merged.then(|| row.merged_at.or(row.closed_at).unwrap_or(now));
}

/// On GitHub every open pull request is an open issue.
async fn count_open(writing: &mut Writing<'_>, mut row: repository::Model) -> Result<(), DbErr> {
    let open = pull::Entity::find()
        .filter(pull::COLUMN.repository_id.eq(row.id))
        .filter(pull::Column::State.eq(State::Open))
        .count(writing.db)
        .await?;
    let open = i64::try_from(open).unwrap_or(i64::MAX);
    if row.open_issues_count != open {
        row.open_issues_count = open;
        let row = writing.update(row).await?;
        writing.stored.put_repository(row);
    }
    Ok(())
}
