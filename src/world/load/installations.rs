//! Installations of apps on accounts. An installation has the permissions and events
//! that its app has when the world is loaded.

use std::collections::BTreeSet;

use sea_orm::{DbErr, EntityTrait, QueryFilter, Set};

use super::LoadError;
use super::apps::array;
use super::stored::vanished;
use super::write::{Row, UNASSIGNED, Writing};
use crate::entities::installation::Selection;
use crate::entities::{installation, installation_repository};
use crate::world::file::{Installation, RepositorySelection, World};

pub async fn write(writing: &mut Writing<'_>, world: &World) -> Result<(), LoadError> {
    for installation in &world.installations {
        write_installation(writing, installation).await?;
    }
    Ok(())
}

async fn write_installation(writing: &mut Writing<'_>, said: &Installation) -> Result<(), DbErr> {
    let (slug, login) = (&said.app.value, &said.account.value);
    let Some(app) = writing.stored.app(slug).cloned() else {
        return Err(vanished("app", slug));
    };
    let stored = writing.stored.installation(slug, login).cloned();
    let mut row = stored.clone().unwrap_or(installation::Model {
        id: UNASSIGNED,
        app_id: app.id,
        account_id: writing.stored.account_id(login)?,
        repository_selection: Selection::All,
        permissions: String::new(),
        events: String::new(),
        single_file_paths: "[]".to_owned(),
        suspended_at: None,
        suspended_by_id: None,
        created_at: writing.now,
        updated_at: writing.now,
    });
    row.id = said.id.as_ref().map_or(row.id, |id| id.value.0);
    row.permissions = app.permissions;
    row.events = app.events;
    match said.repository_selection {
        Some(RepositorySelection::All) => row.repository_selection = Selection::All,
        Some(RepositorySelection::Selected) => row.repository_selection = Selection::Selected,
        None => {}
    }
    if let Some(by) = &said.suspended_by {
        row.suspended_by_id = Some(writing.stored.account_id(&by.value)?);
        row.suspended_at = row.suspended_at.or(Some(writing.now));
    }
    if let Some(paths) = &said.single_file_paths {
        row.single_file_paths = array(&paths.value);
    }
    row.date(said.created_at, stored.is_none());
    let row = writing.keep(stored.as_ref(), row).await?;
    let id = row.id;
    let name = format!("{} on {}", said.app.value, said.account.value);
    writing.tell("installation", name, id);
    writing.stored.put_installation(row);
    select(writing, id, said).await
}

/// Brings the selection to what the file spells out.
async fn select(writing: &mut Writing<'_>, id: i64, said: &Installation) -> Result<(), DbErr> {
    let Some(names) = &said.repositories else {
        return Ok(());
    };
    let names = names.value.iter().map(|name| name.value.as_str());
    let wanted = writing.stored.repository_ids(&said.account.value, names)?;
    let of_this = installation_repository::COLUMN.installation_id.eq(id);
    let stored: BTreeSet<i64> = installation_repository::Entity::find()
        .filter(of_this.clone())
        .all(writing.db)
        .await?
        .into_iter()
        .map(|row| row.repository_id)
        .collect();
    let gone: Vec<i64> = stored.difference(&wanted).copied().collect();
    if !gone.is_empty() {
        installation_repository::Entity::delete_many()
            .filter(of_this)
            .filter(installation_repository::COLUMN.repository_id.is_in(gone))
            .exec(writing.db)
            .await?;
    }
    let new: Vec<_> = wanted
        .difference(&stored)
        .map(|repository| installation_repository::ActiveModel {
            installation_id: Set(id),
            repository_id: Set(*repository),
        })
        .collect();
    if !new.is_empty() {
        installation_repository::Entity::insert_many(new)
            .exec_without_returning(writing.db)
            .await?;
    }
    if stored != wanted {
        writing.amended();
    }
    Ok(())
}
