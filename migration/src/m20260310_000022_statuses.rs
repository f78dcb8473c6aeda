//! Statuses of commits. The newest status of each context is marked, so that reading the
//! combined status takes the same time however many older statuses there are.

use sea_orm_migration::prelude::*;

use crate::dialect::{Dialect, drop_tables, one_of, run};
use crate::m20260310_000013_versions::{create_triggers, drop_triggers};

#[derive(DeriveMigrationName)]
pub struct Migration;

const TABLE: &str = "commit_status";

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let dialect = Dialect::of(manager)?;
        run(manager, &[&commit_status(&dialect)]).await?;
        run(manager, &INDEXES).await?;
        create_triggers(manager, &[TABLE]).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        drop_triggers(manager, &[TABLE]).await?;
        drop_tables(manager, &[TABLE]).await
    }
}

/// Indexes for the list of a commit, the count of a context, the newest status of each
/// context, and the foreign key.
const INDEXES: [&str; 4] = [
    "CREATE INDEX commit_status_in_order ON commit_status (commit_id, id)",
    "CREATE INDEX commit_status_by_context ON commit_status (commit_id, context_key, latest)",
    "CREATE INDEX commit_status_latest ON commit_status (commit_id, id, state) WHERE latest",
    "CREATE INDEX commit_status_by_creator ON commit_status (creator_id)",
];

fn commit_status(dialect: &Dialect) -> String {
    let state = one_of("state", &["error", "failure", "pending", "success"]);
    let Dialect {
        id,
        int,
        key,
        flag,
        strict,
        ..
    } = dialect;
    format!(
        "CREATE TABLE commit_status (
            id {id},
            commit_id {int} NOT NULL REFERENCES git_commit (id) ON DELETE CASCADE,
            context TEXT NOT NULL CHECK (length(context) BETWEEN 1 AND 255),
            context_key {key} NOT NULL CHECK (context_key <> ''),
            state TEXT NOT NULL CHECK ({state}),
            description TEXT CHECK (length(description) <= 140),
            target_url TEXT CHECK (length(target_url) <= 2048),
            creator_id {int} REFERENCES account (id) ON DELETE SET NULL,
            latest {flag} NOT NULL DEFAULT TRUE,
            created_at {int} NOT NULL
        ) {strict}"
    )
}
