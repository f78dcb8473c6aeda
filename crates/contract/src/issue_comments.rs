//! The API of comments on issues and pull requests.
//!
//! `/issues/comments` lists every comment of the repository, `/issues/{issue_number}/comments`
//! those of one issue or pull request. A single comment is always addressed through the
//! repository.

mod bodies;
mod listing;
mod view;

pub use bodies::WriteIssueComment;
use contract_macros::operations;
pub use listing::IssueCommentSort;
pub use view::IssueComment;

use super::body::Body;
use super::call::Call;
use super::paging::{OptionalParameter, PageNumber, PerPage};
use super::reply::{Empty, Outcome, Reply};
use super::review_comments::{CommentList, SortDirection};
use super::shared::address::RepoAddress;
use super::values::Timestamp;

/// The operations; `forge::issue_comments` implements them.
#[operations(Issues)]
pub trait Operations: Send + Sync {
    /// List issue comments for a repository
    ///
    /// Returns the comments on all issues and pull requests of a repository, in ascending order
    /// of their identifiers unless `sort` specifies another order.
    #[get(
        "/repos/{owner}/{repo}/issues/comments",
        docs = "issues/comments#list-issue-comments-for-a-repository"
    )]
    #[access(open, READ_ISSUES)]
    #[fails(403, 404, 422)]
    #[cached]
    #[comment_media]
    #[links(get_issue_comment, comment_id = "/0/id")]
    async fn list_repo_issue_comments(
        &self,
        call: Call,
        at: RepoAddress,
        #[query(
            sort: IssueCommentSort,
            direction: SortDirection,
            since: OptionalParameter<Timestamp>,
            per_page: PerPage,
            page: PageNumber,
        )]
        list: CommentList,
    ) -> Outcome<Reply<200, Vec<IssueComment>>>;

    /// Get an issue comment
    ///
    /// Returns one comment. The custom media types choose how its text is shown: as it was written
    /// (`raw`, the default), as plain text, as HTML, or all three (`full`).
    #[get(
        "/repos/{owner}/{repo}/issues/comments/{comment_id}",
        docs = "issues/comments#get-an-issue-comment"
    )]
    #[access(open, READ_CONVERSATIONS)]
    #[fails(403, 404)]
    #[cached]
    #[comment_media]
    async fn get_issue_comment(
        &self,
        call: Call,
        at: RepoAddress,
        #[example("9501")] comment_id: i64,
    ) -> Outcome<Reply<200, IssueComment>>;

    /// Update an issue comment
    ///
    /// Updates the text of a comment. Its author and callers with write access to the repository
    /// can update it.
    #[patch(
        "/repos/{owner}/{repo}/issues/comments/{comment_id}",
        docs = "issues/comments#update-an-issue-comment"
    )]
    #[access(token, WRITE_CONVERSATIONS)]
    #[fails(403, 404, 422)]
    #[comment_media]
    #[links(get_issue_comment, delete_issue_comment, comment_id = "/id")]
    async fn update_issue_comment(
        &self,
        call: Call,
        at: RepoAddress,
        #[example("9501")] comment_id: i64,
        body: Body<WriteIssueComment>,
    ) -> Outcome<Reply<200, IssueComment>>;

    /// Delete an issue comment
    ///
    /// Deletes a comment. Its author and callers with write access to the repository can
    /// delete it.
    #[delete(
        "/repos/{owner}/{repo}/issues/comments/{comment_id}",
        docs = "issues/comments#delete-an-issue-comment"
    )]
    #[access(token, WRITE_CONVERSATIONS)]
    #[fails(403, 404)]
    async fn delete_issue_comment(
        &self,
        call: Call,
        at: RepoAddress,
        #[example("9501")] comment_id: i64,
    ) -> Outcome<Empty>;

    /// List issue comments
    ///
    /// Returns the comments on an issue or a pull request, in ascending order of their
    /// identifiers.
    #[get(
        "/repos/{owner}/{repo}/issues/{issue_number}/comments",
        docs = "issues/comments#list-issue-comments"
    )]
    #[access(open, READ_CONVERSATIONS)]
    #[fails(403, 404, 410, 422)]
    #[cached]
    #[comment_media]
    #[links(get_issue_comment, comment_id = "/0/id")]
    async fn list_issue_comments(
        &self,
        call: Call,
        at: RepoAddress,
        issue_number: i64,
        #[query(since: OptionalParameter<Timestamp>, per_page: PerPage, page: PageNumber)]
        list: CommentList,
    ) -> Outcome<Reply<200, Vec<IssueComment>>>;

    /// Create an issue comment
    ///
    /// Creates a comment on an issue or a pull request. Creating comments too quickly may
    /// exceed a secondary rate limit.
    #[post(
        "/repos/{owner}/{repo}/issues/{issue_number}/comments",
        docs = "issues/comments#create-an-issue-comment"
    )]
    #[access(token, WRITE_CONVERSATIONS)]
    #[fails(403, 404, 410, 422)]
    #[headers(Location)]
    #[comment_media]
    #[links(
        get_issue_comment,
        update_issue_comment,
        delete_issue_comment,
        comment_id = "/id"
    )]
    async fn create_issue_comment(
        &self,
        call: Call,
        at: RepoAddress,
        issue_number: i64,
        body: Body<WriteIssueComment>,
    ) -> Outcome<Reply<201, IssueComment>>;
}
