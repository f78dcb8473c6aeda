//! The issue API. A pull request is an issue with the same number.

mod bodies;
mod listing;
mod view;

pub use bodies::{CreateIssue, LockIssue, UpdateIssue};
use contract_macros::operations;
pub use listing::{IssueList, IssueListSort, IssueOrder};
pub use view::{Issue, IssueDependenciesSummary, IssuePull, StateReason, SubIssuesSummary};

use super::body::Body;
use super::call::Call;
use super::paging::{OptionalParameter, PageNumber, PerPage};
use super::reply::{Empty, Outcome, Reply};
use super::review_comments::SortDirection;
use super::shared::address::RepoAddress;
use super::shared::state::PullListState;
use super::values::Timestamp;

/// The operations; `forge::issues` implements them.
#[operations(Issues)]
pub trait Operations: Send + Sync {
    /// List repository issues
    ///
    /// Returns the issues of a repository, newest first unless `sort` and `direction` specify
    /// another order. Pull requests are included: they have the property `pull_request`. The media
    /// types `text`, `html` and `full` select the format of `body`.
    #[get(
        "/repos/{owner}/{repo}/issues",
        docs = "issues/issues#list-repository-issues"
    )]
    #[access(open, READ_ISSUES)]
    #[fails(403, 404, 422)]
    #[cached]
    async fn list_issues(
        &self,
        call: Call,
        at: RepoAddress,
        #[query(
            /// Only issues in this state.
            state: PullListState,
            /// Only issues assigned to the user with this login. `none` for unassigned issues, `*`
            /// for assigned ones.
            #[example("")]
            assignee: OptionalParameter<String>,
            creator: OptionalParameter<String>,
            labels: OptionalParameter<String>,
            /// The property to sort by.
            sort: IssueListSort,
            /// The sort direction. By default, `desc`.
            direction: SortDirection,
            /// Only issues updated at or after this time, `YYYY-MM-DDTHH:MM:SSZ`.
            since: OptionalParameter<Timestamp>,
            per_page: PerPage,
            page: PageNumber,
        )]
        list: IssueList,
    ) -> Outcome<Reply<200, Vec<Issue>>>;

    /// Create an issue
    ///
    /// Creates an issue. Any caller who can read the repository can create one. Returns
    /// 410 if issues are disabled in the repository. Creating issues too quickly may exceed a
    /// secondary rate limit.
    #[post("/repos/{owner}/{repo}/issues", docs = "issues/issues#create-an-issue")]
    #[access(token, WRITE_ISSUES)]
    #[fails(403, 404, 410, 422)]
    #[headers(Location)]
    async fn create_issue(
        &self,
        call: Call,
        at: RepoAddress,
        body: Body<CreateIssue>,
    ) -> Outcome<Reply<201, Issue>>;

    /// Get an issue
    ///
    /// Returns one issue or pull request. The media types `text`, `html` and `full` select the
    /// format of `body`.
    #[get(
        "/repos/{owner}/{repo}/issues/{issue_number}",
        docs = "issues/issues#get-an-issue"
    )]
    #[access(open, READ_ISSUES)]
    #[fails(403, 404)]
    #[cached]
    async fn get_issue(
        &self,
        call: Call,
        at: RepoAddress,
        issue_number: i64,
    ) -> Outcome<Reply<200, Issue>>;

    /// Update an issue
    ///
    /// Updates an issue or a pull request. Its author and callers with the triage role or a
    /// higher one can update it; callers other than the author need the write role for the title
    /// and the body of a pull request.
    #[patch(
        "/repos/{owner}/{repo}/issues/{issue_number}",
        docs = "issues/issues#update-an-issue"
    )]
    #[access(token, WRITE_CONVERSATIONS)]
    #[fails(403, 404, 422)]
    async fn update_issue(
        &self,
        call: Call,
        at: RepoAddress,
        issue_number: i64,
        body: Body<UpdateIssue>,
    ) -> Outcome<Reply<200, Issue>>;

    /// Lock an issue
    ///
    /// Locks the conversation of an issue or a pull request: only callers with write access
    /// to the repository can comment.
    #[put(
        "/repos/{owner}/{repo}/issues/{issue_number}/lock",
        docs = "issues/issues#lock-an-issue"
    )]
    #[access(token, MANAGE_CONVERSATIONS)]
    #[fails(403, 404, 422)]
    async fn lock_issue(
        &self,
        call: Call,
        at: RepoAddress,
        issue_number: i64,
        body: Body<LockIssue>,
    ) -> Outcome<Empty>;

    /// Unlock an issue
    ///
    /// Unlocks the conversation of an issue or a pull request.
    #[delete(
        "/repos/{owner}/{repo}/issues/{issue_number}/lock",
        docs = "issues/issues#unlock-an-issue"
    )]
    #[access(token, MANAGE_CONVERSATIONS)]
    #[fails(403, 404)]
    async fn unlock_issue(&self, call: Call, at: RepoAddress, issue_number: i64) -> Outcome<Empty>;
}
