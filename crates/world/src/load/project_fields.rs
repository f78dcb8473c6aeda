//! The fields of projects, through the rules and the store of the API.
//! Note: the API cannot change a field, so one that differs from the file is replaced. It keeps
//! its id; its options and iterations get new ones.

use sea_orm::{DbErr, EntityTrait};

use super::LoadError;
use super::write::{ItemOutcome, Load};
use crate::file::{Project, ProjectField, World};
use crate::ids::id_of;
use crate::scalar::DateTime;
use crate::stored::vanished;
use forge::project_fields::addition;
use forge::project_fields::addition::Adding;
use forge::project_fields::draft::{FieldSettings, NewProjectField, NewProjectFieldRow, OwnField};
use forge::projects::rows::complete;
use forge::projects::{FieldContent, FieldWithContent};
use storage::entities::project_field::ProjectFieldDataType;
use storage::entities::{account, project_field, project_field_iteration, project_field_option};

pub async fn write(load: &mut Load<'_>, world: &World) -> Result<(), LoadError> {
    for project in &world.projects {
        if !project.fields.is_empty() {
            write_fields(load, project).await?;
        }
    }
    Ok(())
}

async fn write_fields(load: &mut Load<'_>, project: &Project) -> Result<(), LoadError> {
    let (owner, number) = (&project.owner.value, project.number.value.0);
    let kind = load.stored.account(owner).map(|account| account.kind);
    let of_user = kind != Some(account::AccountKind::Organization);
    let row = load.stored.project(owner, number);
    let id = row
        .map(|row| row.id)
        .ok_or_else(|| vanished("project", &project.title.value))?;
    let stored = load.stored.project_fields(id).to_vec();
    let stored = complete(load.db, stored).await?;
    for spec in &project.fields {
        let draft = spec.request.project_field(of_user);
        let draft = draft.map_err(|problem| load.body_rejection(&spec.request, problem));
        let Some(draft) = load.collect(draft)? else {
            continue;
        };
        let stored_id = load.stored.project_field(id, id_of(&spec.id), &draft);
        let stored_id = stored_id.map(|row| row.id);
        let old = stored
            .iter()
            .find(|stored| Some(stored.field.id) == stored_id);
        let written = write_field(load, id, spec, &draft, old).await;
        load.collect(written)?;
    }
    Ok(())
}

async fn write_field(
    load: &mut Load<'_>,
    project: i64,
    spec: &ProjectField,
    draft: &NewProjectField,
    old: Option<&FieldWithContent>,
) -> Result<(), LoadError> {
    if old.is_some_and(|old| matches_draft(old, draft)) {
        load.count(ItemOutcome::Unchanged);
        return Ok(());
    }
    let spec_time = spec.created_at.map(DateTime::seconds);
    let created_at = spec_time.or(old.map(|old| old.field.created_at));
    let fixed = id_of(&spec.id);
    if let Some(old) = old {
        remove(load, old.field.id).await?;
    }
    let adding = Adding {
        project,
        new_row: NewProjectFieldRow {
            id: old.map(|old| old.field.id).or(fixed),
            created_at: created_at.unwrap_or(load.now),
        },
        entropy: load.entropy,
        // Visibility is applied when fields are shown.
        issue_field_visibility: false,
    };
    let row = addition::add(load.db, draft, &adding)
        .await
        .map_err(|problem| load.body_rejection(&spec.request, problem))?;
    match old {
        None => {
            load.count(ItemOutcome::Added);
            let name = spec.request.text("name");
            let name = name.map_or("from an issue field", |name| name.value);
            load.report_id("project field", name, row.id);
        }
        Some(_) => {
            let updated_at = load.now;
            load.update(project_field::Model { updated_at, ..row })
                .await?;
            load.count(ItemOutcome::Changed);
        }
    }
    Ok(())
}

async fn remove(load: &Load<'_>, field: i64) -> Result<(), DbErr> {
    project_field::Entity::delete_by_id(field)
        .exec(load.db)
        .await
        .map(|_| ())
}

fn matches_draft(old: &FieldWithContent, draft: &NewProjectField) -> bool {
    match (&old.content, draft) {
        (FieldContent::Issue { field, .. }, NewProjectField::FromIssueField(issue_field)) => {
            field.id == issue_field.id
        }
        (
            FieldContent::Own {
                options,
                iterations,
            },
            NewProjectField::Own(own),
        ) => {
            old.field.name.as_ref() == Some(&own.name)
                && has_settings(&old.field, options, iterations, own)
        }
        _ => false,
    }
}

fn has_settings(
    field: &project_field::Model,
    options: &[project_field_option::Model],
    iterations: &[project_field_iteration::Model],
    own: &OwnField,
) -> bool {
    match (&own.form, field.data_type) {
        (FieldSettings::Text, Some(ProjectFieldDataType::Text))
        | (FieldSettings::Number, Some(ProjectFieldDataType::Number))
        | (FieldSettings::Date, Some(ProjectFieldDataType::Date)) => true,
        (FieldSettings::SingleSelect(drafted), Some(ProjectFieldDataType::SingleSelect)) => {
            options.len() == drafted.len()
                && options.iter().zip(drafted).all(|(option, drafted)| {
                    option.name == drafted.name
                        && option.color == drafted.color
                        && option.description == drafted.description
                })
        }
        (
            FieldSettings::Iteration {
                duration,
                start_day,
                iterations: drafted,
            },
            Some(ProjectFieldDataType::Iteration),
        ) => {
            field.iteration_duration == Some(*duration)
                && field.iteration_start_day == Some(*start_day)
                && iterations.len() == drafted.len()
                && iterations.iter().zip(drafted).all(|(iteration, drafted)| {
                    iteration.title == drafted.title
                        && iteration.start_date == drafted.start_date.to_string()
                        && iteration.duration == drafted.duration
                })
        }
        _ => false,
    }
}
