//! The comments that reactions belong to.

use sea_orm::{ConnectionTrait, DbErr, EntityTrait, QueryFilter};

use crate::entities::{issue, issue_comment, pull, review_comment};
use crate::reactions::{Comment, Counts};

/// A comment that exists.
#[derive(Debug)]
pub struct ReactionSubject {
    pub counts: Counts,
    /// Whether its conversation is locked.
    pub locked: bool,
}

/// Finds a comment of a repository.
pub async fn comment(
    connection: &impl ConnectionTrait,
    repository: i64,
    comment: Comment,
) -> Result<Option<ReactionSubject>, DbErr> {
    let reactions_and_lock = match comment {
        Comment::OfIssue(id) => {
            let row = issue_comment::Entity::find_by_id(id)
                .filter(issue_comment::COLUMN.repository_id.eq(repository))
                .one(connection)
                .await?;
            let Some(row) = row else {
                return Ok(None);
            };
            let issue = issue::Entity::find_by_id(row.issue_id).one(connection);
            issue.await?.map(|issue| (row.reactions, issue.locked))
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
            pull.await?.map(|pull| (row.reactions, pull.locked))
        }
    };
    Ok(
        reactions_and_lock.map(|(reactions, locked)| ReactionSubject {
            counts: Counts::read(reactions.as_deref()),
            locked,
        }),
    )
}
