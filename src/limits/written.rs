//! The recent comments of an account, from all processes.

use sea_orm::{ConnectionTrait, DbBackend, DbErr, Statement, Value};

/// The times of an author's latest comments, on issues and on diffs, since a time, oldest first.
/// Empty on SQLite: there is one process, which counts in memory.
pub async fn written_lately(
    connection: &impl ConnectionTrait,
    author: i64,
    most: u64,
    since: i64,
) -> Result<Vec<i64>, DbErr> {
    let backend = connection.get_database_backend();
    if backend == DbBackend::Sqlite {
        return Ok(Vec::new());
    }
    let latest = ["review_comment", "issue_comment"].map(|table| {
        format!(
            "(SELECT created_at FROM {table} WHERE author_id = $1 AND created_at > $2
              ORDER BY created_at DESC LIMIT $3)"
        )
    });
    let sql = format!(
        "SELECT created_at FROM ({}) AS written ORDER BY created_at DESC LIMIT $3",
        latest.join(" UNION ALL ")
    );
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    let values: [Value; 3] = [author.into(), since.into(), most.into()];
    let rows = connection
        .query_all_raw(Statement::from_sql_and_values(backend, sql, values))
        .await?;
    let times = rows.iter().rev().map(|row| row.try_get("", "created_at"));
    times.collect()
}
