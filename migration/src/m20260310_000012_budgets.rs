//! Hourly rate limit usage for processes that share a PostgreSQL database. A single process
//! counts in memory and has no rows here.
//!
//! The table is UNLOGGED on PostgreSQL: every request may write to it, and losing it in a
//! database crash only resets budgets. The index finds comments by author and time for the
//! content limits.

use sea_orm_migration::prelude::*;
use sea_orm_migration::sea_orm::DbBackend;

use crate::dialect::{Dialect, drop_tables, run};

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let Dialect {
            int, key, keyed, ..
        } = Dialect::of(manager)?;
        let unlogged = match manager.get_database_backend() {
            DbBackend::Postgres => "UNLOGGED",
            _ => "",
        };
        let budget = format!(
            "CREATE {unlogged} TABLE budget (
                subject {key} NOT NULL PRIMARY KEY CHECK (subject <> ''),
                resets_at {int} NOT NULL,
                used {int} NOT NULL CHECK (used >= 0),
                granted {int} NOT NULL CHECK (granted >= 0)
            ) {keyed}"
        );
        run(
            manager,
            &[
                &budget,
                "CREATE INDEX budget_by_reset ON budget (resets_at)",
                "CREATE INDEX review_comment_by_author_created
                    ON review_comment (author_id, created_at)",
                "DROP INDEX review_comment_by_author",
            ],
        )
        .await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        run(
            manager,
            &[
                "CREATE INDEX review_comment_by_author ON review_comment (author_id)",
                "DROP INDEX review_comment_by_author_created",
            ],
        )
        .await?;
        drop_tables(manager, &["budget"]).await
    }
}
