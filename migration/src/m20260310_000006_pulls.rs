//! Pull requests, reviews and review comments. Deleting an account keeps its reviews and
//! comments, without an author. Deleting the first comment of a thread keeps its replies.

use sea_orm_migration::prelude::*;

use crate::dialect::{Dialect, drop_tables, hex, one_of, run};

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let dialect = Dialect::of(manager)?;
        run(
            manager,
            &[
                &pull(&dialect),
                "CREATE INDEX pull_by_head ON pull (repository_id, head_ref, state)",
                "CREATE INDEX pull_by_author ON pull (author_id)",
                &review(&dialect),
                "CREATE INDEX review_by_pull ON review (pull_id, id)",
                "CREATE INDEX review_by_author ON review (author_id)",
                &review_comment(&dialect),
            ],
        )
        .await?;
        run(manager, &REVIEW_COMMENT_INDEXES).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        drop_tables(manager, &["review_comment", "review", "pull"]).await
    }
}

fn pull(dialect: &Dialect) -> String {
    let state = one_of("state", &["open", "closed", "merged"]);
    let Dialect {
        id,
        int,
        flag,
        key,
        strict,
        ..
    } = dialect;
    let base_sha = hex("base_sha", 40);
    let head_sha = hex("head_sha", 40);
    format!(
        "CREATE TABLE pull (
            id {id},
            repository_id {int} NOT NULL REFERENCES repository (id) ON DELETE CASCADE,
            number {int} NOT NULL CHECK (number > 0),
            title TEXT NOT NULL CHECK (length(title) BETWEEN 1 AND 1024),
            body TEXT,
            author_id {int} NOT NULL REFERENCES account (id),
            base_ref {key} NOT NULL CHECK (base_ref <> ''),
            base_sha {key} NOT NULL CHECK ({base_sha}),
            head_ref {key} NOT NULL CHECK (head_ref <> ''),
            head_sha {key} NOT NULL CHECK ({head_sha}),
            state TEXT NOT NULL CHECK ({state}),
            locked {flag} NOT NULL DEFAULT FALSE,
            created_at {int} NOT NULL,
            updated_at {int} NOT NULL,
            closed_at {int},
            merged_at {int},
            UNIQUE (repository_id, number),
            CHECK ((state = 'open') = (closed_at IS NULL)),
            CHECK ((state = 'merged') = (merged_at IS NOT NULL))
        ) {strict}"
    )
}

fn review(dialect: &Dialect) -> String {
    let state = one_of(
        "state",
        &[
            "APPROVED",
            "CHANGES_REQUESTED",
            "COMMENTED",
            "DISMISSED",
            "PENDING",
        ],
    );
    let Dialect {
        id,
        int,
        key,
        strict,
        ..
    } = dialect;
    let commit_sha = hex("commit_sha", 40);
    format!(
        "CREATE TABLE review (
            id {id},
            pull_id {int} NOT NULL REFERENCES pull (id) ON DELETE CASCADE,
            author_id {int} REFERENCES account (id) ON DELETE SET NULL,
            state TEXT NOT NULL CHECK ({state}),
            commit_sha {key} NOT NULL CHECK ({commit_sha}),
            submitted_at {int} NOT NULL
        ) {strict}"
    )
}

fn review_comment(dialect: &Dialect) -> String {
    let Dialect {
        id,
        int,
        key,
        strict,
        ..
    } = dialect;
    let commit_sha = hex("commit_sha", 40);
    let original_commit_sha = hex("original_commit_sha", 40);
    let original_base_sha = hex("original_base_sha", 40);
    format!(
        "CREATE TABLE review_comment (
            id {id},
            repository_id {int} NOT NULL REFERENCES repository (id) ON DELETE CASCADE,
            pull_id {int} NOT NULL REFERENCES pull (id) ON DELETE CASCADE,
            review_id {int} NOT NULL REFERENCES review (id) ON DELETE CASCADE,
            author_id {int} REFERENCES account (id) ON DELETE SET NULL,
            in_reply_to_id {int} REFERENCES review_comment (id) ON DELETE SET NULL,
            path {key} NOT NULL CHECK (path <> ''),
            diff_hunk TEXT NOT NULL,
            subject_type TEXT NOT NULL CHECK (subject_type IN ('line', 'file')),
            commit_sha {key} NOT NULL CHECK ({commit_sha}),
            original_commit_sha {key} NOT NULL CHECK ({original_commit_sha}),
            original_base_sha {key} CHECK ({original_base_sha}),
            side TEXT CHECK (side IN ('LEFT', 'RIGHT')),
            start_side TEXT CHECK (start_side IN ('LEFT', 'RIGHT')),
            line {int} CHECK (line > 0),
            original_line {int} CHECK (original_line > 0),
            start_line {int} CHECK (start_line > 0),
            original_start_line {int} CHECK (original_start_line > 0),
            position {int} CHECK (position > 0),
            original_position {int} CHECK (original_position > 0),
            body TEXT NOT NULL CHECK (length(body) BETWEEN 1 AND 262144),
            body_html TEXT NOT NULL,
            body_text TEXT NOT NULL,
            created_at {int} NOT NULL,
            updated_at {int} NOT NULL,
            CHECK (in_reply_to_id <> id),
            CHECK (subject_type = 'file' OR (side IS NOT NULL AND original_line IS NOT NULL)),
            CHECK (start_line IS NULL OR line IS NOT NULL),
            CHECK ((original_start_line IS NULL) = (start_side IS NULL))
        ) {strict}"
    )
}

/// Indexes for the lists by repository and by pull request (three orders each, plus
/// `since`), for comment placements by pull request, and for each foreign key of a comment.
const REVIEW_COMMENT_INDEXES: [&str; 10] = [
    "CREATE INDEX review_comment_by_repository ON review_comment (repository_id, id, updated_at)",
    "CREATE INDEX review_comment_by_repository_created
        ON review_comment (repository_id, created_at, id, updated_at)",
    "CREATE INDEX review_comment_by_repository_updated
        ON review_comment (repository_id, updated_at, id, created_at)",
    "CREATE INDEX review_comment_by_pull ON review_comment (pull_id, id, updated_at)",
    "CREATE INDEX review_comment_by_pull_created
        ON review_comment (pull_id, created_at, id, updated_at)",
    "CREATE INDEX review_comment_by_pull_updated
        ON review_comment (pull_id, updated_at, id, created_at)",
    "CREATE INDEX review_comment_by_anchor ON review_comment
        (pull_id, path, original_commit_sha, original_base_sha, subject_type,
         side, original_line, start_side, original_start_line)",
    "CREATE INDEX review_comment_by_review ON review_comment (review_id)",
    "CREATE INDEX review_comment_by_author ON review_comment (author_id)",
    "CREATE INDEX review_comment_by_reply ON review_comment (in_reply_to_id)",
];
