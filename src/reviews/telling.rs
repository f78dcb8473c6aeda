//! Apps hear of comments in the shape in which a caller would be shown them.

use super::showing::shown;
use super::store::{CommentRelations, Referenced};
use crate::contract::media::Media;
use crate::contract::reply::Outcome;
use crate::contract::review_comments::ReviewComment;
use crate::database::Transaction;
use crate::entities::{pull, review_comment};
use crate::notify::{self, Audience, CommentAction, Event, EventName};
use crate::origin::Origin;

/// Tells apps of a change of comments on one pull request.
pub async fn tell_of_comments(
    transaction: &Transaction,
    origin: &Origin<'_>,
    action: &CommentAction,
    pull: &pull::Model,
    rows: &[review_comment::Model],
) -> Outcome<()> {
    let heard = |audience: &Audience| audience.hears(EventName::PullRequestReviewComment);
    if rows.is_empty() || !origin.audience.as_deref().is_none_or(heard) {
        return Ok(());
    }
    let around =
        CommentRelations::of(transaction, origin.repository, &Referenced::by(rows)).await?;
    let full_name = origin.full_name();
    let shown = |row| shown(&origin.urls, Media::Raw, &full_name, row, &around);
    let comments: Vec<ReviewComment> = rows.iter().map(shown).collect::<Outcome<_>>()?;
    let events: Vec<Event<'_>> = comments
        .iter()
        .map(|comment| Event::ReviewComment {
            action: action.clone(),
            comment,
            pull,
        })
        .collect();
    notify::queue_all(transaction, origin, &events).await
}
