//! What callers have used of their hourly budgets, for processes that share a
//! PostgreSQL database. A single process counts in memory, and has no rows here.
//!
//! On PostgreSQL the table is not logged: losing it in a crash of the database is
//! kind to callers, and each request may write to it. Comments are found by author
//! and time, because they are limited too.

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
