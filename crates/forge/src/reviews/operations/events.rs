//! The webhook events of reviews. Their reviews have the shape of the REST responses.

use super::showing::{referenced, review_view};
use crate::events::Origin;
use crate::events::{Audience, Event, EventName, ReviewAction};
use crate::review_comments::rows::CommentRelations;
use contract::media::Media;
use contract::problem::Problem;
use contract::reply::Outcome;
use storage::database::Transaction;
use storage::entities::{pull, review};

/// Queues the webhook event of a change of a submitted review.
pub(super) async fn queue_review_event(
    transaction: &Transaction,
    origin: &Origin<'_>,
    action: ReviewAction,
    pull: &pull::Model,
    row: &review::Model,
) -> Outcome<()> {
    let is_subscribed = |audience: &Audience| audience.has_subscriber(EventName::PullRequestReview);
    if !origin.audience.as_deref().is_none_or(is_subscribed) {
        return Ok(());
    }
    let references = referenced(pull, std::slice::from_ref(row));
    let relations = CommentRelations::of(transaction, origin.repository, &references).await?;
    let full_name = format!("{}/{}", origin.owner.login, origin.repository.name);
    let review = review_view(&origin.urls, Media::Raw, &full_name, pull, row, &relations);
    let review = serde_json::to_value(review).map_err(Problem::internal)?;
    let event = Event::Review {
        action,
        review,
        pull,
    };
    crate::events::queue(transaction, origin, event).await
}
