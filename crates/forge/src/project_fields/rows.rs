//! The rows of project fields; `projects/loading.rs` completes them. It decides nothing and begins
//! no transaction: the caller has made the checks, and commits.

use sea_orm::sea_query::LockType;
use sea_orm::{
    ActiveModelTrait, ColumnTrait, DbErr, EntityTrait, PaginatorTrait, QueryFilter, QuerySelect,
    Set,
};

use super::draft::{
    FieldSettings, NewIteration, NewProjectField, NewProjectFieldOption, NewProjectFieldRow,
    OwnField, name_key,
};
use crate::projects::pages::ProjectList;
use crate::projects::rows::FieldScope;
use storage::database::Connection;
use storage::entities::project_field::ProjectFieldDataType;
use storage::entities::{
    issue_field, project, project_field, project_field_iteration, project_field_option,
};

/// The list of the fields, for paging by cursors.
pub fn listed(scope: FieldScope) -> ProjectList<project_field::Entity> {
    ProjectList {
        project: scope.project,
        rows: scope.fields(),
        id: project_field::Column::Id,
        id_of: |field| field.id,
    }
}

pub async fn find(
    connection: &Connection,
    scope: FieldScope,
    id: i64,
) -> Result<Option<project_field::Model>, DbErr> {
    scope
        .fields()
        .filter(project_field::COLUMN.id.eq(id))
        .one(connection)
        .await
}

/// The project's own field with this name, ignoring case.
pub async fn find_by_name(
    connection: &Connection,
    project: i64,
    name: &str,
) -> Result<Option<project_field::Model>, DbErr> {
    project_field::Entity::find()
        .filter(project_field::COLUMN.project_id.eq(project))
        .filter(project_field::Column::NameKey.eq(name_key(name)))
        .one(connection)
        .await
}

/// The field of a project that represents an issue field.
pub async fn find_by_issue_field(
    connection: &Connection,
    project: i64,
    issue_field: i64,
) -> Result<Option<project_field::Model>, DbErr> {
    project_field::Entity::find()
        .filter(project_field::COLUMN.project_id.eq(project))
        .filter(project_field::Column::IssueFieldId.eq(issue_field))
        .one(connection)
        .await
}

pub async fn count(connection: &Connection, project: i64) -> Result<u64, DbErr> {
    project_field::Entity::find()
        .filter(project_field::COLUMN.project_id.eq(project))
        .count(connection)
        .await
}

/// Serializes additions to a project. SQLite has one writer anyway. None if the project does not
/// exist.
pub async fn lock_project(
    connection: &Connection,
    project: i64,
) -> Result<Option<project::Model>, DbErr> {
    // Weaker than FOR UPDATE, so that writers of rows that refer to the project need not wait.
    project::Entity::find_by_id(project)
        .lock(LockType::NoKeyUpdate)
        .one(connection)
        .await
}

/// An issue field of an organization, locked until the transaction ends.
pub async fn lock_issue_field(
    connection: &Connection,
    organization: i64,
    id: i64,
) -> Result<Option<issue_field::Model>, DbErr> {
    issue_field::Entity::find_by_id(id)
        .filter(issue_field::COLUMN.organization_id.eq(organization))
        .lock_shared()
        .one(connection)
        .await
}

/// Inserts a field with its options or iterations, whose public ids are `keys`,
/// one for each, in order.
pub async fn insert(
    connection: &Connection,
    project: i64,
    draft: &NewProjectField,
    new_row: NewProjectFieldRow,
    keys: &[String],
) -> Result<project_field::Model, DbErr> {
    let mut row = match draft {
        NewProjectField::FromIssueField(mirrored) => project_field::ActiveModel {
            issue_field_id: Set(Some(mirrored.id)),
            ..Default::default()
        },
        NewProjectField::Own(own) => own_row(own),
    };
    row.project_id = Set(project);
    row.created_at = Set(new_row.created_at);
    row.updated_at = Set(new_row.created_at);
    if let Some(id) = new_row.id {
        row.id = Set(id);
    }
    let field = row.insert(connection).await?;
    if let NewProjectField::Own(own) = draft {
        match &own.form {
            FieldSettings::SingleSelect(options) => {
                insert_options(connection, field.id, options, keys).await?;
            }
            FieldSettings::Iteration { iterations, .. } => {
                insert_iterations(connection, field.id, iterations, keys).await?;
            }
            FieldSettings::Text | FieldSettings::Number | FieldSettings::Date => {}
        }
    }
    Ok(field)
}

fn own_row(own: &OwnField) -> project_field::ActiveModel {
    let data_type = match &own.form {
        FieldSettings::Text => ProjectFieldDataType::Text,
        FieldSettings::Number => ProjectFieldDataType::Number,
        FieldSettings::Date => ProjectFieldDataType::Date,
        FieldSettings::SingleSelect(_) => ProjectFieldDataType::SingleSelect,
        FieldSettings::Iteration { .. } => ProjectFieldDataType::Iteration,
    };
    let mut row = project_field::ActiveModel {
        name: Set(Some(own.name.clone())),
        name_key: Set(Some(name_key(&own.name))),
        data_type: Set(Some(data_type)),
        ..Default::default()
    };
    if let FieldSettings::Iteration {
        duration,
        start_day,
        ..
    } = own.form
    {
        row.iteration_duration = Set(Some(duration));
        row.iteration_start_day = Set(Some(start_day));
    }
    row
}

async fn insert_options(
    connection: &Connection,
    field: i64,
    options: &[NewProjectFieldOption],
    keys: &[String],
) -> Result<(), DbErr> {
    let rows = options
        .iter()
        .zip(keys)
        .zip(0..)
        .map(
            |((option, key), position)| project_field_option::ActiveModel {
                field_id: Set(field),
                option_key: Set(key.clone()),
                name: Set(option.name.clone()),
                name_key: Set(name_key(&option.name)),
                color: Set(option.color),
                description: Set(option.description.clone()),
                position: Set(position),
                ..Default::default()
            },
        );
    project_field_option::Entity::insert_many(rows)
        .exec_without_returning(connection)
        .await?;
    Ok(())
}

async fn insert_iterations(
    connection: &Connection,
    field: i64,
    iterations: &[NewIteration],
    keys: &[String],
) -> Result<(), DbErr> {
    if iterations.is_empty() {
        return Ok(());
    }
    let rows = iterations
        .iter()
        .zip(keys)
        .zip(0..)
        .map(
            |((iteration, key), position)| project_field_iteration::ActiveModel {
                field_id: Set(field),
                iteration_key: Set(key.clone()),
                title: Set(iteration.title.clone()),
                start_date: Set(iteration.start_date.to_string()),
                duration: Set(iteration.duration),
                position: Set(position),
                ..Default::default()
            },
        );
    project_field_iteration::Entity::insert_many(rows)
        .exec_without_returning(connection)
        .await?;
    Ok(())
}
