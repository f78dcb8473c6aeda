//! The rows of issues. Fields that a pull request has too are changed there, and triggers copy
//! them.

use sea_orm::sea_query::{Expr, LockType};
use sea_orm::{
    ActiveModelTrait, ColumnTrait, DbErr, EntityTrait, IntoActiveModel, QueryFilter, QuerySelect,
};

use crate::pulls;
use storage::database::Connection;
use storage::entities::{issue, pull};

pub async fn issue(
    connection: &Connection,
    repository: i64,
    number: i64,
) -> Result<Option<issue::Model>, DbErr> {
    issue::Entity::find()
        .filter(issue::COLUMN.repository_id.eq(repository))
        .filter(issue::COLUMN.number.eq(number))
        .one(connection)
        .await
}

/// Locks an issue, and reads its current row. For a pull request it also takes the lock of
/// changes of pull requests.
pub async fn lock(
    transaction: &Connection,
    row: &issue::Model,
) -> Result<Option<issue::Model>, DbErr> {
    if let Some(pull) = row.pull_id {
        pulls::lock_row(transaction, pull).await?;
    }
    lock_row(transaction, row.id).await
}

/// Reads an issue again, and blocks other changes of it.
pub async fn lock_row(transaction: &Connection, id: i64) -> Result<Option<issue::Model>, DbErr> {
    issue::Entity::find_by_id(id)
        .lock(LockType::NoKeyUpdate)
        .one(transaction)
        .await
}

/// The number of the next issue or pull request. The repository must be locked.
pub async fn next_number(transaction: &Connection, repository: i64) -> Result<i64, DbErr> {
    let last: Option<Option<i64>> = issue::Entity::find()
        .select_only()
        .column_as(issue::Column::Number.max(), "last")
        .filter(issue::COLUMN.repository_id.eq(repository))
        .into_tuple()
        .one(transaction)
        .await?;
    Ok(last.flatten().unwrap_or(0) + 1)
}

/// Sets the update time of an issue, unless it is already set to this second.
pub async fn touch(transaction: &Connection, row: &issue::Model, now: i64) -> Result<(), DbErr> {
    if row.updated_at >= now {
        return Ok(());
    }
    match row.pull_id {
        Some(pull) => {
            pull::Entity::update_many()
                .col_expr(pull::Column::UpdatedAt, Expr::value(now))
                .filter(pull::COLUMN.id.eq(pull))
                .filter(pull::COLUMN.updated_at.lt(now))
                .exec(transaction)
                .await?;
        }
        None => {
            issue::Entity::update_many()
                .col_expr(issue::Column::UpdatedAt, Expr::value(now))
                .filter(issue::COLUMN.id.eq(row.id))
                .filter(issue::COLUMN.updated_at.lt(now))
                .exec(transaction)
                .await?;
        }
    }
    Ok(())
}

/// Writes a changed row, except the number of comments, which triggers maintain.
pub async fn save(transaction: &Connection, row: &issue::Model) -> Result<(), DbErr> {
    let mut row = row.clone().into_active_model().reset_all();
    row.comments = sea_orm::ActiveValue::NotSet;
    issue::Entity::update(row).exec(transaction).await?;
    Ok(())
}
