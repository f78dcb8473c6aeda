//! The comments that reactions belong to.

use sea_orm::{DbErr, EntityTrait, QueryFilter};

use super::{Comment, Counts};
use crate::issues;
use storage::database::Connection;
use storage::entities::{issue, issue_comment, pull, review_comment};

/// A comment that exists.
#[derive(Debug)]
pub struct ReactionSubject {
    pub counts: Counts,
    /// The id of its issue or, for a comment on a diff, of its pull request.
    parent: i64,
    /// Whether its conversation is locked.
    pub locked: bool,
}

/// Finds a comment of a repository.
pub async fn comment(
    connection: &Connection,
    repository: i64,
    comment: Comment,
) -> Result<Option<ReactionSubject>, DbErr> {
    let found = match comment {
        Comment::OfIssue(id) => {
            let row = issue_comment::Entity::find_by_id(id)
                .filter(issue_comment::COLUMN.repository_id.eq(repository))
                .one(connection)
                .await?;
            let Some(row) = row else {
                return Ok(None);
            };
            let issue = issue::Entity::find_by_id(row.issue_id).one(connection);
            let issue = issue.await?;
            issue.map(|issue| (row.reactions, issue.id, issue.locked))
        }
        Comment::OfReview(id) => {
            let row = review_comment::Entity::find_by_id(id)
                .filter(review_comment::COLUMN.repository_id.eq(repository))
                .one(connection)
                .await?;
            let Some(row) = row else {
                return Ok(None);
            };
            let pull = pull::Entity::find_by_id(row.pull_id).one(connection);
            let pull = pull.await?;
            pull.map(|pull| (row.reactions, pull.id, pull.locked))
        }
    };
    Ok(found.map(|(reactions, parent, locked)| ReactionSubject {
        counts: Counts::read(reactions.as_deref()),
        parent,
        locked,
    }))
}

/// Whether the conversation of a comment is locked now. Blocks changes of that until the
/// transaction ends.
pub async fn is_locked(
    transaction: &Connection,
    comment: Comment,
    subject: &ReactionSubject,
) -> Result<Option<bool>, DbErr> {
    Ok(match comment {
        Comment::OfIssue(_) => {
            let issue = issues::rows::lock_row(transaction, subject.parent).await?;
            issue.map(|issue| issue.locked)
        }
        Comment::OfReview(_) => {
            let pull = issues::rows::lock_pull(transaction, subject.parent).await?;
            pull.map(|pull| pull.locked)
        }
    })
}
