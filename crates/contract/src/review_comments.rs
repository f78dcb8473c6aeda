//! The review comment API (Spec, Pull request review comments). The endpoints are here; request
//! bodies, lists and representations have a file each.
//!
//! `/pulls/comments` lists every comment of the repository, `/pulls/{pull_number}/comments`
//! those of one pull request. A single comment is always addressed through the repository.

mod bodies;
mod listing;
mod view;

pub use bodies::{CreateReviewComment, ReplyToReviewComment, StartSide, UpdateReviewComment};
use contract_macros::operations;
pub use listing::{CommentList, Direction, PullSort, RepoSort, SortDirection, SortKey};
pub use view::{
    AuthorAssociation, Hyperlink, ReactionRollup, ReviewComment, ReviewCommentLinks, Side,
    SubjectType,
};

use super::body::Body;
use super::call::Call;
use super::paging::{OptionalParameter, PageNumber, PerPage};
use super::reply::{Empty, Outcome, Reply};
use super::shared::address::RepoAddress;
use super::values::Timestamp;

/// The operations; `forge::review_comments` implements them.
#[operations(ReviewComments)]
pub trait Operations: Send + Sync {
    /// List review comments in a repository
    ///
    /// Returns the review comments on all pull requests of a repository. By default, they
    /// are sorted by id in ascending order. Sorting by `created_at` is the same as sorting
    /// by `created`.
    #[get(
        "/repos/{owner}/{repo}/pulls/comments",
        docs = "pulls/comments#list-review-comments-in-a-repository"
    )]
    #[access(open, READ_PULLS)]
    #[fails(403, 404, 422)]
    #[cached]
    #[comment_media]
    #[specified(200)]
    #[links(get_review_comment, comment_id = "/0/id")]
    async fn list_repo_review_comments(
        &self,
        call: Call,
        at: RepoAddress,
        #[query(
            sort: RepoSort,
            direction: SortDirection,
            since: OptionalParameter<Timestamp>,
            per_page: PerPage,
            page: PageNumber,
        )]
        list: CommentList,
    ) -> Outcome<Reply<200, Vec<ReviewComment>>>;

    /// Get a review comment for a pull request
    ///
    /// Returns one review comment. The custom media types select the format of its text:
    /// Markdown (`raw`, the default), plain text (`text`), HTML (`html`), or all three
    /// (`full`).
    #[get(
        "/repos/{owner}/{repo}/pulls/comments/{comment_id}",
        docs = "pulls/comments#get-a-review-comment-for-a-pull-request"
    )]
    #[access(open, READ_PULLS)]
    #[fails(403, 404)]
    #[cached]
    #[comment_media]
    #[specified(200, 404)]
    async fn get_review_comment(
        &self,
        call: Call,
        at: RepoAddress,
        comment_id: i64,
    ) -> Outcome<Reply<200, ReviewComment>>;

    /// Update a review comment for a pull request
    ///
    /// Updates the text of a review comment. Its author and callers with write access to
    /// the repository can update it.
    #[patch(
        "/repos/{owner}/{repo}/pulls/comments/{comment_id}",
        docs = "pulls/comments#update-a-review-comment-for-a-pull-request"
    )]
    #[access(token, WRITE_PULLS)]
    #[fails(403, 404, 422)]
    #[comment_media]
    #[specified(200)]
    #[links(get_review_comment, delete_review_comment, comment_id = "/id")]
    async fn update_review_comment(
        &self,
        call: Call,
        at: RepoAddress,
        comment_id: i64,
        body: Body<UpdateReviewComment>,
    ) -> Outcome<Reply<200, ReviewComment>>;

    /// Delete a review comment for a pull request
    ///
    /// Deletes a review comment. Replies to it are kept. Its author and callers with write
    /// access to the repository can delete it.
    #[delete(
        "/repos/{owner}/{repo}/pulls/comments/{comment_id}",
        docs = "pulls/comments#delete-a-review-comment-for-a-pull-request"
    )]
    #[access(token, WRITE_PULLS)]
    #[fails(403, 404)]
    #[specified(204, 404)]
    async fn delete_review_comment(
        &self,
        call: Call,
        at: RepoAddress,
        comment_id: i64,
    ) -> Outcome<Empty>;

    /// List review comments on a pull request
    ///
    /// Returns the review comments on a pull request. By default, they are sorted by id in
    /// ascending order.
    #[get(
        "/repos/{owner}/{repo}/pulls/{pull_number}/comments",
        docs = "pulls/comments#list-review-comments-on-a-pull-request"
    )]
    #[access(open, READ_PULLS)]
    #[fails(403, 404, 422)]
    #[cached]
    #[comment_media]
    #[specified(200)]
    #[links(get_review_comment, comment_id = "/0/id")]
    async fn list_pull_review_comments(
        &self,
        call: Call,
        at: RepoAddress,
        pull_number: i64,
        #[query(
            sort: PullSort,
            direction: SortDirection,
            since: OptionalParameter<Timestamp>,
            per_page: PerPage,
            page: PageNumber,
        )]
        list: CommentList,
    ) -> Outcome<Reply<200, Vec<ReviewComment>>>;

    /// Create a review comment for a pull request
    ///
    /// Creates a review comment on a line, on several lines or on a whole file of the diff
    /// of a pull request. If `in_reply_to` is given, creates a reply to a review comment.
    /// The participants are notified. Creating comments too quickly may exceed a secondary
    /// rate limit.
    #[post(
        "/repos/{owner}/{repo}/pulls/{pull_number}/comments",
        docs = "pulls/comments#create-a-review-comment-for-a-pull-request"
    )]
    #[access(token, WRITE_PULLS)]
    #[fails(403, 404, 422)]
    #[headers(Location)]
    #[comment_media]
    #[specified(201, 403, 422)]
    #[links(
        get_review_comment,
        update_review_comment,
        delete_review_comment,
        reply_to_review_comment,
        comment_id = "/id"
    )]
    async fn create_review_comment(
        &self,
        call: Call,
        at: RepoAddress,
        pull_number: i64,
        body: Body<CreateReviewComment>,
    ) -> Outcome<Reply<201, ReviewComment>>;

    /// Create a reply for a review comment
    ///
    /// Creates a reply to a top-level review comment. Replies to replies are not supported.
    /// The participants are notified. Creating comments too quickly may exceed a secondary
    /// rate limit.
    #[post(
        "/repos/{owner}/{repo}/pulls/{pull_number}/comments/{comment_id}/replies",
        docs = "pulls/comments#create-a-reply-for-a-review-comment"
    )]
    #[access(token, WRITE_PULLS)]
    #[fails(403, 404, 422)]
    #[headers(Location)]
    #[comment_media]
    #[specified(201, 404)]
    #[links(
        get_review_comment,
        update_review_comment,
        delete_review_comment,
        comment_id = "/id"
    )]
    async fn reply_to_review_comment(
        &self,
        call: Call,
        at: RepoAddress,
        pull_number: i64,
        comment_id: i64,
        body: Body<ReplyToReviewComment>,
    ) -> Outcome<Reply<201, ReviewComment>>;
}
