//! The operations. They find the resource and check access; `creating` and
//! `changing` have the changes.

mod changing;
mod creating;
mod events;
mod showing;

use async_trait::async_trait;
use migration::aggregates::Kind;

use super::{Reviews, rows, rules};
use crate::access::RepositoryGrant;
use crate::comments::authors::note_author;
use crate::comments::rules::{may_change, may_comment};
use crate::events::Origin;
use crate::review_comments::cached;
use contract::body::Body;
use contract::call::Call;
use contract::control::journal::StepOutcome;
use contract::paging::Page;
use contract::problem::Problem;
use contract::reply::{Outcome, Reply};
use contract::review_comments::ReviewComment;
use contract::reviews::*;
use contract::shared::address::RepoAddress;
use storage::entities::{pull, review};

#[async_trait]
impl Operations for Reviews {
    async fn list_reviews(
        &self,
        call: Call,
        at: RepoAddress,
        pull_number: i64,
        page: Page,
    ) -> Outcome<Reply<200, Vec<Review>>> {
        let (grant, pull) = self.pull(&call, &at, pull_number).await?;
        self.list(&call, &grant, pull, page).await
    }

    async fn create_review(
        &self,
        call: Call,
        at: RepoAddress,
        pull_number: i64,
        body: Body<CreateReview>,
    ) -> Outcome<Reply<200, Review>> {
        let (grant, pull) = self.pull(&call, &at, pull_number).await?;
        grant.writable()?;
        may_comment(pull.locked, grant.role)?;
        let body = body.validated()?;
        self.create(&call, &grant, &pull, body).await
    }

    async fn get_review(
        &self,
        call: Call,
        at: RepoAddress,
        pull_number: i64,
        review_id: i64,
    ) -> Outcome<Reply<200, Review>> {
        let (grant, pull) = self.pull(&call, &at, pull_number).await?;
        let row = self.find(&call, &pull, review_id).await?;
        self.show(&call, &grant, &pull, &row).await
    }

    async fn update_review(
        &self,
        call: Call,
        at: RepoAddress,
        pull_number: i64,
        review_id: i64,
        body: Body<UpdateReview>,
    ) -> Outcome<Reply<200, Review>> {
        let (grant, pull) = self.pull(&call, &at, pull_number).await?;
        let row = self.find(&call, &pull, review_id).await?;
        may_change(row.author_id, call.caller.author(), grant.role)?;
        grant.writable()?;
        let body = body.validated()?.body;
        rules::new_text(&body)?;
        self.rewrite(&call, &grant, &row, body).await
    }

    async fn delete_pending_review(
        &self,
        call: Call,
        at: RepoAddress,
        pull_number: i64,
        review_id: i64,
    ) -> Outcome<Reply<200, Review>> {
        let (grant, pull) = self.pull(&call, &at, pull_number).await?;
        let row = self.find(&call, &pull, review_id).await?;
        may_change(row.author_id, call.caller.author(), grant.role)?;
        grant.writable()?;
        rules::may_delete(row.state)?;
        self.delete(&call, &grant, &row).await
    }

    async fn list_comments_for_review(
        &self,
        call: Call,
        at: RepoAddress,
        pull_number: i64,
        review_id: i64,
        page: Page,
    ) -> Outcome<Reply<200, Vec<ReviewComment>>> {
        let (grant, pull) = self.pull(&call, &at, pull_number).await?;
        let row = self.find(&call, &pull, review_id).await?;
        self.list_comments(&call, &grant, &row, page).await
    }

    async fn dismiss_review(
        &self,
        call: Call,
        at: RepoAddress,
        pull_number: i64,
        review_id: i64,
        body: Body<DismissReview>,
    ) -> Outcome<Reply<200, Review>> {
        let (grant, pull) = self.pull(&call, &at, pull_number).await?;
        let row = self.find(&call, &pull, review_id).await?;
        rules::may_dismiss(grant.role)?;
        grant.writable()?;
        let body = body.validated()?;
        rules::reason(&body.message)?;
        self.dismiss(&call, &grant, &row, body.message).await
    }

    async fn submit_review(
        &self,
        call: Call,
        at: RepoAddress,
        pull_number: i64,
        review_id: i64,
        body: Body<SubmitReview>,
    ) -> Outcome<Reply<200, Review>> {
        let (grant, pull) = self.pull(&call, &at, pull_number).await?;
        let row = self.find(&call, &pull, review_id).await?;
        may_change(row.author_id, call.caller.author(), grant.role)?;
        grant.writable()?;
        may_comment(pull.locked, grant.role)?;
        let body = body.validated()?;
        rules::may_submit(row.state)?;
        self.submit(&call, &grant, &pull, row, body).await
    }
}

impl Reviews {
    async fn pull(
        &self,
        call: &Call,
        at: &RepoAddress,
        number: i64,
    ) -> Outcome<(RepositoryGrant, pull::Model)> {
        let grant = self.app.access.repository(call, at).await?;
        let pull = cached::pull(&self.app, grant.repository.id, number).await?;
        Ok((grant, pull))
    }

    /// A review that the caller may see.
    async fn find(&self, call: &Call, pull: &pull::Model, id: i64) -> Outcome<review::Model> {
        let reads = self.app.db.reading(&[Kind::PullComments.of(pull.id)]).await;
        let row = rows::review(reads, pull.id, id).await?;
        let row = row.ok_or(Problem::NotFound)?;
        if rules::is_visible(row.state, row.author_id, call.caller.author()) {
            return Ok(row);
        }
        let hidden = ("the pending review", StepOutcome::Hidden);
        note_author(&self.app, call, hidden, row.author_id).await?;
        Err(Problem::NotFound)
    }

    /// The origin of a change, with the apps that are subscribed.
    async fn origin<'a>(&'a self, call: &Call, grant: &'a RepositoryGrant) -> Outcome<Origin<'a>> {
        let audience = self.app.audience(&grant.repository).await?;
        Ok(self.app.origin(call, grant).before(audience))
    }
}
