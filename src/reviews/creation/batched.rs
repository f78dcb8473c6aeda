//! Comments and all that they bring, in one statement of PostgreSQL: others who write
//! on the pull request wait for its lock, and for nothing else.

use std::sync::LazyLock;

use sea_orm::sea_query::value::sea_value_to_json_value;
use sea_orm::{
    ActiveEnum, ActiveModelTrait, DbErr, IdenStatic, Iterable, QueryResult, Set, TryIntoModel,
};
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::NewComment;
use crate::database::PostgresWriters;
use crate::database::batches::{BatchedChange, Batches};
use crate::entities::pull;
use crate::entities::review_comment::{self, Column};

/// A comment that is to be written if the pull request is as it was found. One that
/// another has locked is looked at again as it is then.
#[derive(Debug, Serialize)]
pub struct Creation {
    state: String,
    locked: bool,
    base_ref: String,
    base_sha: String,
    head_sha: String,
    /// The columns that are known.
    comment: Map<String, Value>,
    recipients: Vec<Value>,
    #[serde(skip)]
    size: usize,
}

/// The ids of a comment, and of the review that holds it.
#[derive(Debug)]
pub struct Ids {
    comment: i64,
    review: i64,
}

/// Writes a comment, together with others that wait; `None` if the pull request moved,
/// or the caller may no longer comment.
pub async fn insert(
    creations: &Batches<Creation>,
    writers: &PostgresWriters,
    pull: &pull::Model,
    new: &NewComment<'_>,
) -> Result<Option<review_comment::Model>, DbErr> {
    let mut comment = super::row(pull, 0, new);
    let creation = Creation::new(pull, new, &comment);
    let Some(ids) = creations.write(writers, pull.id, creation).await? else {
        return Ok(None);
    };
    comment.id = Set(ids.comment);
    comment.review_id = Set(ids.review);
    comment.try_into_model().map(Some)
}

impl Creation {
    fn new(
        pull: &pull::Model,
        new: &NewComment<'_>,
        comment: &review_comment::ActiveModel,
    ) -> Self {
        let known = Column::iter().filter_map(|column| match comment.get(column) {
            Set(value) => Some((column.as_str().to_owned(), sea_value_to_json_value(&value))),
            _ => None,
        });
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
            comment: known.collect(),
            recipients: recipients.collect(),
            size: text.body.len() + text.rendered.html.len() + text.rendered.text.len(),
        }
    }
}

impl BatchedChange for Creation {
    type Done = Ids;

    fn sql() -> &'static str {
        &SQL
    }

    fn done(row: &QueryResult) -> Result<Ids, DbErr> {
        Ok(Ids {
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
