//! New comments, written in one batch with others on the same pull request.

use std::sync::LazyLock;

use sea_orm::sea_query::value::sea_value_to_json_value;
use sea_orm::{
    ActiveEnum, ActiveModelTrait, DbBackend, DbErr, IdenStatic, Iterable, QueryResult, Set,
    Statement, TryIntoModel,
};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use super::NewComment;
use storage::database::Database;
use storage::database::batches::{BatchedChange, Batches};
use storage::entities::review_comment::{self, ActiveModel, Column};
use storage::entities::{pull, review};

/// A comment to write if the pull request has not changed since the comment was located. If
/// another transaction holds its lock, the statement checks the row after that one has ended.
#[derive(Debug, Serialize)]
pub struct BatchedComment {
    state: String,
    locked: bool,
    base_ref: String,
    base_sha: String,
    head_sha: String,
    #[serde(serialize_with = "serialize_assigned")]
    comment: ActiveModel,
    recipients: Value,
    #[serde(skip)]
    size: usize,
}

/// The ids of a comment and of its review.
#[derive(Debug)]
pub struct CommentIds {
    comment: i64,
    review: i64,
}

/// Writes a comment in a batch with other pending ones. None if the pull request has moved, or
/// the caller may no longer comment.
pub async fn insert(
    creations: &Batches<BatchedComment>,
    db: &Database,
    pull: &pull::Model,
    new: &NewComment<'_>,
) -> Result<Option<review_comment::Model>, DbErr> {
    let mut comment = super::row(pull, 0, new);
    let creation = BatchedComment::new(pull, new, comment.clone());
    let Some(ids) = creations.write(db, pull.id, creation).await? else {
        return Ok(None);
    };
    comment.id = Set(ids.comment);
    comment.review_id = Set(ids.review);
    comment.try_into_model().map(Some)
}

impl BatchedComment {
    fn new(pull: &pull::Model, new: &NewComment<'_>, comment: ActiveModel) -> Self {
        let recipients = new.recipients.iter();
        let recipients =
            recipients.map(|(id, reason)| json!({"id": id, "reason": reason.to_value()}));
        let text = &new.text;
        Self {
            state: pull.state.to_value(),
            locked: pull.locked,
            base_ref: pull.base_ref.clone(),
            base_sha: pull.base_sha.clone(),
            head_sha: pull.head_sha.clone(),
            comment,
            recipients: recipients.collect(),
            size: text.body.len() + text.rendered.html.len() + text.rendered.text.len(),
        }
    }
}

/// All columns except the ids that the database assigns.
fn assigned_columns() -> impl Iterator<Item = Column> {
    Column::iter().filter(|column| !matches!(column, Column::Id | Column::ReviewId))
}

fn serialize_assigned<S: Serializer>(
    comment: &ActiveModel,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(None)?;
    for column in assigned_columns() {
        if let Some(value) = comment.get(column).into_value() {
            map.serialize_entry(column.as_str(), &sea_value_to_json_value(&value))?;
        }
    }
    map.end()
}

impl BatchedChange for BatchedComment {
    type Done = CommentIds;

    fn script(&self, id: i64) -> Statement {
        let mut values: Vec<sea_orm::Value> = vec![
            id.into(),
            review::ReviewState::Commented.into(),
            self.state.as_str().into(),
            self.locked.into(),
            self.base_ref.as_str().into(),
            self.base_sha.as_str().into(),
            self.head_sha.as_str().into(),
            self.recipients.to_string().into(),
        ];
        let shared = [
            Column::AuthorId,
            Column::OriginalCommitSha,
            Column::CreatedAt,
        ];
        let columns = shared.into_iter().chain(assigned_columns());
        values.extend(columns.filter_map(|column| self.comment.get(column).into_value()));
        Statement::from_sql_and_values(DbBackend::Sqlite, SCRIPT.as_str(), values)
    }

    fn sql() -> &'static str {
        &SQL
    }

    fn done(row: &QueryResult) -> Result<CommentIds, DbErr> {
        Ok(CommentIds {
            comment: row.try_get("", "comment_id")?,
            review: row.try_get("", "review_id")?,
        })
    }

    fn is_independent_of(&self, _: &Self) -> bool {
        true
    }

    fn size(&self) -> usize {
        self.size
    }
}

static SQL: LazyLock<String> = LazyLock::new(|| {
    let columns: Vec<_> = Column::iter().map(|column| column.as_str()).collect();
    let row = Column::iter().map(|column| match column {
        Column::Id => "comment_id".to_owned(),
        Column::ReviewId => "numbered.review_id".to_owned(),
        other => format!("known.{}", other.as_str()),
    });
    let (columns, row) = (columns.join(", "), row.collect::<Vec<_>>().join(", "));
    format!(
        ", current AS (
            SELECT state, locked, base_ref, base_sha, head_sha FROM pull
            WHERE id = $1 FOR NO KEY UPDATE
        ), unmoved AS (
            SELECT place, comment, recipients FROM allowed
            CROSS JOIN LATERAL json_to_record(change) AS wanted (
                place INT, comment JSON, recipients JSON, state TEXT, locked BOOLEAN,
                base_ref TEXT, base_sha TEXT, head_sha TEXT
            )
            JOIN current USING (state, locked, base_ref, base_sha, head_sha)
            ORDER BY place
        ), numbered AS (
            SELECT unmoved.*, CAST(comment ->> 'created_at' AS BIGINT) AS now,
                nextval(pg_get_serial_sequence('review', 'id')) AS review_id,
                nextval(pg_get_serial_sequence('review_comment', 'id')) AS comment_id
            FROM unmoved
        ), reviewed AS (
            INSERT INTO review (id, pull_id, author_id, state, commit_sha, submitted_at)
            SELECT review_id, $1, CAST(comment ->> 'author_id' AS BIGINT), 'COMMENTED',
                comment ->> 'original_commit_sha', now
            FROM numbered
        ), commented AS (
            INSERT INTO review_comment ({columns})
            SELECT {row} FROM numbered CROSS JOIN LATERAL
                json_populate_record(NULL::review_comment, comment) AS known
        ), told AS (
            INSERT INTO notification (recipient_id, pull_id, comment_id, reason, created_at)
            SELECT person.id, $1, comment_id, person.reason, now FROM numbered CROSS JOIN LATERAL
                json_to_recordset(recipients) AS person (id BIGINT, reason TEXT)
        ), touched AS (
            UPDATE pull SET updated_at = latest.now FROM (SELECT MAX(now) FROM numbered) AS latest (now)
            WHERE id = $1 AND updated_at < latest.now
        )
        SELECT place, comment_id, review_id FROM numbered"
    )
});

/// If the pull request has changed, the review has no `pull_id`, and SQLite rejects it. Rows
/// are inserted by VALUES, because SQLite copies those of a query into a temporary table
/// before it inserts them.
static SCRIPT: LazyLock<String> = LazyLock::new(|| {
    let columns: Vec<_> = assigned_columns().map(|column| column.as_str()).collect();
    let values: Vec<_> = (12..)
        .take(columns.len())
        .map(|place| format!("${place}"))
        .collect();
    let (columns, values) = (columns.join(", "), values.join(", "));
    format!(
        "INSERT INTO review (pull_id, author_id, state, commit_sha, submitted_at)
        VALUES ((SELECT id FROM pull WHERE id = $1 AND state = $3 AND locked = $4
            AND base_ref = $5 AND base_sha = $6 AND head_sha = $7), $9, $2, $10, $11);
        INSERT INTO review_comment (review_id, {columns}) VALUES (last_insert_rowid(), {values});
        SELECT id AS comment_id, review_id FROM review_comment WHERE id = last_insert_rowid();
        INSERT INTO notification (recipient_id, pull_id, comment_id, reason, created_at)
        SELECT value ->> 'id', pull_id, review_comment.id, value ->> 'reason', created_at
        FROM review_comment CROSS JOIN json_each($8)
        WHERE review_comment.id = last_insert_rowid();
        UPDATE pull SET updated_at = $11 WHERE id = $1 AND updated_at < $11"
    )
});
