//! Projects of users and organizations.

use sea_orm::DbErr;

use super::LoadError;
use super::write::{Load, UNASSIGNED, WorldItem};
use crate::file::{Project, World};
use storage::entities::project;
use storage::entities::repository::Visibility;

pub async fn write(load: &mut Load<'_>, world: &World) -> Result<(), LoadError> {
    for project in &world.projects {
        write_project(load, project).await?;
    }
    Ok(())
}

async fn write_project(load: &mut Load<'_>, project: &Project) -> Result<(), DbErr> {
    let (owner, number) = (&project.owner.value, project.number.value.0);
    let stored = load.stored.project(owner, number).cloned();
    let mut row = match &stored {
        Some(row) => row.clone(),
        None => project::Model {
            id: UNASSIGNED,
            owner_id: load.stored.account_id(owner)?,
            number,
            title: String::new(),
            visibility: Visibility::Private,
            created_at: load.now,
            updated_at: load.now,
        },
    };
    row.title.clone_from(&project.title.value);
    row.visibility = project.visibility.unwrap_or(row.visibility);
    let item = WorldItem {
        kind: "project",
        name: format!("{owner}/{number}"),
        id: &project.id,
        created_at: project.created_at,
        updated_at: None,
    };
    let row = load.save(item, stored.as_ref(), row).await?;
    load.stored.put_project(row);
    Ok(())
}
