//! The text and the dismissal message of reviews, and pending reviews: an author has at most
//! one per pull request. `submitted_at` of a pending review is the time of its creation.
//!
//! The comments of pending reviews have their own table, so no query for comments can return
//! them. Their ids come from the sequence of `review_comment`; submitting the review moves
//! them there.

use sea_orm_migration::prelude::*;

use crate::dialect::{Dialect, drop_tables, hex, run};

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let dialect = Dialect::of(manager)?;
        run(manager, &COLUMNS).await?;
        run(manager, &[&pending_review_comment(&dialect)]).await?;
        run(manager, &INDEXES).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        drop_tables(manager, &["pending_review_comment"]).await?;
        run(
            manager,
            &[
                "DELETE FROM review WHERE state = 'PENDING'",
                "DROP INDEX review_pending",
                "DROP INDEX review_by_submission",
                "ALTER TABLE review DROP COLUMN dismissal_message",
                "ALTER TABLE review DROP COLUMN body_text",
                "ALTER TABLE review DROP COLUMN body_html",
                "ALTER TABLE review DROP COLUMN body",
            ],
        )
        .await
    }
}

const COLUMNS: [&str; 4] = [
    "ALTER TABLE review ADD COLUMN body TEXT NOT NULL DEFAULT ''
        CHECK (length(body) <= 262144)",
    "ALTER TABLE review ADD COLUMN body_html TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE review ADD COLUMN body_text TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE review ADD COLUMN dismissal_message TEXT
        CHECK (dismissal_message IS NULL OR state = 'DISMISSED')",
];

const INDEXES: [&str; 5] = [
    "CREATE UNIQUE INDEX review_pending ON review (pull_id, author_id) WHERE state = 'PENDING'",
    "CREATE INDEX review_by_submission ON review (pull_id, submitted_at, id, state)",
    "CREATE INDEX pending_review_comment_by_review ON pending_review_comment (review_id, id)",
    "CREATE INDEX pending_review_comment_by_pull ON pending_review_comment (pull_id)",
    "CREATE INDEX pending_review_comment_by_repository ON pending_review_comment (repository_id)",
];

/// The columns of `review_comment`, except those that only a submitted comment has.
fn pending_review_comment(dialect: &Dialect) -> String {
    let Dialect {
        int, key, strict, ..
    } = dialect;
    let commit_sha = hex("commit_sha", 40);
    let original_commit_sha = hex("original_commit_sha", 40);
    let original_base_sha = hex("original_base_sha", 40);
    format!(
        "CREATE TABLE pending_review_comment (
            id {int} NOT NULL PRIMARY KEY,
            repository_id {int} NOT NULL REFERENCES repository (id) ON DELETE CASCADE,
            pull_id {int} NOT NULL REFERENCES pull (id) ON DELETE CASCADE,
            review_id {int} NOT NULL REFERENCES review (id) ON DELETE CASCADE,
            path {key} NOT NULL CHECK (path <> ''),
            diff_hunk TEXT NOT NULL,
            commit_sha {key} NOT NULL CHECK ({commit_sha}),
            original_commit_sha {key} NOT NULL CHECK ({original_commit_sha}),
            original_base_sha {key} CHECK ({original_base_sha}),
            side TEXT NOT NULL CHECK (side IN ('LEFT', 'RIGHT')),
            start_side TEXT CHECK (start_side IN ('LEFT', 'RIGHT')),
            line {int} CHECK (line > 0),
            original_line {int} NOT NULL CHECK (original_line > 0),
            start_line {int} CHECK (start_line > 0),
            original_start_line {int} CHECK (original_start_line > 0),
            position {int} CHECK (position > 0),
            original_position {int} NOT NULL CHECK (original_position > 0),
            body TEXT NOT NULL CHECK (length(body) BETWEEN 1 AND 262144),
            body_html TEXT NOT NULL,
            body_text TEXT NOT NULL,
            created_at {int} NOT NULL,
            CHECK (start_line IS NULL OR line IS NOT NULL),
            CHECK ((original_start_line IS NULL) = (start_side IS NULL))
        ) {strict}"
    )
}
