//! The review API: part of the companion document. The endpoints are here; the request bodies
//! and the representation have a file each.

mod bodies;
mod view;

pub use bodies::{
    CreateReview, DismissEvent, DismissReview, DraftReviewComment, ReviewEvent, SubmitReview,
    UpdateReview,
};
use contract_macros::operations;
pub use view::{Review, ReviewLinks, ReviewState};

use super::body::Body;
use super::call::Call;
use super::paging::{Page, PageNumber, PerPage};
use super::reply::{Outcome, Reply};
use super::review_comments::ReviewComment;
use super::shared::address::RepoAddress;

/// The operations; `forge::reviews` implements them.
#[operations(Reviews)]
pub trait Operations: Send + Sync {
    /// List reviews for a pull request
    ///
    /// Returns the submitted reviews of a pull request in the order of submission, followed by
    /// the caller's pending review. A standalone comment has its own review in the state
    /// `COMMENTED`.
    #[get(
        "/repos/{owner}/{repo}/pulls/{pull_number}/reviews",
        docs = "pulls/reviews#list-reviews-for-a-pull-request"
    )]
    #[access(open, READ_PULLS)]
    #[fails(403, 404)]
    #[cached]
    #[comment_media]
    #[links(get_review, list_comments_for_review, review_id = "/0/id")]
    async fn list_reviews(
        &self,
        call: Call,
        at: RepoAddress,
        pull_number: i64,
        #[query(per_page: PerPage, page: PageNumber)] page: Page,
    ) -> Outcome<Reply<200, Vec<Review>>>;

    /// Create a review for a pull request
    ///
    /// Creates a review of a pull request, with comments on its diff. Without `event` the
    /// review is pending: only its author sees it and its comments until it is submitted. A
    /// user can have one pending review on each pull request. Authors cannot approve their own
    /// pull request or request changes on it.
    #[post(
        "/repos/{owner}/{repo}/pulls/{pull_number}/reviews",
        docs = "pulls/reviews#create-a-review-for-a-pull-request"
    )]
    #[access(token, WRITE_PULLS)]
    #[fails(403, 404, 422)]
    #[comment_media]
    #[links(
        get_review,
        update_review,
        submit_review,
        dismiss_review,
        delete_pending_review,
        list_comments_for_review,
        review_id = "/id"
    )]
    async fn create_review(
        &self,
        call: Call,
        at: RepoAddress,
        pull_number: i64,
        body: Body<CreateReview>,
    ) -> Outcome<Reply<200, Review>>;

    /// Get a review for a pull request
    ///
    /// Returns one review. A pending review is reported as not found to everyone but its
    /// author.
    #[get(
        "/repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}",
        docs = "pulls/reviews#get-a-review-for-a-pull-request"
    )]
    #[access(open, READ_PULLS)]
    #[fails(403, 404)]
    #[cached]
    #[comment_media]
    async fn get_review(
        &self,
        call: Call,
        at: RepoAddress,
        pull_number: i64,
        review_id: i64,
    ) -> Outcome<Reply<200, Review>>;

    /// Update a review for a pull request
    ///
    /// Updates the text of a review. Its author and callers with write access to the
    /// repository can update it.
    #[put(
        "/repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}",
        docs = "pulls/reviews#update-a-review-for-a-pull-request"
    )]
    #[access(token, WRITE_PULLS)]
    #[fails(403, 404, 422)]
    #[comment_media]
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
    /// Deletes a pending review and its comments, and returns the review. Submitted reviews
    /// cannot be deleted.
    #[delete(
        "/repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}",
        docs = "pulls/reviews#delete-a-pending-review-for-a-pull-request"
    )]
    #[access(token, WRITE_PULLS)]
    #[fails(403, 404, 422)]
    #[comment_media]
    async fn delete_pending_review(
        &self,
        call: Call,
        at: RepoAddress,
        pull_number: i64,
        review_id: i64,
    ) -> Outcome<Reply<200, Review>>;

    /// List comments for a pull request review
    ///
    /// Returns the comments of one review, in ascending order of their identifiers.
    #[get(
        "/repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}/comments",
        docs = "pulls/reviews#list-comments-for-a-pull-request-review"
    )]
    #[access(open, READ_PULLS)]
    #[fails(403, 404)]
    #[cached]
    #[comment_media]
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
    /// Dismisses an approval or a request for changes. Requires write access to the repository.
    #[put(
        "/repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}/dismissals",
        docs = "pulls/reviews#dismiss-a-review-for-a-pull-request"
    )]
    #[access(token, WRITE_PULLS)]
    #[fails(403, 404, 422)]
    #[comment_media]
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
    /// Submits a pending review: it and its comments become visible to everyone who can see the
    /// pull request. Comments whose lines are no longer in the diff are outdated.
    #[post(
        "/repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}/events",
        docs = "pulls/reviews#submit-a-review-for-a-pull-request"
    )]
    #[access(token, WRITE_PULLS)]
    #[fails(403, 404, 422)]
    #[comment_media]
    #[links(get_review, dismiss_review, review_id = "/id")]
    async fn submit_review(
        &self,
        call: Call,
        at: RepoAddress,
        pull_number: i64,
        review_id: i64,
        body: Body<SubmitReview>,
    ) -> Outcome<Reply<200, Review>>;
}
