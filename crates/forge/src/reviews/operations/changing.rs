//! Changes of an existing review: a new text, its dismissal, its deletion.

use super::creating::set_text;
use super::events::queue_review_event;
use crate::access::RepositoryGrant;
use crate::events::ReviewAction;
use crate::issues::rows::lock_pull;
use crate::reviews::{Reviews, rows, rules};
use crate::views::markdown::Text;
use contract::call::Call;
use contract::problem::Problem;
use contract::reply::{Outcome, Reply};
use contract::reviews::Review;
use storage::database::Transaction;
use storage::entities::review::ReviewState;
use storage::entities::{pull, review};

impl Reviews {
    pub(super) async fn rewrite(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        review: &review::Model,
        body: String,
    ) -> Outcome<Reply<200, Review>> {
        let text = Text::render(self.app.db.reads(), body).await?;
        let origin = self.origin(call, grant).await?;
        let transaction = self.app.db.begin().await?;
        let (pull, mut row) = locked(&transaction, review).await?;
        if row.body != text.body {
            let before = Some(row.body.clone());
            set_text(&mut row, text);
            rows::update(&transaction, &row).await?;
            if row.state != ReviewState::Pending {
                let action = ReviewAction::Edited { before };
                queue_review_event(&transaction, &origin, action, &pull, &row).await?;
            }
            transaction.commit().await?;
        }
        self.show(call, grant, &pull, &row).await
    }

    pub(super) async fn dismiss(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        review: &review::Model,
        message: String,
    ) -> Outcome<Reply<200, Review>> {
        let origin = self.origin(call, grant).await?;
        let transaction = self.app.db.begin().await?;
        let (pull, mut row) = locked(&transaction, review).await?;
        rules::is_dismissable(row.state)?;
        row.state = ReviewState::Dismissed;
        row.dismissal_message = Some(message);
        rows::update(&transaction, &row).await?;
        let action = ReviewAction::Dismissed;
        queue_review_event(&transaction, &origin, action, &pull, &row).await?;
        transaction.commit().await?;
        self.show(call, grant, &pull, &row).await
    }

    pub(super) async fn delete(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        review: &review::Model,
    ) -> Outcome<Reply<200, Review>> {
        let transaction = self.app.db.begin().await?;
        let (pull, row) = locked(&transaction, review).await?;
        rules::may_delete(row.state)?;
        rows::delete(&transaction, row.id).await?;
        transaction.commit().await?;
        self.show(call, grant, &pull, &row).await
    }
}

/// Locks the pull request of a review, and reads the current rows of both.
pub(super) async fn locked(
    transaction: &Transaction,
    review: &review::Model,
) -> Outcome<(pull::Model, review::Model)> {
    let pull = lock_pull(transaction, review.pull_id).await?;
    let row = rows::review(transaction, review.pull_id, review.id).await?;
    pull.zip(row).ok_or(Problem::NotFound)
}
