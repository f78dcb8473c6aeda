//! The recent content of an account, from all processes.

use sea_orm::{ConnectionTrait, DbBackend, DbErr, Statement, Value};

use super::content::{ContentLimits, StoredContent};
use crate::contract::values::Timestamp;

/// The kinds of content that are limited separately.
#[derive(Debug, Clone, Copy)]
pub enum ContentKind {
    /// Comments on issues and on diffs.
    Comments,
    /// Issues and pull requests.
    Issues,
}

impl ContentKind {
    fn tables(self) -> &'static [&'static str] {
        match self {
            Self::Comments => &["review_comment", "issue_comment"],
            Self::Issues => &["issue"],
        }
    }
}

impl ContentLimits {
    /// Reads which windows of an author are full. None is on SQLite: there is one process,
    /// which counts in memory.
    pub async fn stored(
        &self,
        connection: &impl ConnectionTrait,
        kind: ContentKind,
        author: i64,
        now: Timestamp,
    ) -> Result<StoredContent, DbErr> {
        let backend = connection.get_database_backend();
        let Some(windows) = self.windows() else {
            return Ok(StoredContent::default());
        };
        if backend == DbBackend::Sqlite {
            return Ok(StoredContent::default());
        }
        let [minute, hour] = windows.map(|(most, seconds)| latest(kind, most, seconds));
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

/// The time of the item with which a window is full, counted from the latest one.
fn latest(kind: ContentKind, most: usize, seconds: i64) -> String {
    let before = most.saturating_sub(1);
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
