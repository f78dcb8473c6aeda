//! The rows of items and of their values. It decides nothing and begins no transaction: the caller
//! has made the checks, and commits.

use sea_orm::sea_query::{LockType, OnConflict};
use sea_orm::{
    ActiveModelTrait, ColumnTrait, DbErr, EntityTrait, IntoActiveModel, PaginatorTrait,
    QueryFilter, QuerySelect, Set,
};

use super::draft::{NewContent, NewItem, NewValue};
use storage::database::{Connection, rows_with};
use storage::entities::{issue, project_item, project_item_value};

pub async fn find(
    connection: &Connection,
    project: i64,
    id: i64,
) -> Result<Option<project_item::Model>, DbErr> {
    of_project(project, id).one(connection).await
}

/// Reads an item again, and locks it.
pub async fn lock(
    transaction: &Connection,
    project: i64,
    id: i64,
) -> Result<Option<project_item::Model>, DbErr> {
    let item = of_project(project, id).lock(LockType::NoKeyUpdate);
    item.one(transaction).await
}

fn of_project(project: i64, id: i64) -> sea_orm::Select<project_item::Entity> {
    project_item::Entity::find_by_id(id).filter(project_item::COLUMN.project_id.eq(project))
}

/// The item of an issue in a project.
pub async fn find_by_issue(
    connection: &Connection,
    project: i64,
    issue: i64,
) -> Result<Option<project_item::Model>, DbErr> {
    project_item::Entity::find()
        .filter(project_item::COLUMN.project_id.eq(project))
        .filter(project_item::Column::IssueId.eq(issue))
        .one(connection)
        .await
}

/// The issue of an item; None for a draft.
pub async fn issue_of(
    connection: &Connection,
    item: &project_item::Model,
) -> Result<Option<issue::Model>, DbErr> {
    match item.issue_id {
        Some(id) => issue::Entity::find_by_id(id).one(connection).await,
        None => Ok(None),
    }
}

pub async fn count(connection: &Connection, project: i64) -> Result<u64, DbErr> {
    project_item::Entity::find()
        .filter(project_item::COLUMN.project_id.eq(project))
        .count(connection)
        .await
}

/// Adds an item; None if the project already has the issue.
pub async fn insert(
    transaction: &Connection,
    new: NewItem,
) -> Result<Option<project_item::Model>, DbErr> {
    let mut row = project_item::ActiveModel {
        project_id: Set(new.project),
        creator_id: Set(new.creator),
        created_at: Set(new.now),
        updated_at: Set(new.now),
        ..Default::default()
    };
    if let Some(id) = new.id {
        row.id = Set(id);
    }
    match new.content {
        NewContent::Issue(issue) => row.issue_id = Set(Some(issue)),
        NewContent::Draft { title, body } => {
            (row.draft_title, row.draft_body) = (Set(Some(title)), Set(body));
            return Ok(Some(row.insert(transaction).await?));
        }
    }
    let issue = row.issue_id.clone().take().flatten();
    let conflict = [
        project_item::Column::ProjectId,
        project_item::Column::IssueId,
    ];
    let conflict = OnConflict::columns(conflict).do_nothing().to_owned();
    let added = project_item::Entity::insert(row)
        .on_conflict(conflict)
        .exec_without_returning(transaction)
        .await?;
    match issue.filter(|_| added > 0) {
        Some(issue) => find_by_issue(transaction, new.project, issue).await,
        None => Ok(None),
    }
}

/// Writes a changed row.
pub async fn save(transaction: &Connection, row: &project_item::Model) -> Result<(), DbErr> {
    let row = row.clone().into_active_model().reset_all();
    project_item::Entity::update(row).exec(transaction).await?;
    Ok(())
}

pub async fn delete(transaction: &Connection, id: i64) -> Result<(), DbErr> {
    project_item::Entity::delete_by_id(id)
        .exec(transaction)
        .await?;
    Ok(())
}

/// The values of items, in all fields.
pub async fn values(
    connection: &Connection,
    items: impl IntoIterator<Item = i64>,
) -> Result<Vec<project_item_value::Model>, DbErr> {
    rows_with(connection, project_item_value::Column::ItemId, items).await
}

/// The row of a value.
pub fn value_row(item: i64, field: i64, value: NewValue) -> project_item_value::Model {
    let mut row = project_item_value::Model {
        item_id: item,
        field_id: field,
        text_value: None,
        number_value: None,
        date_value: None,
        option_id: None,
        iteration_id: None,
    };
    match value {
        NewValue::Text(text) => row.text_value = Some(text),
        NewValue::Number(number) => row.number_value = Some(number),
        NewValue::Date(day) => row.date_value = Some(day.to_string()),
        NewValue::Option(id) => row.option_id = Some(id),
        NewValue::Iteration(id) => row.iteration_id = Some(id),
    }
    row
}

/// Replaces the values of an item in these fields. A field without a row loses its value.
pub async fn replace_values(
    transaction: &Connection,
    item: i64,
    fields: Vec<i64>,
    rows: Vec<project_item_value::Model>,
) -> Result<(), DbErr> {
    if fields.is_empty() {
        return Ok(());
    }
    project_item_value::Entity::delete_many()
        .filter(project_item_value::COLUMN.item_id.eq(item))
        .filter(project_item_value::Column::FieldId.is_in(fields))
        .exec(transaction)
        .await?;
    if !rows.is_empty() {
        let rows = rows
            .into_iter()
            .map(|row| row.into_active_model().reset_all());
        project_item_value::Entity::insert_many(rows)
            .exec_without_returning(transaction)
            .await?;
    }
    Ok(())
}
