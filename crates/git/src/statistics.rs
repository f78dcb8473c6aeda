//! Table statistics while many objects are written in one transaction.

use sea_orm::{ConnectionTrait, DbBackend, DbErr};
use storage::database::Connection;

/// The number of objects before the first ANALYZE, and the factor until the next one.
const FIRST: u64 = 2000;
const FACTOR: u64 = 4;

/// PostgreSQL updates its table statistics only after a transaction. Without ANALYZE it
/// would keep scanning whole tables as if they were empty.
pub(super) struct Statistics {
    next: u64,
}

impl Default for Statistics {
    fn default() -> Self {
        Self { next: FIRST }
    }
}

impl Statistics {
    /// Updates the statistics if the number of objects written has grown by a factor.
    pub(super) async fn refresh(
        &mut self,
        connection: &Connection,
        objects: u64,
    ) -> Result<(), DbErr> {
        if objects < self.next {
            return Ok(());
        }
        self.next *= FACTOR;
        if connection.get_database_backend() == DbBackend::Postgres {
            let sql = "ANALYZE git_object, git_commit, git_commit_parent, git_reach";
            connection.execute_unprepared(sql).await?;
        }
        Ok(())
    }
}
