//! The rows of new comments on issues. The operations check access
//! and limits, and queue the webhook events.

pub mod batched;

use sea_orm::{ConnectionTrait, DbErr, Statement};

use crate::comments;
use crate::views::markdown::Text;
use contract::reply::Outcome;
use storage::database::Connection;
use storage::entities::{issue, issue_comment};

/// The resource in validation errors.
pub const COMMENT: &str = "IssueComment";

/// Validates the text of a comment.
pub fn check(body: &str) -> Outcome<()> {
    comments::rules::text(COMMENT, body)
}

/// Validates and renders the text of a comment.
pub async fn prepared(connection: &Connection, body: String) -> Outcome<Text> {
    check(&body)?;
    Text::render(connection, body).await
}

/// A validated comment.
#[derive(Debug, Clone, Copy)]
pub struct NewIssueComment<'a> {
    pub author: i64,
    pub text: &'a Text,
    pub now: i64,
}

/// Writes a comment. None if the issue was deleted, locked or unlocked since it was read.
pub async fn insert(
    transaction: &Connection,
    issue: &issue::Model,
    new: NewIssueComment<'_>,
) -> Result<Option<issue_comment::Model>, DbErr> {
    let sql = "INSERT INTO issue_comment (repository_id, issue_id, author_id, body, body_html,
                   body_text, created_at, updated_at)
               SELECT repository_id, id, $1, $2, $3, $4, $5, $5 FROM issue
               WHERE id = $6 AND locked = $7 RETURNING id";
    let (text, rendered) = (new.text, &new.text.rendered);
    let values = [
        new.author.into(),
        text.body.clone().into(),
        rendered.html.clone().into(),
        rendered.text.clone().into(),
        new.now.into(),
        issue.id.into(),
        issue.locked.into(),
    ];
    let backend = transaction.get_database_backend();
    let statement = Statement::from_sql_and_values(backend, sql, values);
    let Some(inserted) = transaction.query_one_raw(statement).await? else {
        return Ok(None);
    };
    let id = inserted.try_get("", "id")?;
    Ok(Some(row(id, issue, new)))
}

fn row(id: i64, issue: &issue::Model, new: NewIssueComment<'_>) -> issue_comment::Model {
    let (text, rendered) = (new.text, &new.text.rendered);
    issue_comment::Model {
        id,
        repository_id: issue.repository_id,
        issue_id: issue.id,
        author_id: Some(new.author),
        body: text.body.clone(),
        body_html: rendered.html.clone(),
        body_text: rendered.text.clone(),
        created_at: new.now,
        updated_at: new.now,
        reactions: None,
    }
}
