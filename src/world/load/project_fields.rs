//! The fields of projects, through the rules and the store of the API.
//! The rule that surprises: the API cannot change a field, so one that differs from
//! the file is made anew. It keeps its id; its options and iterations get new ones.

use sea_orm::{DbErr, EntityTrait};

use super::LoadError;
use super::bodies;
use super::stored::vanished;
use super::write::{Kept, Writing};
use crate::areas::project_fields::addition::{self, Adding};
use crate::areas::project_fields::draft::{Form, NewProjectField, NewRow, OwnField};
use crate::areas::project_fields::{Content, Whole, store};
use crate::entities::project_field::DataType;
use crate::entities::{account, project_field, project_field_iteration, project_field_option};
use crate::world::file::{Project, ProjectField, World};
use crate::world::scalar::Timestamp;

pub async fn write(writing: &mut Writing<'_>, world: &World) -> Result<(), LoadError> {
    for project in &world.projects {
        if !project.fields.is_empty() {
            write_fields(writing, project).await?;
        }
    }
    Ok(())
}

async fn write_fields(writing: &mut Writing<'_>, project: &Project) -> Result<(), LoadError> {
    let (owner, number) = (&project.owner.value, project.number.value.0);
    let kind = writing.stored.account(owner).map(|account| account.kind);
    let row = writing.stored.project(owner, number);
    let id = row
        .map(|row| row.id)
        .ok_or_else(|| vanished("project", &project.title.value))?;
    let stored = writing.stored.project_fields(id).to_vec();
    let stored = store::complete(writing.db, stored).await?;
    for said in &project.fields {
        let draft = match kind {
            Some(account::Kind::Organization) => {
                bodies::organization_project_field(&said.body.value)
            }
            _ => bodies::user_project_field(&said.body.value),
        };
        let draft = draft.map_err(|problem| bodies::refused(writing, &said.body, problem))?;
        let fixed = said.id.as_ref().map(|id| id.value.0);
        let found = writing.stored.project_field(id, fixed, &draft);
        let found = found.map(|row| row.id);
        let old = stored.iter().find(|whole| Some(whole.field.id) == found);
        write_field(writing, id, said, &draft, old).await?;
    }
    Ok(())
}

async fn write_field(
    writing: &mut Writing<'_>,
    project: i64,
    said: &ProjectField,
    draft: &NewProjectField,
    old: Option<&Whole>,
) -> Result<(), LoadError> {
    if old.is_some_and(|old| is_as_drafted(old, draft)) {
        writing.count(Kept::Unchanged);
        return Ok(());
    }
    let said_moment = said.created_at.map(Timestamp::seconds);
    let moment = said_moment.or(old.map(|old| old.field.created_at));
    let fixed = said.id.as_ref().map(|id| id.value.0);
    if let Some(old) = old {
        remove(writing, old.field.id).await?;
    }
    let adding = Adding {
        project,
        given: NewRow {
            id: old.map(|old| old.field.id).or(fixed),
            created_at: moment.unwrap_or(writing.now),
        },
        entropy: writing.entropy,
        // What it hides, it hides when fields are shown.
        issue_field_visibility: false,
    };
    let row = addition::add(writing.db, draft, &adding)
        .await
        .map_err(|problem| bodies::refused(writing, &said.body, problem))?;
    match old {
        None => {
            writing.added("project_field", fixed);
            writing.tell(
                "project field",
                said.body
                    .text("name")
                    .map_or("from an issue field", |name| name.value),
                row.id,
            );
        }
        Some(_) => {
            let updated_at = writing.now;
            writing
                .update(project_field::Model { updated_at, ..row })
                .await?;
            writing.count(Kept::Changed);
        }
    }
    Ok(())
}

async fn remove(writing: &Writing<'_>, field: i64) -> Result<(), DbErr> {
    project_field::Entity::delete_by_id(field)
        .exec(writing.db)
        .await
        .map(|_| ())
}

fn is_as_drafted(old: &Whole, draft: &NewProjectField) -> bool {
    match (&old.content, draft) {
        (Content::Issue { field, .. }, NewProjectField::FromIssueField(wanted)) => {
            field.id == wanted.id
        }
        (
            Content::Own {
                options,
                iterations,
            },
            NewProjectField::Own(own),
        ) => {
            old.field.name.as_ref() == Some(&own.name)
                && has_form(&old.field, options, iterations, own)
        }
        _ => false,
    }
}

fn has_form(
    field: &project_field::Model,
    options: &[project_field_option::Model],
    iterations: &[project_field_iteration::Model],
    own: &OwnField,
) -> bool {
    match (&own.form, field.data_type) {
        (Form::Text, Some(DataType::Text))
        | (Form::Number, Some(DataType::Number))
        | (Form::Date, Some(DataType::Date)) => true,
        (Form::SingleSelect(wanted), Some(DataType::SingleSelect)) => {
            options.len() == wanted.len()
                && options.iter().zip(wanted).all(|(option, wanted)| {
                    option.name == wanted.name
                        && option.color == wanted.color
                        && option.description == wanted.description
                })
        }
        (
            Form::Iteration {
                duration,
                start_day,
                iterations: wanted,
            },
            Some(DataType::Iteration),
        ) => {
            field.iteration_duration == Some(*duration)
                && field.iteration_start_day == Some(*start_day)
                && iterations.len() == wanted.len()
                && iterations.iter().zip(wanted).all(|(iteration, wanted)| {
                    iteration.title == wanted.title
                        && iteration.start_date == wanted.start_date.to_string()
                        && iteration.duration == wanted.duration
                })
        }
        _ => false,
    }
}
