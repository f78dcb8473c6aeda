//! Reviews of pull requests: what clients see. This is the companion document, not the
//! service's. The endpoints are here; bodies and the view have a file each.

mod bodies;
mod view;

pub use bodies::{
    CreateReview, DismissEvent, DismissReview, DraftReviewComment, ReviewEvent, SubmitReview,
    UpdateReview,
};
use forgewright_macros::operations;
pub use view::{Review, ReviewLinks, ReviewState};

use super::body::Body;
use super::call::Call;
use super::paging::{Page, PageNumber, PerPage};
use super::reply::{Outcome, Reply};
use super::review_comments::ReviewComment;
use super::shared::address::RepoAddress;

/// What the area does; `areas/reviews` is how.
#[operations(Reviews)]
pub trait Operations: Send + Sync {
    /// List reviews for a pull request
    ///
    /// Returns the submitted reviews of a pull request in the order of their submission, and the
    /// caller's own pending review after them. Every comment that was made by itself has a review
    /// of its own, in the state `COMMENTED`.
    #[get(
        "/repos/{owner}/{repo}/pulls/{pull_number}/reviews",
        docs = "pulls/reviews#list-reviews-for-a-pull-request"
    )]
    #[access(
        open,
        permission = read("pull_requests"),
        scopes = &["repo"],
        shown_scopes = Some(&[]),
    )]
    #[fails(403, 404)]
    #[cached]
    async fn list_reviews(
        &self,
        call: Call,
        at: RepoAddress,
        pull_number: i64,
        #[query(per_page: PerPage, page: PageNumber)] page: Page,
    ) -> Outcome<Reply<200, Vec<Review>>>;

    /// Create a review for a pull request
    ///
    /// Reviews a pull request, with comments on its diff. Without `event` the review is pending:
    /// only its author sees it and its comments, until it is submitted. A user can have one pending
    /// review on each pull request. Authors cannot approve their own pull request or request
    /// changes on it.
    #[post(
        "/repos/{owner}/{repo}/pulls/{pull_number}/reviews",
        docs = "pulls/reviews#create-a-review-for-a-pull-request"
    )]
    #[access(
        token,
        permission = write("pull_requests"),
        scopes = &["repo"],
        shown_scopes = Some(&[]),
    )]
    #[fails(403, 404, 422)]
    async fn create_review(
        &self,
        call: Call,
        at: RepoAddress,
        pull_number: i64,
        body: Body<CreateReview>,
    ) -> Outcome<Reply<200, Review>>;

    /// Get a review for a pull request
    ///
    /// Returns one review. A pending one looks absent to all but its author.
    #[get(
        "/repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}",
        docs = "pulls/reviews#get-a-review-for-a-pull-request"
    )]
    #[access(
        open,
        permission = read("pull_requests"),
        scopes = &["repo"],
        shown_scopes = Some(&[]),
    )]
    #[fails(403, 404)]
    #[cached]
    async fn get_review(
        &self,
        call: Call,
        at: RepoAddress,
        pull_number: i64,
        review_id: i64,
    ) -> Outcome<Reply<200, Review>>;

    /// Update a review for a pull request
    ///
    /// Gives a review a new text. Its author may do so, and whoever may write to the repository.
    #[put(
        "/repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}",
        docs = "pulls/reviews#update-a-review-for-a-pull-request"
    )]
    #[access(
        token,
        permission = write("pull_requests"),
        scopes = &["repo"],
        shown_scopes = Some(&[]),
    )]
    #[fails(403, 404, 422)]
    async fn update_review(
        &self,
        call: Call,
        at: RepoAddress,
        pull_number: i64,
        review_id: i64,
        body: Body<UpdateReview>,
    ) -> Outcome<Reply<200, Review>>;

    /// Delete a pending review for a pull request
    ///
    /// Deletes a review that was not submitted, with its comments, and returns it. Submitted
    /// reviews cannot be deleted.
    #[delete(
        "/repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}",
        docs = "pulls/reviews#delete-a-pending-review-for-a-pull-request"
    )]
    #[access(
        token,
        permission = write("pull_requests"),
        scopes = &["repo"],
        shown_scopes = Some(&[]),
    )]
    #[fails(403, 404, 422)]
    async fn delete_pending_review(
        &self,
        call: Call,
        at: RepoAddress,
        pull_number: i64,
        review_id: i64,
    ) -> Outcome<Reply<200, Review>>;

    /// List comments for a pull request review
    ///
    /// Returns the comments of one review, ascending by id.
    #[get(
        "/repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}/comments",
        docs = "pulls/reviews#list-comments-for-a-pull-request-review"
    )]
    #[access(
        open,
        permission = read("pull_requests"),
        scopes = &["repo"],
        shown_scopes = Some(&[]),
    )]
    #[fails(403, 404)]
    #[cached]
    async fn list_comments_for_review(
        &self,
        call: Call,
        at: RepoAddress,
        pull_number: i64,
        review_id: i64,
        #[query(per_page: PerPage, page: PageNumber)] page: Page,
    ) -> Outcome<Reply<200, Vec<ReviewComment>>>;

    /// Dismiss a review for a pull request
    ///
    /// Takes an approval, or a request for changes, out of effect. Whoever may write to the
    /// repository may do so.
    #[put(
        "/repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}/dismissals",
        docs = "pulls/reviews#dismiss-a-review-for-a-pull-request"
    )]
    #[access(
        token,
        permission = write("pull_requests"),
        scopes = &["repo"],
        shown_scopes = Some(&[]),
    )]
    #[fails(403, 404, 422)]
    async fn dismiss_review(
        &self,
        call: Call,
        at: RepoAddress,
        pull_number: i64,
        review_id: i64,
        body: Body<DismissReview>,
    ) -> Outcome<Reply<200, Review>>;

    /// Submit a review for a pull request
    ///
    /// Submits a pending review: everybody sees it and its comments from now on. A comment whose
    /// lines are no longer in the diff is outdated.
    #[post(
        "/repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}/events",
        docs = "pulls/reviews#submit-a-review-for-a-pull-request"
    )]
    #[access(
        token,
        permission = write("pull_requests"),
        scopes = &["repo"],
        shown_scopes = Some(&[]),
    )]
    #[fails(403, 404, 422)]
    async fn submit_review(
        &self,
        call: Call,
        at: RepoAddress,
        pull_number: i64,
        review_id: i64,
        body: Body<SubmitReview>,
    ) -> Outcome<Reply<200, Review>>;
}
