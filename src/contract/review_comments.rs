//! Pull request review comments: what clients see (Spec, Pull request review
//! comments). The endpoints are here; bodies, lists and views have a file each.
//!
//! `/pulls/comments` is every comment of the repository and
//! `/pulls/{pull_number}/comments` those of one pull request; a single comment
//! is always reached through the repository.

mod bodies;
mod listing;
mod view;

use std::sync::Arc;

use async_trait::async_trait;
pub use bodies::{CreateReviewComment, ReplyToReviewComment, StartSide, UpdateReviewComment};
pub use listing::{CommentList, Direction, PullSort, RepoSort, SortDirection, SortKey};
use poem_openapi::OpenApi;
use poem_openapi::param::{Path, Query};
pub use view::{
    AuthorAssociation, Hyperlink, Reactions, ReviewComment, ReviewCommentLinks, Side, SubjectType,
};

use super::Tag;
use super::body::Body;
use super::call::{Call, Open, Signed};
use super::paging::{Given, Page, PageNumber, PerPage};
use super::reply::{Empty, Fails, Outcome, Reply};
use super::shared::address::RepoAddress;
use super::values::Timestamp;

/// What the area does; `areas/review_comments` is how.
#[async_trait]
pub trait Operations: Send + Sync {
    async fn list_repo_review_comments(
        &self,
        call: Call,
        at: RepoAddress,
        list: CommentList,
    ) -> Outcome<Reply<200, Vec<ReviewComment>>>;

    async fn get_review_comment(
        &self,
        call: Call,
        at: RepoAddress,
        comment_id: i64,
    ) -> Outcome<Reply<200, ReviewComment>>;

    async fn update_review_comment(
        &self,
        call: Call,
        at: RepoAddress,
        comment_id: i64,
        body: Body<UpdateReviewComment>,
    ) -> Outcome<Reply<200, ReviewComment>>;

    async fn delete_review_comment(
        &self,
        call: Call,
        at: RepoAddress,
        comment_id: i64,
    ) -> Outcome<Empty>;

    async fn list_pull_review_comments(
        &self,
        call: Call,
        at: RepoAddress,
        pull_number: i64,
        list: CommentList,
    ) -> Outcome<Reply<200, Vec<ReviewComment>>>;

    async fn create_review_comment(
        &self,
        call: Call,
        at: RepoAddress,
        pull_number: i64,
        body: Body<CreateReviewComment>,
    ) -> Outcome<Reply<201, ReviewComment>>;

    async fn reply_to_review_comment(
        &self,
        call: Call,
        at: RepoAddress,
        pull_number: i64,
        comment_id: i64,
        body: Body<ReplyToReviewComment>,
    ) -> Outcome<Reply<201, ReviewComment>>;
}

/// The endpoints of the area.
pub struct Api(pub Arc<dyn Operations>);

// An endpoint's parameters are the operation's, however many it has.
#[allow(clippy::too_many_arguments)]
#[OpenApi(tag = "Tag::ReviewComments")]
impl Api {
    /// List review comments in a repository
    ///
    /// Returns the comments of all pull requests of the repository, ascending by id unless `sort`
    /// says otherwise. Sorting by `created_at` is the same as by `created`.
    #[oai(
        path = "/repos/:owner/:repo/pulls/comments",
        method = "get",
        operation_id = "list_repo_review_comments",
        external_docs = "https://docs.github.com/rest/pulls/comments#list-review-comments-in-a-repository"
    )]
    async fn list_repo_review_comments(
        &self,
        call: Open,
        owner: Path<String>,
        repo: Path<String>,
        sort: Query<RepoSort>,
        direction: Query<SortDirection>,
        since: Query<Given<Timestamp>>,
        per_page: Query<PerPage>,
        page: Query<PageNumber>,
    ) -> Result<Reply<200, Vec<ReviewComment>>, Fails<403, 404, 422>> {
        let at = RepoAddress {
            owner: owner.0,
            repo: repo.0,
        };
        let list = CommentList {
            sort: sort.0.0,
            direction: direction.0.0,
            since: since.0.0,
            page: Page::new(per_page.0, page.0),
        };
        Ok(self.0.list_repo_review_comments(call.0, at, list).await?)
    }

    /// Get a review comment for a pull request
    ///
    /// Returns one comment. The custom media types choose how its text is shown: as it was written
    /// (`raw`, the default), as plain text, as HTML, or all three (`full`).
    #[oai(
        path = "/repos/:owner/:repo/pulls/comments/:comment_id",
        method = "get",
        operation_id = "get_review_comment",
        external_docs = "https://docs.github.com/rest/pulls/comments#get-a-review-comment-for-a-pull-request"
    )]
    async fn get_review_comment(
        &self,
        call: Open,
        owner: Path<String>,
        repo: Path<String>,
        comment_id: Path<i64>,
    ) -> Result<Reply<200, ReviewComment>, Fails<403, 404>> {
        let at = RepoAddress {
            owner: owner.0,
            repo: repo.0,
        };
        Ok(self.0.get_review_comment(call.0, at, comment_id.0).await?)
    }

    /// Update a review comment for a pull request
    ///
    /// Gives a comment a new text. Its author may do so, and whoever may write to the repository.
    #[oai(
        path = "/repos/:owner/:repo/pulls/comments/:comment_id",
        method = "patch",
        operation_id = "update_review_comment",
        external_docs = "https://docs.github.com/rest/pulls/comments#update-a-review-comment-for-a-pull-request"
    )]
    async fn update_review_comment(
        &self,
        call: Signed,
        owner: Path<String>,
        repo: Path<String>,
        comment_id: Path<i64>,
        body: Body<UpdateReviewComment>,
    ) -> Result<Reply<200, ReviewComment>, Fails<403, 404, 422>> {
        let at = RepoAddress {
            owner: owner.0,
            repo: repo.0,
        };
        let comment = comment_id.0;
        Ok(self
            .0
            .update_review_comment(call.0, at, comment, body)
            .await?)
    }

    /// Delete a review comment for a pull request
    ///
    /// Deletes a comment. The replies to it stay. Its author may do so, and whoever may write to
    /// the repository.
    #[oai(
        path = "/repos/:owner/:repo/pulls/comments/:comment_id",
        method = "delete",
        operation_id = "delete_review_comment",
        external_docs = "https://docs.github.com/rest/pulls/comments#delete-a-review-comment-for-a-pull-request"
    )]
    async fn delete_review_comment(
        &self,
        call: Signed,
        owner: Path<String>,
        repo: Path<String>,
        comment_id: Path<i64>,
    ) -> Result<Empty, Fails<403, 404>> {
        let at = RepoAddress {
            owner: owner.0,
            repo: repo.0,
        };
        let comment = comment_id.0;
        Ok(self.0.delete_review_comment(call.0, at, comment).await?)
    }

    /// List review comments on a pull request
    ///
    /// Returns the comments of one pull request, ascending by id unless `sort` says otherwise.
    #[oai(
        path = "/repos/:owner/:repo/pulls/:pull_number/comments",
        method = "get",
        operation_id = "list_pull_review_comments",
        external_docs = "https://docs.github.com/rest/pulls/comments#list-review-comments-on-a-pull-request"
    )]
    async fn list_pull_review_comments(
        &self,
        call: Open,
        owner: Path<String>,
        repo: Path<String>,
        pull_number: Path<i64>,
        sort: Query<PullSort>,
        direction: Query<SortDirection>,
        since: Query<Given<Timestamp>>,
        per_page: Query<PerPage>,
        page: Query<PageNumber>,
    ) -> Result<Reply<200, Vec<ReviewComment>>, Fails<403, 404, 422>> {
        let at = RepoAddress {
            owner: owner.0,
            repo: repo.0,
        };
        let list = CommentList {
            sort: sort.0.0,
            direction: direction.0.0,
            since: since.0.0,
            page: Page::new(per_page.0, page.0),
        };
        let pull = pull_number.0;
        Ok(self
            .0
            .list_pull_review_comments(call.0, at, pull, list)
            .await?)
    }

    /// Create a review comment for a pull request
    ///
    /// Comments on a line, on several lines or on a whole file of the diff, or replies to a comment
    /// when `in_reply_to` is given. People who take part are notified. Creating comments too
    /// quickly may exceed a secondary rate limit.
    #[oai(
        path = "/repos/:owner/:repo/pulls/:pull_number/comments",
        method = "post",
        operation_id = "create_review_comment",
        external_docs = "https://docs.github.com/rest/pulls/comments#create-a-review-comment-for-a-pull-request"
    )]
    async fn create_review_comment(
        &self,
        call: Signed,
        owner: Path<String>,
        repo: Path<String>,
        pull_number: Path<i64>,
        body: Body<CreateReviewComment>,
    ) -> Result<Reply<201, ReviewComment>, Fails<403, 404, 422>> {
        let at = RepoAddress {
            owner: owner.0,
            repo: repo.0,
        };
        let pull = pull_number.0;
        Ok(self.0.create_review_comment(call.0, at, pull, body).await?)
    }

    /// Create a reply for a review comment
    ///
    /// Replies to a top-level comment, that is, one which is not itself a reply. People who take
    /// part are notified. Creating comments too quickly may exceed a secondary rate limit.
    #[oai(
        path = "/repos/:owner/:repo/pulls/:pull_number/comments/:comment_id/replies",
        method = "post",
        operation_id = "reply_to_review_comment",
        external_docs = "https://docs.github.com/rest/pulls/comments#create-a-reply-for-a-review-comment"
    )]
    async fn reply_to_review_comment(
        &self,
        call: Signed,
        owner: Path<String>,
        repo: Path<String>,
        pull_number: Path<i64>,
        comment_id: Path<i64>,
        body: Body<ReplyToReviewComment>,
    ) -> Result<Reply<201, ReviewComment>, Fails<403, 404, 422>> {
        let at = RepoAddress {
            owner: owner.0,
            repo: repo.0,
        };
        let (pull, comment) = (pull_number.0, comment_id.0);
        Ok(self
            .0
            .reply_to_review_comment(call.0, at, pull, comment, body)
            .await?)
    }
}
