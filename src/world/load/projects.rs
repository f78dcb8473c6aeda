//! Projects of users and organizations.

use sea_orm::DbErr;

use super::LoadError;
use super::write::{Row, UNASSIGNED, Writing};
use crate::entities::project;
use crate::entities::repository::Visibility;
use crate::world::file::{self, Project, World};

pub async fn write(writing: &mut Writing<'_>, world: &World) -> Result<(), LoadError> {
    for project in &world.projects {
        write_project(writing, project).await?;
    }
    Ok(())
}

async fn write_project(writing: &mut Writing<'_>, project: &Project) -> Result<(), DbErr> {
    let (owner, number) = (&project.owner.value, project.number.value.0);
    let stored = writing.stored.project(owner, number).cloned();
    let mut row = match &stored {
        Some(row) => row.clone(),
        None => project::Model {
            id: UNASSIGNED,
            owner_id: writing.stored.account_id(owner)?,
            number,
            title: String::new(),
            visibility: Visibility::Private,
            created_at: writing.now,
            updated_at: writing.now,
        },
    };
    row.id = project.id.as_ref().map_or(row.id, |id| id.value.0);
    row.title.clone_from(&project.title.value);
    if let Some(visibility) = project.visibility {
        row.visibility = match visibility {
            file::Visibility::Public => Visibility::Public,
            file::Visibility::Private => Visibility::Private,
        };
    }
    row.date(project.created_at, stored.is_none());
    let row = writing.keep(stored.as_ref(), row).await?;
    writing.tell("project", format!("{owner}/{number}"), row.id);
    writing.stored.put_project(row);
    Ok(())
}
