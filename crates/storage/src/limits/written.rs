//! The recent content of an account, from all processes.

use sea_orm::{ConnectionTrait, DbBackend, DbErr, Statement, Value};

use super::content::{ContentLimits, StoredContent};
use crate::database::Connection;
use contract::values::Timestamp;

/// The kinds of content whose stored items are counted separately.
#[derive(Debug, Clone, Copy)]
pub enum LimitedContent {
    /// Comments on issues and on diffs.
    Comments,
    /// Issues and pull requests.
    Issues,
}

impl LimitedContent {
    fn tables(self) -> &'static [&'static str] {
        match self {
            Self::Comments => &["review_comment", "issue_comment"],
            Self::Issues => &["issue"],
        }
    }
}

impl ContentLimits {
    /// Reads which windows of an author are full. On SQLite none is: there is one process,
    /// which counts in memory.
    pub async fn stored(
        &self,
        connection: &Connection,
        kind: LimitedContent,
        author: i64,
        now: Timestamp,
    ) -> Result<StoredContent, DbErr> {
        let backend = connection.get_database_backend();
        let windows = self.windows().filter(|_| backend != DbBackend::Sqlite);
        let Some(windows) = windows else {
            return Ok(StoredContent::default());
        };
        let [minute, hour] = windows.map(|(most, seconds)| nth_latest(kind, most, seconds));
        let sql = format!("SELECT ({minute}) AS minute, ({hour}) AS hour");
        let values: [Value; 2] = [author.into(), now.0.into()];
        let row = connection
            .query_one_raw(Statement::from_sql_and_values(backend, sql, values))
            .await?;
        row.map_or(Ok(StoredContent::default()), |row| {
            let times = [row.try_get("", "minute")?, row.try_get("", "hour")?];
            Ok(StoredContent(times))
        })
    }
}

/// A query for the time of the `most`-th latest item within a window.
fn nth_latest(kind: LimitedContent, most: usize, seconds: i64) -> String {
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    let before = (most - 1).max(0);
    let tables = kind.tables().iter().map(|table| {
        format!(
            "(SELECT created_at FROM {table}
              WHERE author_id = $1 AND created_at > $2 - {seconds} AND created_at <= $2
              ORDER BY created_at DESC LIMIT {most})"
        )
    });
    let tables: Vec<_> = tables.collect();
    format!(
        "SELECT created_at FROM ({}) AS written ORDER BY created_at DESC OFFSET {before} LIMIT 1",
        tables.join(" UNION ALL ")
    )
}
