//! Loads project fields with all the rows of their views: one query for each kind of
//! row, however many fields there are.

use std::collections::HashMap;

use sea_orm::{ColumnTrait, DbErr, EntityTrait, QueryFilter, QueryOrder};

use super::{FieldContent, FieldWithContent, rows};
use storage::database::Connection;
use storage::entities::project_field::ProjectFieldDataType;
use storage::entities::{
    issue_field, project_field, project_field_iteration, project_field_option,
};

/// Completes fields. Omits one whose issue field was just deleted.
pub async fn complete(
    connection: &Connection,
    fields: Vec<project_field::Model>,
) -> Result<Vec<FieldWithContent>, DbErr> {
    let mut options = options(connection, &fields).await?;
    let mut iterations = iterations(connection, &fields).await?;
    let mut issue_fields = issue_fields(connection, &fields).await?;
    let completed = fields.into_iter().filter_map(|field| {
        let content = match field.issue_field_id {
            None => FieldContent::Own {
                options: options.remove(&field.id).unwrap_or_default(),
                iterations: iterations.remove(&field.id).unwrap_or_default(),
            },
            Some(id) => issue_fields.remove(&id)?,
        };
        Some(FieldWithContent { field, content })
    });
    Ok(completed.collect())
}

fn ids_of(fields: &[project_field::Model], data_type: ProjectFieldDataType) -> Vec<i64> {
    let matching = fields
        .iter()
        .filter(|field| field.data_type == Some(data_type));
    matching.map(|field| field.id).collect()
}

async fn options(
    connection: &Connection,
    fields: &[project_field::Model],
) -> Result<HashMap<i64, Vec<project_field_option::Model>>, DbErr> {
    let ids = ids_of(fields, ProjectFieldDataType::SingleSelect);
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let rows = project_field_option::Entity::find()
        .filter(project_field_option::Column::FieldId.is_in(ids))
        .order_by_asc(project_field_option::Column::FieldId)
        .order_by_asc(project_field_option::Column::Position)
        .all(connection)
        .await?;
    Ok(grouped(rows, |row| row.field_id))
}

async fn iterations(
    connection: &Connection,
    fields: &[project_field::Model],
) -> Result<HashMap<i64, Vec<project_field_iteration::Model>>, DbErr> {
    let ids = ids_of(fields, ProjectFieldDataType::Iteration);
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let rows = project_field_iteration::Entity::find()
        .filter(project_field_iteration::Column::FieldId.is_in(ids))
        .order_by_asc(project_field_iteration::Column::FieldId)
        .order_by_asc(project_field_iteration::Column::Position)
        .all(connection)
        .await?;
    Ok(grouped(rows, |row| row.field_id))
}

async fn issue_fields(
    connection: &Connection,
    fields: &[project_field::Model],
) -> Result<HashMap<i64, FieldContent>, DbErr> {
    let ids: Vec<_> = fields
        .iter()
        .filter_map(|field| field.issue_field_id)
        .collect();
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let rows = issue_field::Entity::find()
        .filter(issue_field::Column::Id.is_in(ids.iter().copied()))
        .all(connection)
        .await?;
    let options = rows::issue_options(connection, ids).await?;
    let mut options = grouped(options, |row| row.field_id);
    let contents = rows.into_iter().map(|field| {
        let options = options.remove(&field.id).unwrap_or_default();
        (field.id, FieldContent::Issue { field, options })
    });
    Ok(contents.collect())
}

/// Rows by parent, each group in the order of the rows.
fn grouped<T>(rows: Vec<T>, parent: impl Fn(&T) -> i64) -> HashMap<i64, Vec<T>> {
    let mut groups: HashMap<i64, Vec<T>> = HashMap::new();
    for row in rows {
        groups.entry(parent(&row)).or_default().push(row);
    }
    groups
}
