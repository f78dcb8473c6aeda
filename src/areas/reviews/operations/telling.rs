//! Apps hear of reviews in the shape in which a caller would be shown them.

use super::showing::{referenced, shown};
use crate::contract::media::Media;
use crate::contract::problem::Problem;
use crate::contract::reply::Outcome;
use crate::database::Transaction;
use crate::entities::{pull, review};
use crate::notify::{self, Audience, Event, EventName, ReviewAction};
use crate::origin::Origin;
use crate::reviews::store::CommentRelations;

/// Tells apps of a change of a review that was submitted.
pub(super) async fn tell_of_review(
    transaction: &Transaction,
    origin: &Origin<'_>,
    action: ReviewAction,
    pull: &pull::Model,
    row: &review::Model,
) -> Outcome<()> {
    let heard = |audience: &Audience| audience.hears(EventName::PullRequestReview);
    if !origin.audience.as_deref().is_none_or(heard) {
        return Ok(());
    }
    let named = referenced(pull, std::slice::from_ref(row));
    let around = CommentRelations::of(transaction, origin.repository, &named).await?;
    let full_name = format!("{}/{}", origin.owner.login, origin.repository.name);
    let review = shown(&origin.urls, Media::Raw, &full_name, pull, row, &around);
    let review = serde_json::to_value(review).map_err(Problem::internal)?;
    let event = Event::Review {
        action,
        review,
        pull,
    };
    notify::queue(transaction, origin, event).await
}
