//! The values of issues and pull requests in the issue fields of their organization.

mod bodies;
mod view;

pub use bodies::{GiveIssueFieldValues, GivenIssueFieldValue, GivenValue};
use contract_macros::operations;
pub use view::{IssueFieldValue, IssueFieldValueOption, ShownValue};

use super::body::Body;
use super::call::Call;
use super::paging::{Page, PageNumber, PerPage};
use super::reply::{Empty, Outcome, Reply};
use super::shared::address::RepoAddress;

/// The operations; `forge::issue_field_values` implements them.
#[operations(IssueFields)]
pub trait Operations: Send + Sync {
    /// List issue field values for an issue
    ///
    /// Returns the values of the issue fields of an issue or a pull request.
    #[get(
        "/repos/{owner}/{repo}/issues/{issue_number}/issue-field-values",
        docs = "issues/issue-field-values#list-issue-field-values-for-an-issue"
    )]
    #[access(open, READ_ISSUES)]
    #[fails(403, 404)]
    #[cached]
    async fn list_issue_field_values(
        &self,
        call: Call,
        at: RepoAddress,
        issue_number: i64,
        #[query(per_page: PerPage, page: PageNumber)] page: Page,
    ) -> Outcome<Reply<200, Vec<IssueFieldValue>>>;

    /// Add issue field values to an issue
    ///
    /// Sets values of issue fields on an issue or a pull request. The values of other fields
    /// are kept. An empty list removes all values. Returns all values after the change.
    #[post(
        "/repos/{owner}/{repo}/issues/{issue_number}/issue-field-values",
        docs = "issues/issue-field-values#add-issue-field-values-to-an-issue"
    )]
    #[access(token, MANAGE_CONVERSATIONS)]
    #[fails(403, 404, 422)]
    async fn add_issue_field_values(
        &self,
        call: Call,
        at: RepoAddress,
        issue_number: i64,
        body: Body<GiveIssueFieldValues>,
    ) -> Outcome<Reply<200, Vec<IssueFieldValue>>>;

    /// Set issue field values for an issue
    ///
    /// Sets the values of the issue fields on an issue or a pull request and removes all other
    /// values. An empty list removes all values. Returns all values after the change.
    #[put(
        "/repos/{owner}/{repo}/issues/{issue_number}/issue-field-values",
        docs = "issues/issue-field-values#set-issue-field-values-for-an-issue"
    )]
    #[access(token, MANAGE_CONVERSATIONS)]
    #[fails(403, 404, 422)]
    async fn set_issue_field_values(
        &self,
        call: Call,
        at: RepoAddress,
        issue_number: i64,
        body: Body<GiveIssueFieldValues>,
    ) -> Outcome<Reply<200, Vec<IssueFieldValue>>>;

    /// Delete an issue field value from an issue
    ///
    /// Removes the value of an issue field from an issue or a pull request.
    #[delete(
        "/repos/{owner}/{repo}/issues/{issue_number}/issue-field-values/{issue_field_id}",
        docs = "issues/issue-field-values#delete-an-issue-field-value-from-an-issue"
    )]
    #[access(token, MANAGE_CONVERSATIONS)]
    #[fails(403, 404)]
    async fn delete_issue_field_value(
        &self,
        call: Call,
        at: RepoAddress,
        issue_number: i64,
        issue_field_id: i64,
    ) -> Outcome<Empty>;
}
