//! Writes rows. The repository must be locked.

use sea_orm::sea_query::Expr;
use sea_orm::{
    ActiveModelTrait, ColumnTrait, DbErr, EntityTrait, IntoActiveModel, PaginatorTrait,
    QueryFilter, QueryOrder, QuerySelect, Select,
};

use storage::database::Connection;
use storage::entities::check_run::{Column, Entity, Model};
use storage::entities::{check_annotation, check_run, check_suite};

pub async fn insert_suite(
    transaction: &Connection,
    mut row: check_suite::Model,
) -> Result<check_suite::Model, DbErr> {
    let new = check_suite::ActiveModel {
        id: sea_orm::NotSet,
        ..row.clone().into_active_model().reset_all()
    };
    let new = check_suite::Entity::insert(new).exec(transaction).await?;
    row.id = new.last_insert_id;
    Ok(row)
}

pub async fn touch_suite(
    transaction: &Connection,
    mut suite: check_suite::Model,
    now: i64,
) -> Result<check_suite::Model, DbErr> {
    suite.updated_at = now;
    check_suite::Entity::update_many()
        .col_expr(check_suite::Column::UpdatedAt, Expr::value(now))
        .filter(check_suite::COLUMN.id.eq(suite.id))
        .exec(transaction)
        .await?;
    Ok(suite)
}

/// Writes a new check run, and deletes the oldest of its name if there are too many.
pub async fn insert_run(
    transaction: &Connection,
    mut row: Model,
    most: u64,
) -> Result<Model, DbErr> {
    let same_name = with_name(row.suite_id, &row.name);
    let existing = same_name.clone().count(transaction).await?;
    if existing >= most {
        let oldest = same_name
            .order_by_asc(Column::Id)
            .limit(existing - most + 1);
        let oldest: Vec<i64> = oldest
            .select_only()
            .column(Column::Id)
            .into_tuple()
            .all(transaction)
            .await?;
        let deletion = Entity::delete_many().filter(Column::Id.is_in(oldest));
        deletion.exec(transaction).await?;
    }
    let new = check_run::ActiveModel {
        id: sea_orm::NotSet,
        ..row.clone().into_active_model().reset_all()
    };
    row.id = Entity::insert(new).exec(transaction).await?.last_insert_id;
    mark(transaction, row.suite_id, &row.name).await?;
    Ok(row)
}

/// Writes a changed check run, which may have had another name.
pub async fn update_run(
    transaction: &Connection,
    row: &Model,
    old_name: &str,
) -> Result<(), DbErr> {
    let changed = row.clone().into_active_model().reset_all();
    Entity::update(changed).exec(transaction).await?;
    if row.name != old_name {
        mark(transaction, row.suite_id, old_name).await?;
        mark(transaction, row.suite_id, &row.name).await?;
    }
    Ok(())
}

/// The check runs of a suite with one name.
pub fn with_name(suite: i64, name: &str) -> Select<Entity> {
    Entity::find()
        .filter(check_run::COLUMN.suite_id.eq(suite))
        .filter(check_run::COLUMN.name.eq(name))
}

/// Marks the newest check run of a name, and no other.
async fn mark(transaction: &Connection, suite: i64, name: &str) -> Result<(), DbErr> {
    let newest: Option<i64> = with_name(suite, name)
        .select_only()
        .column(Column::Id)
        .order_by_desc(Column::Id)
        .into_tuple()
        .one(transaction)
        .await?;
    let Some(newest) = newest else {
        return Ok(());
    };
    for (latest, condition) in [
        (false, Column::Id.ne(newest)),
        (true, Column::Id.eq(newest)),
    ] {
        Entity::update_many()
            .col_expr(Column::Latest, Expr::value(latest))
            .filter(check_run::COLUMN.suite_id.eq(suite))
            .filter(check_run::COLUMN.name.eq(name))
            .filter(check_run::COLUMN.latest.eq(!latest))
            .filter(condition)
            .exec(transaction)
            .await?;
    }
    Ok(())
}

pub async fn insert_annotations(
    transaction: &Connection,
    rows: Vec<check_annotation::ActiveModel>,
) -> Result<(), DbErr> {
    if !rows.is_empty() {
        check_annotation::Entity::insert_many(rows)
            .exec_without_returning(transaction)
            .await?;
    }
    Ok(())
}
