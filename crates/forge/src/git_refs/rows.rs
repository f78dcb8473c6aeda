//! Rows of references, found by their names, and the row of the repository that
//! guards them.

use std::collections::HashMap;

use sea_orm::sea_query::Expr;
use sea_orm::{
    ActiveEnum, ConnectionTrait, DbErr, EntityTrait, Order, PaginatorTrait, QueryFilter,
    QueryOrder, QuerySelect, Select, Statement, Value,
};
use serde::{Serialize, Serializer};

use super::rules::RefUpdateOutcome;
use git::Sha;
use git::refs::{NameRange, RefName};
use git::target::{RefRow, RefTarget};
use storage::database::Connection;
use storage::entities::git_object::ObjectKind;
use storage::entities::git_ref;

/// Names per query.
const NAMES: usize = 100;

/// The reference with this name.
pub async fn find(
    connection: &Connection,
    repository_id: i64,
    name: &str,
) -> Result<Option<git_ref::Model>, DbErr> {
    git_ref::Entity::find()
        .filter(git_ref::COLUMN.repository_id.eq(repository_id))
        .filter(git_ref::COLUMN.name.eq(name))
        .one(connection)
        .await
}

/// The references with these names, by name. One query per 100.
pub async fn find_many(
    connection: &Connection,
    repository_id: i64,
    names: &[&str],
) -> Result<HashMap<String, git_ref::Model>, DbErr> {
    let mut refs = HashMap::with_capacity(names.len());
    for chunk in names.chunks(NAMES) {
        let rows = git_ref::Entity::find()
            .filter(git_ref::COLUMN.repository_id.eq(repository_id))
            .filter(git_ref::COLUMN.name.is_in(chunk.iter().copied()))
            .all(connection)
            .await?;
        refs.extend(rows.into_iter().map(|row| (row.name.clone(), row)));
    }
    Ok(refs)
}

/// The references with names from `from` on and before `until`, in byte order.
/// One statement, so that the list is consistent.
pub async fn list(
    connection: &Connection,
    repository_id: i64,
    from: &str,
    until: &str,
    limit: Option<u64>,
) -> Result<Vec<RefRow>, DbErr> {
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

/// One page of the references with names from `from` on and before `until`, in byte order
/// or against it.
pub async fn page(
    connection: &Connection,
    repository_id: i64,
    range: &NameRange,
    order: Order,
    (skip, take): (u64, u64),
) -> Result<Vec<RefRow>, DbErr> {
    named_within(repository_id, range)
        .select_only()
        .columns([
            git_ref::Column::Name,
            git_ref::Column::Sha,
            git_ref::Column::Kind,
        ])
        .order_by(git_ref::Column::Name, order)
        // A number that does not fit is past the end of every list.
        .offset(skip.min(i64::MAX as u64))
        .limit(take)
        .into_tuple()
        .all(connection)
        .await
}

/// How many references have names from `from` on and before `until`.
pub async fn count(
    connection: &Connection,
    repository_id: i64,
    range: &NameRange,
) -> Result<u64, DbErr> {
    named_within(repository_id, range).count(connection).await
}

fn named_within(repository_id: i64, range: &NameRange) -> Select<git_ref::Entity> {
    git_ref::Entity::find()
        .filter(git_ref::COLUMN.repository_id.eq(repository_id))
        .filter(git_ref::COLUMN.name.gte(range.from.as_str()))
        .filter(git_ref::COLUMN.name.lt(range.until.as_str()))
}

/// Whether a branch names this commit.
pub async fn is_tip(
    connection: &Connection,
    repository_id: i64,
    sha: Sha,
    branches_from: &str,
    branches_until: &str,
) -> Result<bool, DbErr> {
    let ref_id: Option<i64> = git_ref::Entity::find()
        .select_only()
        .column(git_ref::Column::Id)
        .filter(git_ref::COLUMN.repository_id.eq(repository_id))
        .filter(git_ref::COLUMN.sha.eq(sha.to_string()))
        .filter(git_ref::COLUMN.name.gte(branches_from))
        .filter(git_ref::COLUMN.name.lt(branches_until))
        .into_tuple()
        .one(connection)
        .await?;
    Ok(ref_id.is_some())
}

/// A reference to add, and the names that conflict with it.
#[derive(Debug, Serialize)]
pub struct NewRef {
    pub name: String,
    /// The names for which it would have to be a directory.
    pub above: Vec<String>,
    /// The names that would have to be a directory for it: from the first on, and
    /// before the second.
    pub below_from: String,
    pub below_until: String,
    pub sha: String,
    #[serde(serialize_with = "stored")]
    pub kind: ObjectKind,
}

impl NewRef {
    pub fn new(name: &RefName, target: RefTarget) -> Self {
        let below = name.below();
        Self {
            name: name.to_string(),
            above: name.above(),
            below_from: below.from,
            below_until: below.until,
            sha: target.sha.to_string(),
            kind: target.kind,
        }
    }

    /// The values of the statements that add it.
    pub(super) fn values(&self, repository_id: i64, now: i64) -> Vec<Value> {
        vec![
            repository_id.into(),
            self.name.as_str().into(),
            self.sha.as_str().into(),
            self.kind.into(),
            now.into(),
            self.below_from.as_str().into(),
            self.below_until.as_str().into(),
        ]
    }
}

fn stored<S: Serializer>(kind: &ObjectKind, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&kind.to_value())
}

/// The outcome of adding a reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Insertion {
    Done,
    /// The name is taken.
    Taken,
    /// An existing name conflicts with it.
    Blocked,
}

impl From<Insertion> for RefUpdateOutcome {
    fn from(insertion: Insertion) -> Self {
        match insertion {
            Insertion::Done => Self::Done,
            Insertion::Taken => Self::Taken,
            Insertion::Blocked => Self::Blocked,
        }
    }
}

/// Adds a reference. The repository must be locked.
pub async fn insert_in(
    transaction: &Connection,
    repository_id: i64,
    new: &NewRef,
    now: i64,
) -> Result<Insertion, DbErr> {
    if insert_unless_blocked(transaction, repository_id, new, now).await? {
        return Ok(Insertion::Done);
    }
    let existing = find(transaction, repository_id, &new.name).await?;
    Ok(match existing {
        Some(_) => Insertion::Taken,
        None => Insertion::Blocked,
    })
}

async fn insert_unless_blocked(
    transaction: &Connection,
    repository_id: i64,
    new: &NewRef,
    now: i64,
) -> Result<bool, DbErr> {
    let placeholders = (0..new.above.len()).map(|index| format!("${}", index + 8));
    let sql = format!(
        "INSERT INTO git_ref (repository_id, name, sha, kind, updated_at)
         SELECT $1, $2, $3, $4, $5
         WHERE NOT EXISTS (SELECT 1 FROM git_ref
                 WHERE repository_id = $1 AND name IN ({}))
             AND NOT EXISTS (SELECT 1 FROM git_ref
                 WHERE repository_id = $1 AND name >= $6 AND name < $7)
         ON CONFLICT (repository_id, name) DO NOTHING",
        placeholders.collect::<Vec<_>>().join(", ")
    );
    let mut values = new.values(repository_id, now);
    values.extend(new.above.iter().map(Value::from));
    let statement = Statement::from_sql_and_values(transaction.get_database_backend(), sql, values);
    let inserted = transaction.execute_raw(statement).await?;
    Ok(inserted.rows_affected() == 1)
}

/// Moves a reference if it is unchanged since it was read; returns whether it was.
pub async fn swap(
    transaction: &Connection,
    old: &git_ref::Model,
    target: RefTarget,
    now: i64,
) -> Result<bool, DbErr> {
    let moved = git_ref::Entity::update_many()
        .col_expr(git_ref::Column::Sha, Expr::value(target.sha.to_string()))
        .col_expr(git_ref::Column::Kind, Expr::value(target.kind))
        .col_expr(git_ref::Column::UpdatedAt, Expr::value(now))
        .filter(git_ref::COLUMN.id.eq(old.id))
        .filter(git_ref::COLUMN.sha.eq(old.sha.as_str()))
        .exec(transaction)
        .await?;
    Ok(moved.rows_affected == 1)
}

/// Deletes a reference if it is unchanged since it was read; returns whether it was.
pub async fn delete(transaction: &Connection, old: &git_ref::Model) -> Result<bool, DbErr> {
    let deleted = git_ref::Entity::delete_many()
        .filter(git_ref::COLUMN.id.eq(old.id))
        .filter(git_ref::COLUMN.sha.eq(old.sha.as_str()))
        .exec(transaction)
        .await?;
    Ok(deleted.rows_affected == 1)
}
