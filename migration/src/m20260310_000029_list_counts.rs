//! Indexes for long lists.

use sea_orm_migration::prelude::*;

use crate::dialect::run;

const INDEXES: [&str; 2] = [
    "CREATE INDEX issue_by_repository_author
        ON issue (repository_id, author_id, created_at, id, state)",
    "CREATE INDEX issue_comment_by_issue_updated ON issue_comment (issue_id, updated_at, id)",
];

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        run(manager, &INDEXES).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        run(
            manager,
            &[
                "DROP INDEX issue_by_repository_author",
                "DROP INDEX issue_comment_by_issue_updated",
            ],
        )
        .await
    }
}
