//! What changes a review that is there: a new text, its dismissal, its deletion.

use super::super::{Reviews, rules, store};
use super::creating::set_text;
use super::telling::tell_of_review;
use crate::access::RepositoryGrant;
use crate::contract::call::Call;
use crate::contract::problem::Problem;
use crate::contract::reply::{Outcome, Reply};
use crate::contract::reviews::Review;
use crate::database::Transaction;
use crate::entities::review::ReviewState;
use crate::entities::{pull, review};
use crate::notify::ReviewAction;
use crate::pulls::lock_row;
use crate::views::markdown::Text;

impl Reviews {
    pub(super) async fn rewrite(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        found: &review::Model,
        body: String,
    ) -> Outcome<Reply<200, Review>> {
        let text = Text::render(self.app.db.reads(), body).await?;
        let origin = self.origin(call, grant).await?;
        let transaction = self.app.db.begin().await?;
        let (pull, mut row) = locked(&transaction, found).await?;
        if row.body != text.body {
            let before = Some(row.body.clone());
            set_text(&mut row, text);
            store::update(&transaction, &row).await?;
            if row.state != ReviewState::Pending {
                let action = ReviewAction::Edited { before };
                tell_of_review(&transaction, &origin, action, &pull, &row).await?;
            }
            transaction.commit().await?;
        }
        self.show(call, grant, &pull, &row).await
    }

    pub(super) async fn dismiss(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        found: &review::Model,
        message: String,
    ) -> Outcome<Reply<200, Review>> {
        let origin = self.origin(call, grant).await?;
        let transaction = self.app.db.begin().await?;
        let (pull, mut row) = locked(&transaction, found).await?;
        rules::is_dismissable(row.state)?;
        row.state = ReviewState::Dismissed;
        row.dismissal_message = Some(message);
        store::update(&transaction, &row).await?;
        let action = ReviewAction::Dismissed;
        tell_of_review(&transaction, &origin, action, &pull, &row).await?;
        transaction.commit().await?;
        self.show(call, grant, &pull, &row).await
    }

    pub(super) async fn delete(
        &self,
        call: &Call,
        grant: &RepositoryGrant,
        found: &review::Model,
    ) -> Outcome<Reply<200, Review>> {
        let transaction = self.app.db.begin().await?;
        let (pull, row) = locked(&transaction, found).await?;
        rules::may_delete(row.state)?;
        store::delete(&transaction, row.id).await?;
        transaction.commit().await?;
        self.show(call, grant, &pull, &row).await
    }
}

/// Locks the pull request of a review, and reads both as they are now.
pub(super) async fn locked(
    transaction: &Transaction,
    found: &review::Model,
) -> Outcome<(pull::Model, review::Model)> {
    let pull = lock_row(transaction, found.pull_id).await?;
    let row = store::review(transaction, found.pull_id, found.id).await?;
    pull.zip(row).ok_or(Problem::NotFound)
}
