//! A comment and all that it brings, in one statement of PostgreSQL: others who write
//! on the pull request wait for its lock, and for nothing else.

use sea_orm::{
    ActiveModelTrait, DbBackend, DbErr, IdenStatic, Iterable, Set, Statement, TryIntoModel, Value,
};

use super::NewComment;
use crate::database::{Writers, guard};
use crate::entities::review_comment::{self, Column};
use crate::entities::{pull, review};

/// Writes a comment if the pull request is as it was found, and the caller may still. One that another has
/// locked is looked at again as it is then.
pub async fn insert(
    writers: &Writers,
    pull: &pull::Model,
    new: &NewComment<'_>,
) -> Result<Option<review_comment::Model>, DbErr> {
    let mut comment = super::row(pull, 0, new);
    let mut values = Values::default();
    let sql = sql(&mut values, pull, new, &comment);
    let statement = Statement::from_sql_and_values(DbBackend::Postgres, sql, values.0);
    let Some(written) = writers.write(statement).await? else {
        return Ok(None);
    };
    comment.id = Set(written.try_get("", "id")?);
    comment.review_id = Set(written.try_get("", "review_id")?);
    comment.try_into_model().map(Some)
}

fn sql(
    values: &mut Values,
    pull: &pull::Model,
    new: &NewComment<'_>,
    comment: &review_comment::ActiveModel,
) -> String {
    let now = values.bind(new.now);
    let id = values.bind(pull.id);
    let (columns, row) = row(values, comment);
    let told = told(values, new, &id, &now);
    format!(
        "WITH unmoved AS (
            SELECT id FROM pull
            WHERE id = {id} AND state = {state} AND locked = {locked}
                AND base_ref = {base_ref} AND base_sha = {base} AND head_sha = {head}
                AND {allowed}
            FOR NO KEY UPDATE
        ), review AS (
            INSERT INTO review (pull_id, author_id, state, commit_sha, submitted_at)
            SELECT id, {author}, {commented}, {commit}, {now} FROM unmoved
            RETURNING id
        ), comment AS (
            INSERT INTO review_comment ({columns}) SELECT {row} FROM review
            RETURNING id, review_id
        ), touched AS (
            UPDATE pull SET updated_at = {now} FROM unmoved
            WHERE pull.id = unmoved.id AND pull.updated_at < {now}
        ){told}
        SELECT id, review_id FROM comment",
        allowed = guard::condition(&mut values.0),
        state = values.bind(pull.state),
        locked = values.bind(pull.locked),
        base_ref = values.bind(pull.base_ref.as_str()),
        base = values.bind(pull.base_sha.as_str()),
        head = values.bind(pull.head_sha.as_str()),
        author = values.bind(new.author),
        commented = values.bind(review::State::Commented),
        commit = values.bind(new.location.anchor.commit.to_string()),
    )
}

/// The columns that are set, and what they are set to.
fn row(values: &mut Values, comment: &review_comment::ActiveModel) -> (String, String) {
    let (mut columns, mut row) = (Vec::new(), Vec::new());
    for column in Column::iter() {
        let Set(value) = comment.get(column) else {
            continue;
        };
        columns.push(column.as_str());
        row.push(match column {
            Column::ReviewId => "review.id".to_owned(),
            _ => values.bind(value),
        });
    }
    (columns.join(", "), row.join(", "))
}

/// A notification for everybody who is to hear of it.
fn told(values: &mut Values, new: &NewComment<'_>, pull: &str, now: &str) -> String {
    if new.recipients.is_empty() {
        return String::new();
    }
    let recipients = new.recipients.iter();
    let people =
        recipients.map(|(id, reason)| format!("({}, {})", values.bind(*id), values.bind(*reason)));
    let people = people.collect::<Vec<_>>().join(", ");
    format!(
        ", told AS (
            INSERT INTO notification (recipient_id, pull_id, comment_id, reason, created_at)
            SELECT person.id, {pull}, comment.id, person.reason, {now}
            FROM comment CROSS JOIN (VALUES {people}) AS person (id, reason)
        )"
    )
}

/// The values of a statement, in order.
#[derive(Default)]
struct Values(Vec<Value>);

impl Values {
    /// Adds a value, and says how the statement names it.
    fn bind(&mut self, value: impl Into<Value>) -> String {
        self.0.push(value.into());
        format!("${}", self.0.len())
    }
}
