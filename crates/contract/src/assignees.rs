//! The assignees of issues and pull requests.

use contract_macros::{operations, schema};
use poem_openapi::types::Example;
use serde_json::Value;

use super::body::{Body, Readable};
use super::call::Call;
use super::issues::Issue;
use super::paging::{Page, PageNumber, PerPage};
use super::reply::{Empty, Outcome, Reply};
use super::shared::address::RepoAddress;
use super::shared::user::User;

/// The operations; `forge::assignees` implements them.
#[operations(Issues)]
pub trait Operations: Send + Sync {
    /// List assignees
    ///
    /// Returns the users who can be assigned to issues of a repository: those with write access,
    /// and members of its organization with read access.
    #[get(
        "/repos/{owner}/{repo}/assignees",
        docs = "issues/assignees#list-assignees"
    )]
    #[access(open, READ_CONVERSATIONS)]
    #[fails(403, 404)]
    #[cached]
    async fn list_assignees(
        &self,
        call: Call,
        at: RepoAddress,
        #[query(per_page: PerPage, page: PageNumber)] page: Page,
    ) -> Outcome<Reply<200, Vec<User>>>;

    /// Check if a user can be assigned
    ///
    /// Returns 204 if the user can be assigned to issues of the repository, otherwise 404.
    #[get(
        "/repos/{owner}/{repo}/assignees/{assignee}",
        docs = "issues/assignees#check-if-a-user-can-be-assigned"
    )]
    #[access(open, READ_CONVERSATIONS)]
    #[fails(403, 404)]
    async fn check_assignee(&self, call: Call, at: RepoAddress, assignee: String)
    -> Outcome<Empty>;

    /// Check if a user can be assigned to an issue
    ///
    /// Returns 204 if the user can be assigned to the issue, otherwise 404.
    #[get(
        "/repos/{owner}/{repo}/issues/{issue_number}/assignees/{assignee}",
        docs = "issues/assignees#check-if-a-user-can-be-assigned-to-a-issue"
    )]
    #[access(open, READ_CONVERSATIONS)]
    #[fails(403, 404)]
    async fn check_issue_assignee(
        &self,
        call: Call,
        at: RepoAddress,
        issue_number: i64,
        assignee: String,
    ) -> Outcome<Empty>;

    /// Add assignees to an issue
    ///
    /// Adds assignees to an issue or a pull request and keeps the current ones. There can be at
    /// most ten. Users who cannot be assigned are ignored.
    #[post(
        "/repos/{owner}/{repo}/issues/{issue_number}/assignees",
        docs = "issues/assignees#add-assignees-to-an-issue"
    )]
    #[access(token, TRIAGE_CONVERSATIONS)]
    #[fails(403, 404, 422)]
    async fn add_assignees(
        &self,
        call: Call,
        at: RepoAddress,
        issue_number: i64,
        body: Body<IssueAssignees>,
    ) -> Outcome<Reply<201, Issue>>;

    /// Remove assignees from an issue
    ///
    /// Removes assignees from an issue or a pull request. Users who are not assigned are ignored.
    #[delete(
        "/repos/{owner}/{repo}/issues/{issue_number}/assignees",
        docs = "issues/assignees#remove-assignees-from-an-issue"
    )]
    #[access(token, TRIAGE_CONVERSATIONS)]
    #[fails(403, 404, 422)]
    async fn remove_assignees(
        &self,
        call: Call,
        at: RepoAddress,
        issue_number: i64,
        body: Body<IssueAssignees>,
    ) -> Outcome<Reply<200, Issue>>;
}

/// The body of `add_assignees` and `remove_assignees`.
#[schema(rename = "IssueAssignees", example)]
#[derive(Default)]
pub struct IssueAssignees {
    /// The logins of the users to add or remove.
    #[schema(nullable, validator(max_items = 100))]
    pub assignees: Option<Vec<String>>,
}

impl Readable for IssueAssignees {
    const REQUIRED: bool = false;

    /// Replaces each user object with its login.
    fn prepare(body: &mut Value) {
        let given = body.get_mut("assignees").and_then(Value::as_array_mut);
        for user in given.into_iter().flatten() {
            if let Some(login) = user.get_mut("login") {
                *user = login.take();
            }
        }
    }
}

impl Example for IssueAssignees {
    fn example() -> Self {
        Self {
            assignees: Some(vec!["alice".to_owned()]),
        }
    }
}
