//! Rows of statuses. A commit is a row of `git_commit`.

use sea_orm::sea_query::Expr;
use sea_orm::{
    ActiveModelTrait, DbErr, EntityTrait, IntoActiveModel, PaginatorTrait, QueryFilter, QueryOrder,
    QuerySelect, Select,
};

use super::latest;
use contract::paging::Page;
use storage::database::Connection;
use storage::entities::commit_status::{self, Column, Entity, Model};

/// A page of the statuses of a commit, newest first, and their total.
pub async fn list(
    connection: &Connection,
    commit: i64,
    page: Page,
) -> Result<(Vec<Model>, u64), DbErr> {
    let all = Entity::find().filter(commit_status::COLUMN.commit_id.eq(commit));
    let total = all.clone().count(connection).await?;
    let rows = all
        .order_by_desc(Column::Id)
        .offset(page.skipped().min(total))
        .limit(page.per_page)
        .all(connection)
        .await?;
    Ok((rows, total))
}

/// A page of the newest statuses of each context; `total` is their number.
pub async fn newest(
    connection: &Connection,
    commit: i64,
    page: Page,
    total: u64,
) -> Result<Vec<Model>, DbErr> {
    Entity::find()
        .filter(commit_status::COLUMN.commit_id.eq(commit))
        .filter(latest())
        .order_by_asc(Column::Id)
        .offset(page.skipped().min(total))
        .limit(page.per_page)
        .all(connection)
        .await
}

/// How many statuses a commit has in a context.
pub async fn count(connection: &Connection, commit: i64, context_key: &str) -> Result<u64, DbErr> {
    in_context(commit, context_key).count(connection).await
}

/// The statuses of a commit in a context.
pub fn in_context(commit: i64, context_key: &str) -> Select<Entity> {
    Entity::find()
        .filter(commit_status::COLUMN.commit_id.eq(commit))
        .filter(commit_status::COLUMN.context_key.eq(context_key))
}

/// Writes a status as the newest of its context. The repository must be locked.
pub async fn insert(transaction: &Connection, mut row: Model) -> Result<Model, DbErr> {
    Entity::update_many()
        .col_expr(Column::Latest, Expr::value(false))
        .filter(commit_status::COLUMN.commit_id.eq(row.commit_id))
        .filter(
            commit_status::COLUMN
                .context_key
                .eq(row.context_key.as_str()),
        )
        .filter(commit_status::COLUMN.latest.eq(true))
        .exec(transaction)
        .await?;
    let new = commit_status::ActiveModel {
        id: sea_orm::NotSet,
        ..row.clone().into_active_model().reset_all()
    };
    row.id = Entity::insert(new).exec(transaction).await?.last_insert_id;
    Ok(row)
}
