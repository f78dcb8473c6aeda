//! Reactions to issue comments and review comments. A comment stores the count of each
//! reaction, as a JSON object without zeros, so that lists of comments need not count. The
//! transaction that writes a reaction also updates the counts.

use sea_orm_migration::prelude::*;

use crate::dialect::{Dialect, drop_tables, one_of, run};

const COMMENTS: [&str; 2] = ["issue_comment", "review_comment"];

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let content = one_of(
            "content",
            &[
                "+1", "-1", "laugh", "confused", "heart", "hooray", "rocket", "eyes",
            ],
        );
        let Dialect {
            id, int, strict, ..
        } = Dialect::of(manager)?;
        let reaction = format!(
            "CREATE TABLE reaction (
                id {id},
                issue_comment_id {int} REFERENCES issue_comment (id) ON DELETE CASCADE,
                review_comment_id {int} REFERENCES review_comment (id) ON DELETE CASCADE,
                user_id {int} REFERENCES account (id) ON DELETE SET NULL,
                content TEXT NOT NULL CHECK ({content}),
                created_at {int} NOT NULL,
                UNIQUE (issue_comment_id, user_id, content),
                UNIQUE (review_comment_id, user_id, content),
                CHECK ((issue_comment_id IS NULL) <> (review_comment_id IS NULL))
            ) {strict}"
        );
        run(manager, &[&reaction]).await?;
        run(manager, &INDEXES).await?;
        for table in COMMENTS {
            let counts = format!("ALTER TABLE {table} ADD COLUMN reactions TEXT");
            run(manager, &[&counts]).await?;
        }
        Ok(())
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        drop_tables(manager, &["reaction"]).await?;
        for table in COMMENTS {
            let counts = format!("ALTER TABLE {table} DROP COLUMN reactions");
            run(manager, &[&counts]).await?;
        }
        Ok(())
    }
}

/// Indexes for the lists, oldest first, and for each foreign key.
const INDEXES: [&str; 3] = [
    "CREATE INDEX reaction_by_issue_comment ON reaction (issue_comment_id, id)",
    "CREATE INDEX reaction_by_review_comment ON reaction (review_comment_id, id)",
    "CREATE INDEX reaction_by_user ON reaction (user_id)",
];
