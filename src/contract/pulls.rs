//! Pull requests: what clients see. Both branches of a pull request are in the same
//! repository.

mod bodies;
mod example;
mod listing;
mod view;

use forgewright_macros::operations;

pub use bodies::{
    BranchUpdate, CreatePull, MergeMethod, MergePull, MergeResult, UpdatePull, UpdatePullBranch,
};
pub use listing::{PullList, PullListSort, PullListState, PullOrder, StateFilter};
pub use view::{
    Pull, PullBranch, PullCore, PullDetails, PullSize, PullState, PullSummary, RenderedBody,
};

use super::body::Body;
use super::call::Call;
use super::formed::Formed;
use super::paging::{Given, Page, PageNumber, PerPage};
use super::reply::{Empty, Outcome, Reply};
use super::review_comments::SortDirection;
use super::shared::address::RepoAddress;
use super::shared::commit::RepositoryCommit;
use super::shared::diff_entry::DiffEntry;

/// What the area does; `areas/pulls` is how.
#[operations(Pulls)]
pub trait Operations: Send + Sync {
    /// List pull requests
    ///
    /// Returns the pull requests of a repository, the newest first unless `sort` and `direction`
    /// say otherwise.
    #[get("/repos/{owner}/{repo}/pulls", docs = "pulls/pulls#list-pull-requests")]
    #[access(
        open,
        permission = read("pull_requests"),
        scopes = &["repo"],
        shown_scopes = Some(&[]),
    )]
    #[fails(403, 404)]
    #[cached]
    async fn list_pulls(
        &self,
        call: Call,
        at: RepoAddress,
        #[query(
            state: PullListState,
            head: Given<String>,
            base: Given<String>,
            sort: PullListSort,
            direction: SortDirection,
            per_page: PerPage,
            page: PageNumber,
        )]
        list: PullList,
    ) -> Outcome<Reply<200, Vec<PullSummary>>>;

    /// Create a pull request
    ///
    /// Asks for the commits of one branch to be merged into another. Whoever may push to the
    /// repository may do so. Creating pull requests too quickly may exceed a secondary rate limit.
    #[post(
        "/repos/{owner}/{repo}/pulls",
        docs = "pulls/pulls#create-a-pull-request"
    )]
    #[access(
        token,
        permission = write("pull_requests"),
        scopes = &["repo"],
        shown_scopes = Some(&[]),
        standing = Writer,
    )]
    #[fails(403, 404, 422)]
    async fn create_pull(
        &self,
        call: Call,
        at: RepoAddress,
        body: Body<CreatePull>,
    ) -> Outcome<Reply<201, Pull>>;

    /// Get a pull request
    ///
    /// Returns one pull request. Both of its branches are in the same repository. The media types
    /// `text`, `html` and `full` add renderings of `body`; `diff` and `patch` are the changes
    /// themselves, from where the branches parted.
    #[get(
        "/repos/{owner}/{repo}/pulls/{pull_number}",
        docs = "pulls/pulls#get-a-pull-request"
    )]
    #[access(
        open,
        permission = read("pull_requests"),
        or_permission = read("contents"),
        scopes = &["repo"],
        shown_scopes = Some(&[]),
    )]
    #[fails(403, 404, 406)]
    #[cached]
    #[forms(Diff, Patch)]
    async fn get_pull(
        &self,
        call: Call,
        at: RepoAddress,
        pull_number: i64,
    ) -> Outcome<Formed<Pull>>;

    /// Update a pull request
    ///
    /// Changes what is given. Its author may do so, and whoever may write to the repository. A
    /// pull request can be reopened while its branch is there and was not changed to something
    /// else; a merged one cannot.
    #[patch(
        "/repos/{owner}/{repo}/pulls/{pull_number}",
        docs = "pulls/pulls#update-a-pull-request"
    )]
    #[access(
        token,
        permission = write("pull_requests"),
        scopes = &["repo"],
        shown_scopes = Some(&[]),
    )]
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
    /// Returns the files that a pull request changes, from where its branches parted, by path; at
    /// most 3000.
    #[get(
        "/repos/{owner}/{repo}/pulls/{pull_number}/files",
        docs = "pulls/pulls#list-pull-requests-files"
    )]
    #[access(
        open,
        permission = read("pull_requests"),
        scopes = &["repo"],
        shown_scopes = Some(&[]),
    )]
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
    /// Returns the commits that a pull request would bring in, oldest first; at most 250. To see
    /// more of them, list the commits of its branch.
    #[get(
        "/repos/{owner}/{repo}/pulls/{pull_number}/commits",
        docs = "pulls/pulls#list-commits-on-a-pull-request"
    )]
    #[access(
        open,
        permission = read("pull_requests"),
        scopes = &["repo"],
        shown_scopes = Some(&[]),
    )]
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
    /// Answers 204 if it has been, and 404 if not.
    #[get(
        "/repos/{owner}/{repo}/pulls/{pull_number}/merge",
        docs = "pulls/pulls#check-if-a-pull-request-has-been-merged"
    )]
    #[access(
        open,
        permission = read("pull_requests"),
        scopes = &["repo"],
        shown_scopes = Some(&[]),
    )]
    #[fails(403, 404)]
    async fn is_pull_merged(&self, call: Call, at: RepoAddress, pull_number: i64)
    -> Outcome<Empty>;

    /// Merge a pull request
    ///
    /// Merges the commits of a pull request into its base branch: by a merge commit, as one commit
    /// (`squash`), or made again one by one (`rebase`). With `sha`, only if that is its head.
    #[put(
        "/repos/{owner}/{repo}/pulls/{pull_number}/merge",
        docs = "pulls/pulls#merge-a-pull-request"
    )]
    #[access(
        token,
        permission = write("contents"),
        may_need = write("workflows"),
        scopes = &["repo"],
        shown_scopes = Some(&[]),
        standing = Writer,
    )]
    #[fails(403, 404, 405, 409, 422)]
    async fn merge_pull(
        &self,
        call: Call,
        at: RepoAddress,
        pull_number: i64,
        body: Body<MergePull>,
    ) -> Outcome<Reply<200, MergeResult>>;

    /// Update a pull request branch
    ///
    /// Merges the base branch into the branch of the pull request. This is done when the answer
    /// arrives, although its status says that it was only accepted.
    #[put(
        "/repos/{owner}/{repo}/pulls/{pull_number}/update-branch",
        docs = "pulls/pulls#update-a-pull-request-branch"
    )]
    #[access(
        token,
        permission = write("pull_requests"),
        may_need = write("workflows"),
        scopes = &["repo"],
        shown_scopes = Some(&[]),
        standing = Writer,
    )]
    #[fails(403, 404, 422)]
    async fn update_pull_branch(
        &self,
        call: Call,
        at: RepoAddress,
        pull_number: i64,
        body: Body<UpdatePullBranch>,
    ) -> Outcome<Reply<202, BranchUpdate>>;
}
