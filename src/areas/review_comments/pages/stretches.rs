//! How long a list is, and where in it to begin to read, by the numbers that the
//! database keeps of it (`entities/comment_block.rs`). No comment is read here.

use sea_orm::{ConnectionTrait, DbErr, QueryResult, Statement, Value};

use crate::entities::comment_block::List;

/// A stretch, and how many comments stand before it.
#[derive(Debug)]
pub struct Stretch {
    pub before: u64,
    pub first_key: i64,
    pub first_id: i64,
}

/// What a stretch is looked for by.
#[derive(Debug, Clone, Copy)]
pub enum Place {
    /// How many comments may stand before it.
    Before(u64),
    /// What the list is ordered by.
    Key(i64),
}

/// How many comments a list has: those of the sections, and those of the stretches
/// of the last section, which is not counted.
pub async fn length(
    connection: &impl ConnectionTrait,
    list: List,
    owner: i64,
) -> Result<u64, DbErr> {
    let sql = "SELECT CAST(COALESCE(SUM(comments), 0) AS BIGINT) AS before_it
               FROM (
                   SELECT comments FROM comment_block
                   WHERE list = $1 AND owner_id = $2 AND level = 1
                   UNION ALL SELECT comments FROM comment_block
                   WHERE list = $1 AND owner_id = $2 AND level = 0
                       AND (first_key, first_id) >= (SELECT first_key, first_id
                           FROM comment_block
                           WHERE list = $1 AND owner_id = $2 AND level = 1
                           ORDER BY first_key DESC, first_id DESC LIMIT 1)
               ) AS counted";
    let backend = connection.get_database_backend();
    let values: [Value; 2] = [list.into(), owner.into()];
    let statement = Statement::from_sql_and_values(backend, sql, values);
    let row = connection.query_one_raw(statement).await?;
    row.map_or(Ok(0), |row| before(&row))
}

/// The last stretch of a list up to a place.
pub async fn last(
    connection: &impl ConnectionTrait,
    list: List,
    owner: i64,
    place: Place,
) -> Result<Option<Stretch>, DbErr> {
    let (column, most) = match place {
        Place::Before(count) => ("before_it", i64::try_from(count).unwrap_or(i64::MAX)),
        Place::Key(key) => ("first_key", key),
    };
    let backend = connection.get_database_backend();
    let values: [Value; 3] = [list.into(), owner.into(), most.into()];
    let statement = Statement::from_sql_and_values(backend, last_stretch(column), values);
    let row = connection.query_one_raw(statement).await?;
    row.map(|row| {
        Ok(Stretch {
            before: before(&row)?,
            first_key: row.try_get("", "first_key")?,
            first_id: row.try_get("", "first_id")?,
        })
    })
    .transpose()
}

/// The query for the last stretch of list `$1` of owner `$2` whose `place` is at
/// most `$3`: the last such section first, then the last such stretch in it.
fn last_stretch(place: &str) -> String {
    let before = "CAST(COALESCE(SUM(comments) OVER (
        ORDER BY first_key, first_id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ), 0) AS BIGINT) AS before_it";
    let end = i64::MAX;
    let following = "WINDOW following AS (ORDER BY first_key, first_id)";
    format!(
        "WITH section AS (
             SELECT * FROM (
                 SELECT first_key, first_id, {before},
                     COALESCE(LEAD(first_key) OVER following, {end}) AS next_key,
                     COALESCE(LEAD(first_id) OVER following, 0) AS next_id
                 FROM comment_block WHERE list = $1 AND owner_id = $2 AND level = 1 {following}
             ) AS every WHERE {place} <= $3 ORDER BY first_key DESC, first_id DESC LIMIT 1
         ) SELECT * FROM (
             SELECT first_key, first_id,
                 (SELECT before_it FROM section) + {before}
             FROM comment_block WHERE list = $1 AND owner_id = $2 AND level = 0
                 AND (first_key, first_id) >= (SELECT first_key, first_id FROM section)
                 AND (first_key, first_id) < (SELECT next_key, next_id FROM section)
         ) AS every WHERE {place} <= $3 ORDER BY first_key DESC, first_id DESC LIMIT 1"
    )
}

fn before(row: &QueryResult) -> Result<u64, DbErr> {
    let value: i64 = row.try_get("", "before_it")?;
    Ok(value.unsigned_abs())
}
