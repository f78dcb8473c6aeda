//! What the maintained counts say about a list: its length, and the bucket in
//! which a position lies. `entities/comment_count.rs` has the table.

use sea_orm::sea_query::Order;
use sea_orm::{ConnectionTrait, DbErr, IdenStatic as _, QueryResult, Statement, Value};

use super::{Ordered, Scope};
use crate::entities::comment_count::List;

/// A bucket, and how many comments come before it in the order of the search.
#[derive(Debug)]
pub struct Bucket {
    pub number: i64,
    pub before: u64,
}

/// How many comments a repository or a pull request has.
pub async fn total(connection: &impl ConnectionTrait, scope: Scope) -> Result<u64, DbErr> {
    let (list, owner) = match scope {
        Scope::Repository(id) => (List::RepositoryById, id),
        Scope::Pull(id) => (List::PullById, id),
    };
    let sql = "SELECT CAST(COALESCE(SUM(comments), 0) AS BIGINT) AS found
               FROM comment_count WHERE list = $1 AND owner_id = $2";
    let row = one(connection, sql, [list.into(), owner.into()]).await?;
    row.map_or(Ok(0), |row| number(&row, "found"))
}

/// How many comments of a list sorted by time are not later than `moment`.
/// Whole buckets are added up; the rest of the last one is counted in the index.
pub async fn up_to(
    connection: &impl ConnectionTrait,
    ordered: Ordered,
    moment: i64,
) -> Result<u64, DbErr> {
    let (list, (column, owner)) = (ordered.list(), ordered.owner());
    let bucket = moment >> list.bucket_bits();
    let start = bucket << list.bucket_bits();
    let sql = format!(
        "SELECT CAST(COALESCE(SUM(comments), 0) AS BIGINT)
             + (SELECT COUNT(*) FROM review_comment
                WHERE {owner_id} = $2 AND {key} BETWEEN $4 AND $5) AS found
         FROM comment_count WHERE list = $1 AND owner_id = $2 AND bucket < $3",
        owner_id = column.as_str(),
        key = ordered.key.as_str(),
    );
    let values: [Value; 5] = [
        list.into(),
        owner.into(),
        bucket.into(),
        start.into(),
        moment.into(),
    ];
    let row = one(connection, &sql, values).await?;
    row.map_or(Ok(0), |row| number(&row, "found"))
}

/// The bucket that holds the comment with `skip` others before it, seen from the
/// end at which `order` begins. Only one row fits, so the sums stop there.
pub async fn bucket_at(
    connection: &impl ConnectionTrait,
    ordered: Ordered,
    order: &Order,
    skip: u64,
) -> Result<Option<Bucket>, DbErr> {
    let direction = match order {
        Order::Desc => "DESC",
        _ => "ASC",
    };
    let sql = format!(
        "SELECT bucket, through - comments AS before FROM (
             SELECT bucket, comments, CAST(SUM(comments) OVER
                 (ORDER BY bucket {direction} ROWS UNBOUNDED PRECEDING) AS BIGINT) AS through
             FROM comment_count WHERE list = $1 AND owner_id = $2
         ) AS running WHERE through > $3 AND through - comments <= $3 LIMIT 1"
    );
    let skip = i64::try_from(skip).unwrap_or(i64::MAX);
    let values: [Value; 3] = [ordered.list().into(), ordered.owner().1.into(), skip.into()];
    let row = one(connection, &sql, values).await?;
    row.map(|row| {
        Ok(Bucket {
            number: row.try_get("", "bucket")?,
            before: number(&row, "before")?,
        })
    })
    .transpose()
}

async fn one(
    connection: &impl ConnectionTrait,
    sql: &str,
    values: impl IntoIterator<Item = Value>,
) -> Result<Option<QueryResult>, DbErr> {
    let backend = connection.get_database_backend();
    let statement = Statement::from_sql_and_values(backend, sql, values);
    connection.query_one_raw(statement).await
}

fn number(row: &QueryResult, column: &str) -> Result<u64, DbErr> {
    let value: i64 = row.try_get("", column)?;
    Ok(u64::try_from(value).unwrap_or(0))
}
