//! Installations of apps on accounts. An installation has the permissions and events
//! that its app has when the world is loaded.

use std::collections::BTreeSet;

use sea_orm::{DbErr, EntityTrait, QueryFilter, Set};

use super::LoadError;
use super::apps::array;
use super::write::{Load, UNASSIGNED, WorldItem};
use crate::file::{Installation, World};
use crate::stored::vanished;
use storage::entities::installation::RepositorySelection;
use storage::entities::{installation, installation_repository};

pub async fn write(load: &mut Load<'_>, world: &World) -> Result<(), LoadError> {
    for installation in &world.installations {
        write_installation(load, installation).await?;
    }
    Ok(())
}

async fn write_installation(load: &mut Load<'_>, spec: &Installation) -> Result<(), DbErr> {
    let (slug, login) = (&spec.app.value, &spec.account.value);
    let Some(app) = load.stored.app(slug).cloned() else {
        return Err(vanished("app", slug));
    };
    let stored = load.stored.installation(slug, login).cloned();
    let mut row = stored.clone().unwrap_or(installation::Model {
        id: UNASSIGNED,
        app_id: app.id,
        account_id: load.stored.account_id(login)?,
        repository_selection: RepositorySelection::All,
        permissions: String::new(),
        events: String::new(),
        single_file_paths: "[]".to_owned(),
        suspended_at: None,
        suspended_by_id: None,
        created_at: load.now,
        updated_at: load.now,
    });
    row.permissions = app.permissions;
    row.events = app.events;
    let selection = spec.repository_selection;
    row.repository_selection = selection.unwrap_or(row.repository_selection);
    if let Some(by) = &spec.suspended_by {
        row.suspended_by_id = Some(load.stored.account_id(&by.value)?);
        row.suspended_at = row.suspended_at.or(Some(load.now));
    }
    if let Some(paths) = &spec.single_file_paths {
        row.single_file_paths = array(&paths.value);
    }
    let item = WorldItem {
        kind: "installation",
        name: format!("{slug} on {login}"),
        id: &spec.id,
        created_at: spec.created_at,
        updated_at: None,
    };
    let row = load.save(item, stored.as_ref(), row).await?;
    let id = row.id;
    load.stored.put_installation(row);
    select(load, id, spec).await
}

/// Sets the selection to the repositories that the file lists.
async fn select(load: &mut Load<'_>, id: i64, spec: &Installation) -> Result<(), DbErr> {
    let Some(names) = &spec.repositories else {
        return Ok(());
    };
    let names = names.value.iter().map(|name| name.value.as_str());
    let selected = load.stored.repository_ids(&spec.account.value, names)?;
    let of_this = installation_repository::COLUMN.installation_id.eq(id);
    let stored: BTreeSet<i64> = installation_repository::Entity::find()
        .filter(of_this.clone())
        .all(load.db)
        .await?
        .into_iter()
        .map(|row| row.repository_id)
        .collect();
    let removed: Vec<i64> = stored.difference(&selected).copied().collect();
    if !removed.is_empty() {
        installation_repository::Entity::delete_many()
            .filter(of_this)
            .filter(installation_repository::COLUMN.repository_id.is_in(removed))
            .exec(load.db)
            .await?;
    }
    let new: Vec<_> = selected
        .difference(&stored)
        .map(|repository| installation_repository::ActiveModel {
            installation_id: Set(id),
            repository_id: Set(*repository),
        })
        .collect();
    if !new.is_empty() {
        installation_repository::Entity::insert_many(new)
            .exec_without_returning(load.db)
            .await?;
    }
    if stored != selected {
        load.mark_changed();
    }
    Ok(())
}
