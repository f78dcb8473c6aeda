//! The webhook events of comments. Their comments have the shape of the REST responses.

use super::rows::{CommentRelations, Referenced};
use super::showing::comment_view;
use crate::events::Origin;
use crate::events::{Audience, CommentAction, Event, EventName};
use contract::media::Media;
use contract::reply::Outcome;
use contract::review_comments::ReviewComment;
use storage::database::Transaction;
use storage::entities::{pull, review_comment};

/// Queues the webhook events of changed comments on one pull request.
pub async fn queue_comment_events(
    transaction: &Transaction,
    origin: &Origin<'_>,
    action: &CommentAction,
    pull: &pull::Model,
    rows: &[review_comment::Model],
) -> Outcome<()> {
    let is_subscribed =
        |audience: &Audience| audience.has_subscriber(EventName::PullRequestReviewComment);
    if rows.is_empty() || !origin.audience.as_deref().is_none_or(is_subscribed) {
        return Ok(());
    }
    let relations =
        CommentRelations::of(transaction, origin.repository, &Referenced::by(rows)).await?;
    let full_name = origin.full_name();
    let view = |row| comment_view(&origin.urls, Media::Raw, &full_name, row, &relations);
    let comments: Vec<ReviewComment> = rows.iter().map(view).collect::<Outcome<_>>()?;
    let events: Vec<Event<'_>> = comments
        .iter()
        .map(|comment| Event::ReviewComment {
            action: action.clone(),
            comment,
            pull,
        })
        .collect();
    crate::events::queue_all(transaction, origin, &events).await
}
