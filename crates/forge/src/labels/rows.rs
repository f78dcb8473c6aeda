//! The labels of a repository.

use sea_orm::{
    ActiveModelTrait, DbErr, EntityTrait, IntoActiveModel, PaginatorTrait, QueryFilter, QueryOrder,
    QuerySelect,
};

use super::labels::find_by_name;
use contract::paging::Page;
use storage::database::Connection;
use storage::entities::label;

/// A page of the labels by name, and their total.
pub async fn page(
    connection: &Connection,
    repository: i64,
    page: Page,
) -> Result<(Vec<label::Model>, u64), DbErr> {
    let all = label::Entity::find().filter(label::COLUMN.repository_id.eq(repository));
    let total = all.clone().count(connection).await?;
    if page.skipped() >= total {
        return Ok((Vec::new(), total));
    }
    let rows = all
        .order_by_asc(label::Column::NameKey)
        .offset(page.skipped())
        .limit(page.per_page)
        .all(connection)
        .await?;
    Ok((rows, total))
}

/// Writes a changed label; false if another label has its name.
pub async fn save(transaction: &Connection, row: &label::Model) -> Result<bool, DbErr> {
    let other = find_by_name(transaction, row.repository_id, &row.name).await?;
    if other.is_some_and(|other| other.id != row.id) {
        return Ok(false);
    }
    let row = row.clone().into_active_model().reset_all();
    label::Entity::update(row).exec(transaction).await?;
    Ok(true)
}

pub async fn delete(transaction: &Connection, id: i64) -> Result<(), DbErr> {
    label::Entity::delete_by_id(id).exec(transaction).await?;
    Ok(())
}
