//! Values of issue fields: what an issue or a pull request says in the fields that its
//! organization defined.

mod bodies;
mod view;

pub use bodies::{GiveIssueFieldValues, GivenIssueFieldValue, GivenValue};
use forgewright_macros::operations;
pub use view::{IssueFieldValue, IssueFieldValueOption, ShownValue};

use super::body::Body;
use super::call::Call;
use super::paging::{Page, PageNumber, PerPage};
use super::reply::{Empty, Outcome, Reply};
use super::shared::address::RepoAddress;

/// What the area does; `areas/issue_field_values` is how.
#[operations(IssueFields)]
pub trait Operations: Send + Sync {
    /// List issue field values for an issue
    ///
    /// Returns the values that an issue or a pull request has in the issue fields of its organization.
    #[get(
        "/repos/{owner}/{repo}/issues/{issue_number}/issue-field-values",
        docs = "issues/issue-field-values#list-issue-field-values-for-an-issue"
    )]
    #[access(
        open,
        permission = read("issues"),
        scopes = &["repo"],
        shown_scopes = Some(&[]),
    )]
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
    /// Gives an issue or a pull request values in issue fields, which keeps those that it has in other
    /// fields. An empty list removes all. Returns all that it has then.
    #[post(
        "/repos/{owner}/{repo}/issues/{issue_number}/issue-field-values",
        docs = "issues/issue-field-values#add-issue-field-values-to-an-issue"
    )]
    #[access(
        token,
        permission = write("issues"),
        or_permission = write("pull_requests"),
        scopes = &["repo"],
        shown_scopes = Some(&[]),
        standing = Writer,
    )]
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
    /// Gives an issue or a pull request values in issue fields, in place of all that it has. An empty
    /// list removes all. Returns all that it has then.
    #[put(
        "/repos/{owner}/{repo}/issues/{issue_number}/issue-field-values",
        docs = "issues/issue-field-values#set-issue-field-values-for-an-issue"
    )]
    #[access(
        token,
        permission = write("issues"),
        or_permission = write("pull_requests"),
        scopes = &["repo"],
        shown_scopes = Some(&[]),
        standing = Writer,
    )]
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
    /// Removes the value that an issue or a pull request has in an issue field.
    #[delete(
        "/repos/{owner}/{repo}/issues/{issue_number}/issue-field-values/{issue_field_id}",
        docs = "issues/issue-field-values#delete-an-issue-field-value-from-an-issue"
    )]
    #[access(
        token,
        permission = write("issues"),
        or_permission = write("pull_requests"),
        scopes = &["repo"],
        shown_scopes = Some(&[]),
        standing = Writer,
    )]
    #[fails(403, 404)]
    async fn delete_issue_field_value(
        &self,
        call: Call,
        at: RepoAddress,
        issue_number: i64,
        issue_field_id: i64,
    ) -> Outcome<Empty>;
}
