//! Draft state, merger and merge commit of pull requests, and indexes for their lists.

use sea_orm_migration::prelude::*;

use crate::dialect::{Dialect, hex, run};

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let Dialect { int, flag, key, .. } = Dialect::of(manager)?;
        let merge_commit_sha = hex("merge_commit_sha", 40);
        let columns = [
            format!("draft {flag} NOT NULL DEFAULT FALSE"),
            format!("maintainer_can_modify {flag} NOT NULL DEFAULT FALSE"),
            format!(
                "merged_by_id {int} REFERENCES account (id) ON DELETE SET NULL
                    CHECK (merged_by_id IS NULL OR state = 'merged')"
            ),
            format!(
                "merge_commit_sha {key} CHECK (merge_commit_sha IS NULL
                    OR (state = 'merged' AND {merge_commit_sha}))"
            ),
        ];
        for column in columns {
            run(manager, &[&format!("ALTER TABLE pull ADD COLUMN {column}")]).await?;
        }
        run(manager, &INDEXES).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        run(
            manager,
            &[
                "DROP INDEX pull_by_merger",
                "DROP INDEX pull_by_updated",
                "DROP INDEX pull_by_created",
                "DROP INDEX pull_by_state",
                "DROP INDEX pull_by_base",
                "ALTER TABLE pull DROP COLUMN merge_commit_sha",
                "ALTER TABLE pull DROP COLUMN merged_by_id",
                "ALTER TABLE pull DROP COLUMN maintainer_can_modify",
                "ALTER TABLE pull DROP COLUMN draft",
            ],
        )
        .await
    }
}

/// Indexes for the lists by branch, for those of open and of all pull requests in two orders
/// each, and for the foreign key.
const INDEXES: [&str; 5] = [
    "CREATE INDEX pull_by_base ON pull (repository_id, base_ref, state)",
    "CREATE INDEX pull_by_state ON pull (repository_id, state, created_at, id)",
    "CREATE INDEX pull_by_created ON pull (repository_id, created_at, id, state)",
    "CREATE INDEX pull_by_updated ON pull (repository_id, updated_at, id, state)",
    "CREATE INDEX pull_by_merger ON pull (merged_by_id)",
];
