//! The rows of repositories.

use sea_orm::sea_query::LockType;
use sea_orm::{DbErr, EntityTrait, QuerySelect};

use crate::access::RepositoryGrant;
use contract::problem::Problem;
use contract::reply::Outcome;
use storage::database::{Connection, Transaction};
use storage::entities::repository;

/// Blocks every other change of the references of a repository, and of what is numbered in it,
/// until the transaction ends, and reads the repository again. SQLite's transaction locks the
/// whole file; in PostgreSQL the row is locked, which does not block rows that refer to it.
pub async fn lock(transaction: &Connection, id: i64) -> Result<Option<repository::Model>, DbErr> {
    repository::Entity::find_by_id(id)
        .lock(LockType::NoKeyUpdate)
        .one(transaction)
        .await
}

/// Locks the repository of a grant; 404 if it was deleted.
pub async fn lock_repository(
    transaction: &Transaction,
    grant: &RepositoryGrant,
) -> Outcome<repository::Model> {
    let repository = lock(transaction, grant.repository.id).await?;
    repository.ok_or(Problem::NotFound)
}
