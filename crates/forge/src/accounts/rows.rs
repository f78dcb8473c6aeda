//! Accounts that other rows refer to.

use std::collections::{BTreeSet, HashMap};

use migration::aggregates::Kind;
use sea_orm::DbErr;

use storage::database::{Connection, ReadSource, rows_with};
use storage::entities::account;

/// Accounts by id.
pub type AccountsById = HashMap<i64, account::Model>;

/// Finds accounts. A cached result depends on each of them.
pub async fn accounts(source: &impl ReadSource, ids: BTreeSet<i64>) -> Result<AccountsById, DbErr> {
    let aggregates: Vec<_> = ids.iter().map(|id| Kind::Account.of(*id)).collect();
    accounts_by(source.reading(&aggregates).await, ids).await
}

/// The same if nothing is cached, or the caller has declared the dependencies.
pub async fn accounts_by(
    connection: &Connection,
    ids: impl IntoIterator<Item = i64>,
) -> Result<AccountsById, DbErr> {
    let rows = rows_with(connection, account::Column::Id, ids).await?;
    Ok(rows.into_iter().map(|row| (row.id, row)).collect())
}
