//! New comments, written in one batch with others on the same issue.

use sea_orm::{DbBackend, DbErr, QueryResult, Statement};
use serde::Serialize;

use super::NewIssueComment;
use storage::database::Database;
use storage::database::batches::{BatchedChange, Batches};
use storage::entities::{issue, issue_comment};

/// A comment to write if the conversation was not locked or unlocked since it was read.
#[derive(Debug, Serialize)]
pub struct BatchedIssueComment {
    locked: bool,
    repository_id: i64,
    author_id: i64,
    body: String,
    body_html: String,
    body_text: String,
    now: i64,
}

/// Writes a comment in a batch with other pending ones. None if the conversation was locked or
/// unlocked since it was read, or the caller may no longer comment.
pub async fn insert(
    creations: &Batches<BatchedIssueComment>,
    db: &Database,
    issue: &issue::Model,
    new: NewIssueComment<'_>,
) -> Result<Option<issue_comment::Model>, DbErr> {
    let rendered = &new.text.rendered;
    let creation = BatchedIssueComment {
        locked: issue.locked,
        repository_id: issue.repository_id,
        author_id: new.author,
        body: new.text.body.clone(),
        body_html: rendered.html.clone(),
        body_text: rendered.text.clone(),
        now: new.now,
    };
    let id = creations.write(db, issue.id, creation).await?;
    Ok(id.map(|id| super::row(id, issue, new)))
}

impl BatchedChange for BatchedIssueComment {
    type Done = i64;

    fn script(&self, id: i64) -> Statement {
        let values = [
            id.into(),
            self.locked.into(),
            self.repository_id.into(),
            self.author_id.into(),
            self.body.as_str().into(),
            self.body_html.as_str().into(),
            self.body_text.as_str().into(),
            self.now.into(),
        ];
        Statement::from_sql_and_values(DbBackend::Sqlite, SCRIPT, values)
    }

    fn sql() -> &'static str {
        SQL
    }

    fn done(row: &QueryResult) -> Result<i64, DbErr> {
        row.try_get("", "comment_id")
    }

    fn is_independent_of(&self, _: &Self) -> bool {
        true
    }

    fn size(&self) -> usize {
        self.body.len() + self.body_html.len() + self.body_text.len()
    }
}

/// Locks the pull request before its issue, as every other writer does.
const SQL: &str = ", parent AS MATERIALIZED (
        SELECT pull.id FROM pull JOIN issue ON issue.pull_id = pull.id
        WHERE issue.id = $1 FOR NO KEY UPDATE OF pull
    ), current AS (
        SELECT repository_id, locked FROM issue
        WHERE id = $1 AND (SELECT COUNT(*) FROM parent) < 2 FOR NO KEY UPDATE
    ), numbered AS (
        SELECT new.*, current.repository_id,
            nextval(pg_get_serial_sequence('issue_comment', 'id')) AS comment_id
        FROM allowed CROSS JOIN LATERAL json_to_record(change) AS new (
            place INT, locked BOOLEAN, author_id BIGINT, body TEXT, body_html TEXT,
            body_text TEXT, now BIGINT
        )
        JOIN current USING (locked)
        ORDER BY place
    ), commented AS (
        INSERT INTO issue_comment (id, repository_id, issue_id, author_id, body, body_html,
            body_text, created_at, updated_at)
        SELECT comment_id, repository_id, $1, author_id, body, body_html, body_text, now, now
        FROM numbered
    ), latest AS (
        SELECT MAX(now) AS now FROM numbered
    ), touched_pull AS (
        UPDATE pull SET updated_at = latest.now FROM latest
        WHERE id IN (SELECT id FROM parent) AND updated_at < latest.now
    ), touched_issue AS (
        UPDATE issue SET updated_at = latest.now FROM latest
        WHERE id = $1 AND pull_id IS NULL AND updated_at < latest.now
    )
    SELECT place, comment_id FROM numbered";

/// If the conversation was locked or unlocked, the comment has no `issue_id`, and SQLite rejects
/// it.
const SCRIPT: &str = "INSERT INTO issue_comment (issue_id, repository_id, author_id, body,
        body_html, body_text, created_at, updated_at)
    VALUES ((SELECT id FROM issue WHERE id = $1 AND locked = $2), $3, $4, $5, $6, $7, $8, $8);
    SELECT last_insert_rowid() AS comment_id;
    UPDATE pull SET updated_at = $8
    WHERE id = (SELECT pull_id FROM issue WHERE id = $1) AND updated_at < $8;
    UPDATE issue SET updated_at = $8 WHERE id = $1 AND pull_id IS NULL AND updated_at < $8";
