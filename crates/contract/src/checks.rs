//! Check runs and check suites: part of the companion document. The operations are here, the
//! types in `bodies` and `view`.

mod bodies;
mod view;

pub use bodies::{
    AnnotationLevel, CheckAction, CheckAnnotationDraft, CheckConclusion, CheckImage,
    CheckOutputDraft, CheckStatus, CreateCheckRun, UpdateCheckRun,
};
use contract_macros::{operations, schema};
pub use view::{
    CheckAnnotation, CheckOutput, CheckRun, CheckRunList, CheckSuite, CheckSuiteLink,
    CheckSuiteList, MinimalPull, MinimalPullBranch, RepositoryLink, SimpleCommit, SimpleSignature,
};

use super::body::Body;
use super::call::Call;
use super::paging::{OptionalParameter, Page, PageNumber, PerPage};
use super::reply::{Outcome, Reply};
use super::shared::address::RepoAddress;

/// The operations; `forge::checks` implements them.
#[operations(Checks)]
pub trait Operations: Send + Sync {
    /// Create a check run
    ///
    /// Creates a check run for a commit. Only an app whose installation has the permission
    /// `checks: write` can create check runs. The check runs of an app for a commit form a check
    /// suite. Of several check runs with the same name, the newest counts. If a suite has more
    /// than 1,000 of the same name, the oldest are deleted.
    #[post(
        "/repos/{owner}/{repo}/check-runs",
        docs = "checks/runs#create-a-check-run"
    )]
    #[access(token, WRITE_CHECKS)]
    #[fails(403, 404, 422)]
    #[headers(Location)]
    #[links(
        get_check_run,
        update_check_run,
        list_check_run_annotations,
        check_run_id = "/id"
    )]
    #[links(
        get_check_suite,
        list_check_runs_for_suite,
        check_suite_id = "/check_suite/id"
    )]
    async fn create_check_run(
        &self,
        call: Call,
        at: RepoAddress,
        body: Body<CreateCheckRun>,
    ) -> Outcome<Reply<201, CheckRun>>;

    /// Get a check run
    ///
    /// Returns one check run.
    #[get(
        "/repos/{owner}/{repo}/check-runs/{check_run_id}",
        docs = "checks/runs#get-a-check-run"
    )]
    #[access(open, READ_CHECKS)]
    #[fails(403, 404)]
    #[cached]
    async fn get_check_run(
        &self,
        call: Call,
        at: RepoAddress,
        check_run_id: i64,
    ) -> Outcome<Reply<200, CheckRun>>;

    /// Update a check run
    ///
    /// Updates a check run of the authenticated app. Omitted properties are not changed.
    /// Annotations are added to the existing ones.
    #[patch(
        "/repos/{owner}/{repo}/check-runs/{check_run_id}",
        docs = "checks/runs#update-a-check-run"
    )]
    #[access(token, WRITE_CHECKS)]
    #[fails(403, 404, 422)]
    async fn update_check_run(
        &self,
        call: Call,
        at: RepoAddress,
        check_run_id: i64,
        body: Body<UpdateCheckRun>,
    ) -> Outcome<Reply<200, CheckRun>>;

    /// List check run annotations
    ///
    /// Returns the annotations of a check run in the order in which they were added.
    #[get(
        "/repos/{owner}/{repo}/check-runs/{check_run_id}/annotations",
        docs = "checks/runs#list-check-run-annotations"
    )]
    #[access(open, READ_CHECKS)]
    #[fails(403, 404)]
    #[cached]
    async fn list_check_run_annotations(
        &self,
        call: Call,
        at: RepoAddress,
        check_run_id: i64,
        #[query(per_page: PerPage, page: PageNumber)] page: Page,
    ) -> Outcome<Reply<200, Vec<CheckAnnotation>>>;

    /// List check runs for a Git reference
    ///
    /// Returns the check runs of a commit, the newest first.
    #[get(
        "/repos/{owner}/{repo}/commits/{ref}/check-runs",
        docs = "checks/runs#list-check-runs-for-a-git-reference"
    )]
    #[access(open, READ_CHECKS)]
    #[fails(403, 404, 422)]
    #[cached]
    async fn list_check_runs_for_ref(
        &self,
        call: Call,
        at: RepoAddress,
        /// The commit: a full or abbreviated SHA-1, or the name of a branch or tag.
        #[example("main")]
        r#ref: String,
        #[query] app_id: OptionalParameter<i64>,
        #[query(
            check_name: OptionalParameter<String>,
            /// Only check runs with this status.
            status: OptionalParameter<CheckStatus>,
            filter: OptionalParameter<CheckFilter>,
            per_page: PerPage,
            page: PageNumber,
        )]
        list: CheckRunQuery,
    ) -> Outcome<Reply<200, CheckRunList>>;

    /// List check suites for a Git reference
    ///
    /// Returns the check suites of a commit, the newest first.
    #[get(
        "/repos/{owner}/{repo}/commits/{ref}/check-suites",
        docs = "checks/suites#list-check-suites-for-a-git-reference"
    )]
    #[access(open, READ_CHECKS)]
    #[fails(403, 404, 422)]
    #[cached]
    async fn list_check_suites_for_ref(
        &self,
        call: Call,
        at: RepoAddress,
        /// The commit: a full or abbreviated SHA-1, or the name of a branch or tag.
        #[example("main")]
        r#ref: String,
        #[query] app_id: OptionalParameter<i64>,
        #[query] check_name: OptionalParameter<String>,
        #[query(per_page: PerPage, page: PageNumber)] page: Page,
    ) -> Outcome<Reply<200, CheckSuiteList>>;

    /// Get a check suite
    ///
    /// Returns one check suite. Its status and conclusion result from its check runs.
    #[get(
        "/repos/{owner}/{repo}/check-suites/{check_suite_id}",
        docs = "checks/suites#get-a-check-suite"
    )]
    #[access(open, READ_CHECKS)]
    #[fails(403, 404)]
    #[cached]
    async fn get_check_suite(
        &self,
        call: Call,
        at: RepoAddress,
        check_suite_id: i64,
    ) -> Outcome<Reply<200, CheckSuite>>;

    /// List check runs in a check suite
    ///
    /// Returns the check runs of a suite, the newest first.
    #[get(
        "/repos/{owner}/{repo}/check-suites/{check_suite_id}/check-runs",
        docs = "checks/runs#list-check-runs-in-a-check-suite"
    )]
    #[access(open, READ_CHECKS)]
    #[fails(403, 404, 422)]
    #[cached]
    async fn list_check_runs_for_suite(
        &self,
        call: Call,
        at: RepoAddress,
        check_suite_id: i64,
        #[query(
            check_name: OptionalParameter<String>,
            /// Only check runs with this status.
            status: OptionalParameter<CheckStatus>,
            filter: OptionalParameter<CheckFilter>,
            per_page: PerPage,
            page: PageNumber,
        )]
        list: CheckRunQuery,
    ) -> Outcome<Reply<200, CheckRunList>>;
}

/// Which check runs of the same name to return: the `latest`, or `all`.
#[schema(rename_all = "lowercase")]
#[derive(Default)]
pub enum CheckFilter {
    #[default]
    Latest,
    All,
}

/// The query parameters of a list of check runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckRunQuery {
    pub name: Option<String>,
    pub status: Option<CheckStatus>,
    pub filter: CheckFilter,
    pub page: Page,
}

type GivenQuery = (
    OptionalParameter<String>,
    OptionalParameter<CheckStatus>,
    OptionalParameter<CheckFilter>,
    PerPage,
    PageNumber,
);

impl From<GivenQuery> for CheckRunQuery {
    fn from((name, status, filter, per_page, page): GivenQuery) -> Self {
        Self {
            name: name.0,
            status: status.0,
            filter: filter.0.unwrap_or_default(),
            page: (per_page, page).into(),
        }
    }
}
