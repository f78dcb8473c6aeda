//! Rows by the values of a column, for code that has many of them at once.

use std::collections::BTreeSet;

use super::Connection;
use sea_orm::{ColumnTrait, DbErr, EntityTrait, QueryFilter, Value};

/// How many values one query asks for; SQLite and PostgreSQL take many more.
const BATCH: usize = 500;

/// The rows that have one of these values in a column, with a query for each batch of
/// values.
pub async fn rows_with<E: EntityTrait, V: Into<Value> + Ord + Clone>(
    db: &Connection,
    column: impl ColumnTrait<EntityName = E> + Copy,
    values: impl IntoIterator<Item = V>,
) -> Result<Vec<E::Model>, DbErr> {
    let distinct: BTreeSet<V> = values.into_iter().collect();
    let values: Vec<V> = distinct.into_iter().collect();
    let mut rows = Vec::new();
    for values in values.chunks(BATCH) {
        let query = E::find().filter(column.is_in(values.iter().cloned()));
        rows.extend(query.all(db).await?);
    }
    Ok(rows)
}
