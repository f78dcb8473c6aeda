//! Reading commits, branches and tags: part of the companion document.

mod commit;
mod comparison;

use contract_macros::{operations, schema};
use poem_openapi::types::Example;

use super::EXAMPLE_ORIGIN;
use super::call::Call;
use super::formed::Formed;
use super::git_objects::GitLink;
use super::git_refs::EXAMPLE_MAIN_SHA;
use super::paging::{OptionalParameter, Page, PageNumber, PerPage};
use super::reply::{Outcome, Reply};
use super::shared::address::RepoAddress;
use super::values::{Nullable, Timestamp, Url};

pub use commit::{CommitDetails, CommitStats, RepositoryCommit};
pub use comparison::{CommitComparison, ComparisonStatus};

/// The operations; `forge::commits` implements them.
#[operations(Commits)]
pub trait Operations: Send + Sync {
    /// List commits
    ///
    /// Returns the commits that are reachable from a branch, tag or commit, the newest first.
    /// With `path`, returns only the commits that changed a file or directory, as `git log` does.
    /// A request examines at most 50,000 commits, or 5,000 with `path`, `author` or `committer`.
    #[get("/repos/{owner}/{repo}/commits", docs = "commits/commits#list-commits")]
    #[access(open, READ_CODE)]
    #[fails(403, 404, 409, 422)]
    #[cached]
    async fn list_commits(
        &self,
        call: Call,
        at: RepoAddress,
        #[query(
            sha: OptionalParameter<String>,
            /// Only commits that changed this file or directory.
            #[example("")]
            path: OptionalParameter<String>,
            author: OptionalParameter<String>,
            committer: OptionalParameter<String>,
            /// Only commits since this time, `YYYY-MM-DDTHH:MM:SSZ`.
            since: OptionalParameter<Timestamp>,
            until: OptionalParameter<Timestamp>,
            per_page: PerPage,
            page: PageNumber,
        )]
        list: CommitList,
    ) -> Outcome<Reply<200, Vec<RepositoryCommit>>>;

    /// Get a commit
    ///
    /// Returns a commit, by its full or abbreviated SHA-1 or the name of a branch or tag, with the
    /// files that it changes. If `per_page` is omitted, a page has 300 files. All pages together
    /// have at most 3,000. The media types `diff`, `patch` and `sha` return text instead of JSON.
    #[get(
        "/repos/{owner}/{repo}/commits/{ref}",
        docs = "commits/commits#get-a-commit"
    )]
    #[access(open, READ_CODE)]
    #[fails(403, 404, 406, 409, 422)]
    #[forms(Diff, Patch, Sha)]
    #[cached]
    async fn get_repository_commit(
        &self,
        call: Call,
        at: RepoAddress,
        /// The commit: a full or abbreviated SHA-1, or the name of a branch or tag.
        #[example("main")]
        r#ref: String,
        #[query(per_page: PerPage, page: PageNumber)] page: Page,
    ) -> Outcome<Formed<RepositoryCommit>>;

    /// Compare two commits
    ///
    /// Returns the commits that are reachable from the head but not from the base, the oldest
    /// first, and the changed files. `base...head` compares the head with the merge base,
    /// `base..head` with the base itself. Both can be given as `owner:branch`. Only the first page
    /// has the files, at most 300. Without `page` and `per_page`, the last 250 commits are
    /// returned.
    #[get(
        "/repos/{owner}/{repo}/compare/{basehead}",
        docs = "commits/commits#compare-two-commits"
    )]
    #[access(open, READ_CODE)]
    #[fails(403, 404, 406, 409)]
    #[forms(Diff, Patch)]
    #[cached]
    async fn compare_commits(
        &self,
        call: Call,
        at: RepoAddress,
        basehead: String,
        #[query(per_page: PerPage, page: PageNumber)] page: Page,
    ) -> Outcome<Formed<CommitComparison>>;

    /// List branches
    ///
    /// Returns the branches of a repository, in byte order of their names. No branch is protected:
    /// this service has no branch protection.
    #[get(
        "/repos/{owner}/{repo}/branches",
        docs = "branches/branches#list-branches"
    )]
    #[access(open, READ_CODE)]
    #[fails(403, 404, 422)]
    #[cached]
    async fn list_branches(
        &self,
        call: Call,
        at: RepoAddress,
        #[query] protected: OptionalParameter<bool>,
        #[query(per_page: PerPage, page: PageNumber)] page: Page,
    ) -> Outcome<Reply<200, Vec<ShortBranch>>>;

    /// Get a branch
    ///
    /// Returns one branch with its latest commit.
    #[get(
        "/repos/{owner}/{repo}/branches/{branch}",
        docs = "branches/branches#get-a-branch"
    )]
    #[access(open, READ_CODE)]
    #[fails(403, 404)]
    #[cached]
    async fn get_branch(
        &self,
        call: Call,
        at: RepoAddress,
        branch: String,
    ) -> Outcome<Reply<200, Branch>>;

    /// List tags
    ///
    /// Returns the tags of a repository with the commits that they point to, in descending order
    /// of their names.
    #[get(
        "/repos/{owner}/{repo}/tags",
        docs = "repos/repos#list-repository-tags"
    )]
    #[access(open, READ_METADATA, shown_scopes = Some(&[]))]
    #[fails(403, 404)]
    #[cached]
    async fn list_tags(
        &self,
        call: Call,
        at: RepoAddress,
        #[query(per_page: PerPage, page: PageNumber)] page: Page,
    ) -> Outcome<Reply<200, Vec<TagName>>>;
}

/// The query parameters of a list of commits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitList {
    /// The revision to start from; the default branch if absent.
    pub start: Option<String>,
    pub path: Option<String>,
    pub author: Option<String>,
    pub committer: Option<String>,
    pub since: Option<Timestamp>,
    pub until: Option<Timestamp>,
    pub page: Page,
}

type GivenList = (
    OptionalParameter<String>,
    OptionalParameter<String>,
    OptionalParameter<String>,
    OptionalParameter<String>,
    OptionalParameter<Timestamp>,
    OptionalParameter<Timestamp>,
    PerPage,
    PageNumber,
);

impl From<GivenList> for CommitList {
    fn from(given: GivenList) -> Self {
        let (sha, path, author, committer, since, until, per_page, page) = given;
        Self {
            start: sha.0,
            path: path.0,
            author: author.0,
            committer: committer.0,
            since: since.0,
            until: until.0,
            page: (per_page, page).into(),
        }
    }
}

/// A branch in a list.
#[schema(example)]
pub struct ShortBranch {
    /// The name of the branch.
    pub name: String,
    pub commit: GitLink,
    /// Always false; kept for clients that expect it.
    pub protected: bool,
    #[schema(unpromised)]
    pub protection: BranchProtection,
    /// The API URL of the branch's protection.
    #[schema(unpromised)]
    pub protection_url: Url,
}

/// A branch.
#[schema(example)]
pub struct Branch {
    /// The name of the branch.
    pub name: String,
    pub commit: RepositoryCommit,
    #[schema(rename = "_links")]
    pub links: BranchLinks,
    /// Always false; kept for clients that expect it.
    pub protected: bool,
    pub protection: BranchProtection,
    /// The API URL of the branch's protection.
    pub protection_url: Url,
}

/// The URLs of a branch.
#[schema]
pub struct BranchLinks {
    /// The API URL of the branch.
    #[schema(rename = "self")]
    pub itself: Url,
    /// The URL of the branch's page.
    pub html: Url,
}

/// The protection of a branch: always disabled.
#[schema]
pub struct BranchProtection {
    /// Always false; kept for clients that expect it.
    pub enabled: bool,
    pub required_status_checks: RequiredStatusChecks,
}

impl BranchProtection {
    pub fn none() -> Self {
        Self {
            enabled: false,
            required_status_checks: RequiredStatusChecks {
                enforcement_level: "off".to_owned(),
                contexts: Vec::new(),
                checks: Vec::new(),
            },
        }
    }
}

/// The status checks that a branch requires: always none.
#[schema]
pub struct RequiredStatusChecks {
    /// Always `off`; kept for clients that expect it.
    pub enforcement_level: String,
    /// Always empty; kept for clients that expect it.
    pub contexts: Vec<String>,
    /// Always empty; kept for clients that expect it.
    #[schema(unpromised)]
    pub checks: Vec<RequiredCheck>,
}

/// A status check that a branch requires.
#[schema]
pub struct RequiredCheck {
    /// The name of the check.
    pub context: String,
    /// The identifier of the app that must report the check. `null` for any.
    pub app_id: Nullable<i64>,
}

/// A tag in a list.
#[schema(example)]
pub struct TagName {
    /// The name of the tag.
    pub name: String,
    /// The URL of the tag's ZIP archive.
    pub zipball_url: Url,
    /// The URL of the tag's tar archive.
    pub tarball_url: Url,
    pub commit: GitLink,
    pub node_id: String,
}

impl Branch {
    /// A branch with its API URL and the URL of its page.
    pub fn new(name: String, commit: RepositoryCommit, itself: String, html: String) -> Self {
        Self {
            name,
            commit,
            protected: false,
            protection: BranchProtection::none(),
            protection_url: format!("{itself}/protection").into(),
            links: BranchLinks {
                itself: itself.into(),
                html: html.into(),
            },
        }
    }
}

fn example_link() -> GitLink {
    GitLink {
        sha: EXAMPLE_MAIN_SHA.to_owned(),
        url: format!("{EXAMPLE_ORIGIN}/repos/acme/gadgets/commits/{EXAMPLE_MAIN_SHA}").into(),
    }
}

impl Example for ShortBranch {
    fn example() -> Self {
        Self {
            name: "main".to_owned(),
            commit: example_link(),
            protected: false,
            protection: BranchProtection::none(),
            protection_url: format!("{EXAMPLE_ORIGIN}/repos/acme/gadgets/branches/main/protection")
                .into(),
        }
    }
}

impl Example for Branch {
    fn example() -> Self {
        Self::new(
            "main".to_owned(),
            RepositoryCommit::example(),
            format!("{EXAMPLE_ORIGIN}/repos/acme/gadgets/branches/main"),
            format!("{EXAMPLE_ORIGIN}/acme/gadgets/tree/main"),
        )
    }
}

impl Example for TagName {
    fn example() -> Self {
        let repo = format!("{EXAMPLE_ORIGIN}/repos/acme/gadgets");
        Self {
            name: "v1.0".to_owned(),
            zipball_url: format!("{repo}/zipball/refs/tags/v1.0").into(),
            tarball_url: format!("{repo}/tarball/refs/tags/v1.0").into(),
            commit: example_link(),
            node_id: "REF_kwDNB9KucmVmcy90YWdzL3YxLjA".to_owned(),
        }
    }
}
