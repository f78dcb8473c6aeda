//! Rows of references, found by their names, and the row of the repository that
//! guards them.

use sea_orm::sea_query::{Expr, LockType, Query, UnionType};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, DbBackend, DbErr, EntityTrait, QueryFilter,
    QueryOrder, QuerySelect, TryInsertResult,
};

use crate::entities::git_object::Kind;
use crate::entities::{git_ref, repository};
use crate::git::Sha;

/// What a list shows of a reference.
pub type Listed = (String, String, Kind);

/// The reference with this name.
pub async fn find(
    connection: &impl ConnectionTrait,
    repository_id: i64,
    name: &str,
) -> Result<Option<git_ref::Model>, DbErr> {
    git_ref::Entity::find()
        .filter(git_ref::COLUMN.repository_id.eq(repository_id))
        .filter(git_ref::COLUMN.name.eq(name))
        .one(connection)
        .await
}

/// The references with names from `from` on and before `until`, in byte order.
/// One statement, so that the list is of one moment.
pub async fn list(
    connection: &impl ConnectionTrait,
    repository_id: i64,
    from: &str,
    until: &str,
    limit: Option<u64>,
) -> Result<Vec<Listed>, DbErr> {
    git_ref::Entity::find()
        .select_only()
        .columns([
            git_ref::Column::Name,
            git_ref::Column::Sha,
            git_ref::Column::Kind,
        ])
        .filter(git_ref::COLUMN.repository_id.eq(repository_id))
        .filter(git_ref::COLUMN.name.gte(from))
        .filter(git_ref::COLUMN.name.lt(until))
        .order_by_asc(git_ref::Column::Name)
        .limit(limit)
        .into_tuple()
        .all(connection)
        .await
}

/// Those of some names that are taken, and one of those from `from` on and before
/// `until`. Two looks into the index: as one condition they would be a walk over
/// all of a repository's references.
pub async fn clashing(
    connection: &impl ConnectionTrait,
    repository_id: i64,
    names: Vec<String>,
    from: &str,
    until: &str,
) -> Result<Vec<String>, DbErr> {
    let mut within = Query::select();
    within
        .expr(git_ref::Column::Name.min())
        .from(git_ref::Entity)
        .and_where(git_ref::Column::RepositoryId.eq(repository_id))
        .and_where(git_ref::Column::Name.gte(from))
        .and_where(git_ref::Column::Name.lt(until));
    let mut clashing = Query::select();
    clashing
        .column(git_ref::Column::Name)
        .from(git_ref::Entity)
        .and_where(git_ref::Column::RepositoryId.eq(repository_id))
        .and_where(git_ref::Column::Name.is_in(names))
        .union(UnionType::All, within);
    let rows = connection.query_all(&clashing).await?;
    let names = rows.iter().map(|row| row.try_get_by_index(0));
    let names: Vec<Option<String>> = names.collect::<Result<_, _>>()?;
    Ok(names.into_iter().flatten().collect())
}

/// Whether a branch names this commit.
pub async fn is_tip(
    connection: &impl ConnectionTrait,
    repository_id: i64,
    sha: Sha,
    branches_from: &str,
    branches_until: &str,
) -> Result<bool, DbErr> {
    let found: Option<i64> = git_ref::Entity::find()
        .select_only()
        .column(git_ref::Column::Id)
        .filter(git_ref::COLUMN.repository_id.eq(repository_id))
        .filter(git_ref::COLUMN.sha.eq(sha.to_string()))
        .filter(git_ref::COLUMN.name.gte(branches_from))
        .filter(git_ref::COLUMN.name.lt(branches_until))
        .into_tuple()
        .one(connection)
        .await?;
    Ok(found.is_some())
}

/// Makes every other change of the repository's references wait until the
/// transaction ends, and reads the repository as it is now. SQLite's transaction
/// has the whole file; in PostgreSQL the row is locked, which does not hinder
/// rows that refer to it.
pub async fn lock(
    transaction: &impl ConnectionTrait,
    repository_id: i64,
) -> Result<Option<repository::Model>, DbErr> {
    repository::Entity::find_by_id(repository_id)
        .lock(LockType::NoKeyUpdate)
        .one(transaction)
        .await
}

/// Does the same without reading the repository.
pub async fn hold(transaction: &impl ConnectionTrait, repository_id: i64) -> Result<(), DbErr> {
    if transaction.get_database_backend() == DbBackend::Postgres {
        lock(transaction, repository_id).await?;
    }
    Ok(())
}

/// Adds a reference, or says that the name is taken.
pub async fn insert(
    transaction: &impl ConnectionTrait,
    repository_id: i64,
    name: &str,
    sha: Sha,
    kind: Kind,
    now: i64,
) -> Result<bool, DbErr> {
    let row = git_ref::ActiveModel {
        repository_id: Set(repository_id),
        name: Set(name.to_owned()),
        sha: Set(sha.to_string()),
        kind: Set(kind),
        updated_at: Set(now),
        ..Default::default()
    };
    let outcome = git_ref::Entity::insert_many([row])
        .on_conflict_do_nothing_on([git_ref::Column::RepositoryId, git_ref::Column::Name])
        .exec_without_returning(transaction)
        .await?;
    Ok(matches!(outcome, TryInsertResult::Inserted(1)))
}

/// Moves a reference if it is still as it was read, or says that it is not.
pub async fn swap(
    transaction: &impl ConnectionTrait,
    old: &git_ref::Model,
    sha: Sha,
    kind: Kind,
    now: i64,
) -> Result<bool, DbErr> {
    let moved = git_ref::Entity::update_many()
        .col_expr(git_ref::Column::Sha, Expr::value(sha.to_string()))
        .col_expr(git_ref::Column::Kind, Expr::value(kind))
        .col_expr(git_ref::Column::UpdatedAt, Expr::value(now))
        .filter(git_ref::COLUMN.id.eq(old.id))
        .filter(git_ref::COLUMN.sha.eq(old.sha.as_str()))
        .exec(transaction)
        .await?;
    Ok(moved.rows_affected == 1)
}

/// Deletes a reference if it is still as it was read, or says that it is not.
pub async fn delete(
    transaction: &impl ConnectionTrait,
    old: &git_ref::Model,
) -> Result<bool, DbErr> {
    let deleted = git_ref::Entity::delete_many()
        .filter(git_ref::COLUMN.id.eq(old.id))
        .filter(git_ref::COLUMN.sha.eq(old.sha.as_str()))
        .exec(transaction)
        .await?;
    Ok(deleted.rows_affected == 1)
}
