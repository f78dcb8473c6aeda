//! The pull request API. Both branches of a pull request are in the same repository.

mod bodies;
mod example;
mod listing;
mod view;

use contract_macros::operations;

pub use bodies::{
    BranchUpdate, CreatePull, MergeMethod, MergePull, MergeResult, UpdatePull, UpdatePullBranch,
};
pub use listing::{PullList, PullListSort, PullOrder};
pub use view::{Pull, PullBranch, PullCore, PullDetails, PullSize, PullSummary};

use super::body::Body;
use super::call::Call;
use super::commits::RepositoryCommit;
use super::formed::Formed;
use super::paging::{OptionalParameter, Page, PageNumber, PerPage};
use super::reply::{Empty, Outcome, Reply};
use super::review_comments::SortDirection;
use super::shared::address::RepoAddress;
use super::shared::diff_entry::DiffEntry;
use super::shared::state::PullListState;

/// The operations; `forge::pulls` implements them.
#[operations(Pulls)]
pub trait Operations: Send + Sync {
    /// List pull requests
    ///
    /// Returns the pull requests of a repository, newest first unless `sort` and `direction`
    /// specify another order.
    #[get("/repos/{owner}/{repo}/pulls", docs = "pulls/pulls#list-pull-requests")]
    #[access(open, READ_PULLS)]
    #[fails(403, 404)]
    #[cached]
    #[links(get_pull, pull_number = "/0/number")]
    async fn list_pulls(
        &self,
        call: Call,
        at: RepoAddress,
        #[query(
            state: PullListState,
            head: OptionalParameter<String>,
            base: OptionalParameter<String>,
            /// The property to sort by.
            sort: PullListSort,
            /// The sort direction. By default, `desc` if `sort` is `created` or omitted, otherwise
            /// `asc`.
            direction: SortDirection,
            per_page: PerPage,
            page: PageNumber,
        )]
        list: PullList,
    ) -> Outcome<Reply<200, Vec<PullSummary>>>;

    /// Create a pull request
    ///
    /// Creates a pull request to merge the commits of one branch into another. Requires push
    /// access to the repository. Creating pull requests too quickly may exceed a secondary rate
    /// limit.
    #[post(
        "/repos/{owner}/{repo}/pulls",
        docs = "pulls/pulls#create-a-pull-request"
    )]
    #[access(token, WRITE_PULLS, role = Writer)]
    #[fails(403, 404, 422)]
    #[headers(Location)]
    #[links(
        get_pull,
        update_pull,
        list_pull_files,
        list_pull_commits,
        is_pull_merged,
        merge_pull,
        update_pull_branch,
        list_reviews,
        create_review,
        pull_number = "/number"
    )]
    async fn create_pull(
        &self,
        call: Call,
        at: RepoAddress,
        body: Body<CreatePull>,
    ) -> Outcome<Reply<201, Pull>>;

    /// Get a pull request
    ///
    /// Returns one pull request. Both of its branches are in the same repository. The media
    /// types `text`, `html` and `full` add renderings of `body`; `diff` and `patch` return the
    /// changes since the merge base.
    #[get(
        "/repos/{owner}/{repo}/pulls/{pull_number}",
        docs = "pulls/pulls#get-a-pull-request"
    )]
    #[access(open, READ_PULLS, or_permission = read("contents"))]
    #[fails(403, 404, 406)]
    #[cached]
    #[forms(Diff, Patch)]
    #[links(
        update_pull,
        list_pull_files,
        list_pull_commits,
        is_pull_merged,
        merge_pull,
        update_pull_branch,
        list_reviews,
        create_review
    )]
    async fn get_pull(
        &self,
        call: Call,
        at: RepoAddress,
        pull_number: i64,
    ) -> Outcome<Formed<Pull>>;

    /// Update a pull request
    ///
    /// Updates a pull request. Its author and callers with write access to the repository can
    /// update it; callers with the triage role can close and reopen it. A closed pull request can
    /// be reopened if both branches exist, the head branch still has its commits and at least one
    /// that the base branch lacks, and no other open pull request has the same branches. A merged
    /// pull request cannot be reopened.
    #[patch(
        "/repos/{owner}/{repo}/pulls/{pull_number}",
        docs = "pulls/pulls#update-a-pull-request"
    )]
    #[access(token, WRITE_PULLS)]
    #[fails(403, 404, 422)]
    async fn update_pull(
        &self,
        call: Call,
        at: RepoAddress,
        pull_number: i64,
        body: Body<UpdatePull>,
    ) -> Outcome<Reply<200, Pull>>;

    /// List pull requests files
    ///
    /// Returns the files that a pull request changes since the merge base, sorted by path. At
    /// most 3000 files are listed.
    #[get(
        "/repos/{owner}/{repo}/pulls/{pull_number}/files",
        docs = "pulls/pulls#list-pull-requests-files"
    )]
    #[access(open, READ_PULLS)]
    #[fails(403, 404)]
    #[cached]
    async fn list_pull_files(
        &self,
        call: Call,
        at: RepoAddress,
        pull_number: i64,
        #[query(per_page: PerPage, page: PageNumber)] page: Page,
    ) -> Outcome<Reply<200, Vec<DiffEntry>>>;

    /// List commits on a pull request
    ///
    /// Returns the commits of a pull request, oldest first. At most 250 commits are listed; to
    /// get more, list the commits of the head branch.
    #[get(
        "/repos/{owner}/{repo}/pulls/{pull_number}/commits",
        docs = "pulls/pulls#list-commits-on-a-pull-request"
    )]
    #[access(open, READ_PULLS)]
    #[fails(403, 404)]
    #[cached]
    async fn list_pull_commits(
        &self,
        call: Call,
        at: RepoAddress,
        pull_number: i64,
        #[query(per_page: PerPage, page: PageNumber)] page: Page,
    ) -> Outcome<Reply<200, Vec<RepositoryCommit>>>;

    /// Check if a pull request has been merged
    ///
    /// Returns 204 if the pull request has been merged, otherwise 404.
    #[get(
        "/repos/{owner}/{repo}/pulls/{pull_number}/merge",
        docs = "pulls/pulls#check-if-a-pull-request-has-been-merged"
    )]
    #[access(open, READ_PULLS)]
    #[fails(403, 404)]
    async fn is_pull_merged(&self, call: Call, at: RepoAddress, pull_number: i64)
    -> Outcome<Empty>;

    /// Merge a pull request
    ///
    /// Merges a pull request into its base branch: with a merge commit (`merge`), as a single
    /// commit (`squash`), or by rebasing its commits (`rebase`). The repository must allow the
    /// method. If `sha` is given, it must be the head of the pull request.
    #[put(
        "/repos/{owner}/{repo}/pulls/{pull_number}/merge",
        docs = "pulls/pulls#merge-a-pull-request"
    )]
    #[access(token, WRITE_CODE, shown_scopes = Some(&[]))]
    #[fails(403, 404, 405, 409, 422)]
    #[links(is_pull_merged)]
    async fn merge_pull(
        &self,
        call: Call,
        at: RepoAddress,
        pull_number: i64,
        body: Body<MergePull>,
    ) -> Outcome<Reply<200, MergeResult>>;

    /// Update a pull request branch
    ///
    /// Merges the base branch into the head branch of a pull request. The update is complete
    /// when the response arrives, although its status is 202.
    #[put(
        "/repos/{owner}/{repo}/pulls/{pull_number}/update-branch",
        docs = "pulls/pulls#update-a-pull-request-branch"
    )]
    #[access(token, WRITE_PULLS, and_permission = write("contents"), may_need = write("workflows"), role = Writer)]
    #[fails(403, 404, 422)]
    async fn update_pull_branch(
        &self,
        call: Call,
        at: RepoAddress,
        pull_number: i64,
        body: Body<UpdatePullBranch>,
    ) -> Outcome<Reply<202, BranchUpdate>>;
}
