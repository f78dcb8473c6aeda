//! The label API: the labels of a repository, and those of an issue or a pull request.

mod bodies;
mod view;

pub(super) use bodies::name_labels;
pub use bodies::{CreateLabel, IssueLabels, UpdateLabel};
use contract_macros::operations;
pub use view::Label;

use super::body::Body;
use super::call::Call;
use super::paging::{Page, PageNumber, PerPage};
use super::reply::{Empty, Outcome, Reply};
use super::shared::address::RepoAddress;

/// The operations; `forge::labels` implements them.
#[operations(Labels)]
pub trait Operations: Send + Sync {
    /// List labels for a repository
    ///
    /// Returns the labels of a repository, sorted by name.
    #[get(
        "/repos/{owner}/{repo}/labels",
        docs = "issues/labels#list-labels-for-a-repository"
    )]
    #[access(open, READ_CONVERSATIONS)]
    #[fails(403, 404)]
    #[cached]
    async fn list_labels(
        &self,
        call: Call,
        at: RepoAddress,
        #[query(per_page: PerPage, page: PageNumber)] page: Page,
    ) -> Outcome<Reply<200, Vec<Label>>>;

    /// Create a label
    ///
    /// Creates a label in a repository. Its name must be unique in the repository; names are
    /// not case-sensitive.
    #[post("/repos/{owner}/{repo}/labels", docs = "issues/labels#create-a-label")]
    #[access(token, MANAGE_CONVERSATIONS)]
    #[fails(403, 404, 422)]
    #[headers(Location)]
    async fn create_label(
        &self,
        call: Call,
        at: RepoAddress,
        body: Body<CreateLabel>,
    ) -> Outcome<Reply<201, Label>>;

    /// Get a label
    ///
    /// Returns one label. The name is not case-sensitive.
    #[get(
        "/repos/{owner}/{repo}/labels/{name}",
        docs = "issues/labels#get-a-label"
    )]
    #[access(open, READ_CONVERSATIONS)]
    #[fails(403, 404)]
    #[cached]
    async fn get_label(
        &self,
        call: Call,
        at: RepoAddress,
        name: String,
    ) -> Outcome<Reply<200, Label>>;

    /// Update a label
    ///
    /// Updates a label. Issues and pull requests that have the label keep it.
    #[patch(
        "/repos/{owner}/{repo}/labels/{name}",
        docs = "issues/labels#update-a-label"
    )]
    #[access(token, MANAGE_CONVERSATIONS)]
    #[fails(403, 404, 422)]
    async fn update_label(
        &self,
        call: Call,
        at: RepoAddress,
        name: String,
        body: Body<UpdateLabel>,
    ) -> Outcome<Reply<200, Label>>;

    /// Delete a label
    ///
    /// Deletes a label and removes it from all issues and pull requests.
    #[delete(
        "/repos/{owner}/{repo}/labels/{name}",
        docs = "issues/labels#delete-a-label"
    )]
    #[access(token, MANAGE_CONVERSATIONS)]
    #[fails(403, 404)]
    async fn delete_label(&self, call: Call, at: RepoAddress, name: String) -> Outcome<Empty>;

    /// List labels for an issue
    ///
    /// Returns the labels of an issue or a pull request, sorted by name.
    #[get(
        "/repos/{owner}/{repo}/issues/{issue_number}/labels",
        docs = "issues/labels#list-labels-for-an-issue"
    )]
    #[access(open, READ_CONVERSATIONS)]
    #[fails(403, 404)]
    #[cached]
    async fn list_issue_labels(
        &self,
        call: Call,
        at: RepoAddress,
        issue_number: i64,
        #[query(per_page: PerPage, page: PageNumber)] page: Page,
    ) -> Outcome<Reply<200, Vec<Label>>>;

    /// Add labels to an issue
    ///
    /// Adds labels to an issue or a pull request, keeps the current ones, and returns all of
    /// them. Labels that do not exist are created, which requires the write role and, for
    /// fine-grained and app tokens, `issues: write`.
    #[post(
        "/repos/{owner}/{repo}/issues/{issue_number}/labels",
        docs = "issues/labels#add-labels-to-an-issue"
    )]
    #[access(token, TRIAGE_CONVERSATIONS)]
    #[fails(403, 404, 422)]
    async fn add_issue_labels(
        &self,
        call: Call,
        at: RepoAddress,
        issue_number: i64,
        body: Body<IssueLabels>,
    ) -> Outcome<Reply<200, Vec<Label>>>;

    /// Set labels for an issue
    ///
    /// Sets the labels of an issue or a pull request, replaces the current ones, and returns
    /// the new ones. Labels that do not exist are created, which requires the write role and,
    /// for fine-grained and app tokens, `issues: write`. An empty list removes all labels.
    #[put(
        "/repos/{owner}/{repo}/issues/{issue_number}/labels",
        docs = "issues/labels#set-labels-for-an-issue"
    )]
    #[access(token, TRIAGE_CONVERSATIONS)]
    #[fails(403, 404, 422)]
    async fn set_issue_labels(
        &self,
        call: Call,
        at: RepoAddress,
        issue_number: i64,
        body: Body<IssueLabels>,
    ) -> Outcome<Reply<200, Vec<Label>>>;

    /// Remove all labels from an issue
    ///
    /// Removes all labels from an issue or a pull request.
    #[delete(
        "/repos/{owner}/{repo}/issues/{issue_number}/labels",
        docs = "issues/labels#remove-all-labels-from-an-issue"
    )]
    #[access(token, TRIAGE_CONVERSATIONS)]
    #[fails(403, 404)]
    async fn clear_issue_labels(
        &self,
        call: Call,
        at: RepoAddress,
        issue_number: i64,
    ) -> Outcome<Empty>;

    /// Remove a label from an issue
    ///
    /// Removes a label from an issue or a pull request and returns the remaining labels.
    /// Returns 404 if the issue does not have the label.
    #[delete(
        "/repos/{owner}/{repo}/issues/{issue_number}/labels/{name}",
        docs = "issues/labels#remove-a-label-from-an-issue"
    )]
    #[access(token, TRIAGE_CONVERSATIONS)]
    #[fails(403, 404)]
    async fn remove_issue_label(
        &self,
        call: Call,
        at: RepoAddress,
        issue_number: i64,
        name: String,
    ) -> Outcome<Reply<200, Vec<Label>>>;
}
