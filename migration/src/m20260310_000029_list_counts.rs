//! Counts of the issues, issue comments and pull requests of each list, and missing indexes
//! for long lists.

use sea_orm_migration::prelude::*;

use crate::counts::{Counts, ISSUE_COMMENTS, ISSUES, PULLS};
use crate::dialect::run;

const COUNTED: [&Counts; 3] = [&ISSUES, &ISSUE_COMMENTS, &PULLS];

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
        for counts in COUNTED {
            counts.create(manager).await?;
        }
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
        .await?;
        for counts in COUNTED {
            counts.drop(manager).await?;
        }
        Ok(())
    }
}
