//! The references of a history that is written by hand.

use std::collections::HashMap;

use sea_orm::{DbErr, EntityTrait, QueryFilter};

use crate::file::Git;
use crate::findings::{Finding, quoted};
use crate::load::LoadError;
use crate::load::write::{Load, UNASSIGNED};
use crate::stored::vanished;
use crate::yaml::At;
use git::Sha;
use storage::database::Connection;
use storage::entities::git_object::ObjectKind;
use storage::entities::git_ref;

const HEADS: &str = "refs/heads/";

/// The result of writing the references.
pub struct RefsOutcome {
    /// Whether a reference is new or has moved.
    pub new: bool,
    /// The branch to show of a repository that had no references.
    pub first_branch: Option<String>,
}

/// The references of a repository, by their full names.
pub async fn stored(
    db: &Connection,
    repository: i64,
) -> Result<HashMap<String, git_ref::Model>, DbErr> {
    let rows = git_ref::Entity::find()
        .filter(git_ref::COLUMN.repository_id.eq(repository))
        .all(db)
        .await?;
    Ok(rows
        .into_iter()
        .map(|row| (row.name.clone(), row))
        .collect())
}

pub async fn write(
    load: &mut Load<'_>,
    repository: i64,
    git: &Git,
    objects: &HashMap<&str, (Sha, ObjectKind)>,
) -> Result<RefsOutcome, LoadError> {
    let stored = stored(load.db, repository).await?;
    let mut new = false;
    for (name, target) in &git.refs {
        let Some((sha, kind)) = objects.get(target.value.as_str()) else {
            return Err(vanished("commit", &target.value).into());
        };
        let old = stored.get(&name.value);
        if old.is_none() {
            check_conflicts(name, stored.keys()).map_err(|finding| load.rejection(finding))?;
        }
        let row = git_ref::Model {
            id: old.map_or(UNASSIGNED, |row| row.id),
            repository_id: repository,
            name: name.value.clone(),
            sha: sha.to_string(),
            kind: *kind,
            updated_at: old.map_or(load.now, |row| row.updated_at),
        };
        new |= old != Some(&row);
        load.upsert(old, row).await?;
    }
    Ok(RefsOutcome {
        new,
        first_branch: first_branch(git).filter(|_| stored.is_empty()),
    })
}

/// Git stores references as files in folders, so none can be below another.
fn check_conflicts<'s>(
    name: &At<String>,
    mut others: impl Iterator<Item = &'s String>,
) -> Result<(), Finding> {
    let below = |lower: &str, upper: &str| {
        let rest = lower.strip_prefix(upper);
        rest.is_some_and(|rest| rest.starts_with('/'))
    };
    let conflict = others.find(|other| below(other, &name.value) || below(&name.value, other));
    match conflict {
        None => Ok(()),
        Some(other) => {
            let message = format!("conflict with the reference {}", quoted(other));
            Err(Finding::at(name.location, message)
                .expected("a name that is neither a folder of another reference nor below one"))
        }
    }
}

/// `main` if it exists, otherwise the first branch in the file.
fn first_branch(git: &Git) -> Option<String> {
    let names = || {
        git.refs
            .iter()
            .filter_map(|(name, _)| name.value.strip_prefix(HEADS))
    };
    let main = names().find(|name| *name == "main");
    main.or_else(|| names().next()).map(str::to_owned)
}
