//! The commit status API: part of the companion document.

use contract_macros::{operations, schema};
use poem_openapi::types::Example;

use super::EXAMPLE_ORIGIN;
use super::body::{Body, Readable};
use super::call::Call;
use super::git_refs::EXAMPLE_SHA;
use super::paging::{Page, PageNumber, PerPage};
use super::reply::{Outcome, Reply};
use super::shared::address::RepoAddress;
use super::shared::repository::MinimalRepository;
use super::shared::user::User;
use super::values::{Nullable, Timestamp, Url};

/// The operations; `forge::statuses` implements them.
#[operations(Statuses)]
pub trait Operations: Send + Sync {
    /// Create a commit status
    ///
    /// Creates a status for a commit. The newest status of each context counts. Requires write
    /// access to the repository. At most 1,000 statuses can be created for each commit and
    /// context.
    #[post(
        "/repos/{owner}/{repo}/statuses/{sha}",
        docs = "commits/statuses#create-a-commit-status"
    )]
    #[access(
        token,
        permission = write("statuses"),
        scopes = &["repo", "repo:status"],
        role = Writer,
    )]
    #[fails(403, 404, 422)]
    #[headers(Location)]
    #[links(list_commit_statuses_for_ref, get_combined_status_for_ref, r#ref = sha)]
    #[links(list_commit_statuses)]
    async fn create_commit_status(
        &self,
        call: Call,
        at: RepoAddress,
        /// The SHA-1 of the commit.
        #[example(EXAMPLE_SHA)]
        sha: String,
        body: Body<CreateCommitStatus>,
    ) -> Outcome<Reply<201, CommitStatus>>;

    /// List commit statuses for a reference
    ///
    /// Returns all statuses of a commit, newest first.
    #[get(
        "/repos/{owner}/{repo}/commits/{ref}/statuses",
        docs = "commits/statuses#list-commit-statuses-for-a-reference"
    )]
    #[access(open, READ_STATUSES)]
    #[fails(403, 404)]
    #[cached]
    async fn list_commit_statuses_for_ref(
        &self,
        call: Call,
        at: RepoAddress,
        /// The commit: a full or abbreviated SHA-1, or the name of a branch or tag.
        #[example("main")]
        r#ref: String,
        #[query(per_page: PerPage, page: PageNumber)] page: Page,
    ) -> Outcome<Reply<200, Vec<CommitStatus>>>;

    /// List commit statuses
    ///
    /// Returns all statuses of a commit, newest first. This is the older path of the list, to
    /// which the `statuses_url` of repositories and pull requests points.
    #[get(
        "/repos/{owner}/{repo}/statuses/{sha}",
        docs = "commits/statuses#list-commit-statuses-for-a-reference"
    )]
    #[access(open, READ_STATUSES)]
    #[fails(403, 404)]
    #[cached]
    async fn list_commit_statuses(
        &self,
        call: Call,
        at: RepoAddress,
        /// The commit: a full or abbreviated SHA-1, or the name of a branch or tag.
        #[example("main")]
        sha: String,
        #[query(per_page: PerPage, page: PageNumber)] page: Page,
    ) -> Outcome<Reply<200, Vec<CommitStatus>>>;

    /// Get the combined status for a specific reference
    ///
    /// Returns the newest status of each context of a commit, and the combined state: `failure`
    /// if any status is `error` or `failure`; otherwise `pending` if there are no statuses or
    /// any is `pending`; otherwise `success`. Check runs do not count.
    #[get(
        "/repos/{owner}/{repo}/commits/{ref}/status",
        docs = "commits/statuses#get-the-combined-status-for-a-specific-reference"
    )]
    #[access(open, READ_STATUSES)]
    #[fails(403, 404)]
    #[cached]
    async fn get_combined_status_for_ref(
        &self,
        call: Call,
        at: RepoAddress,
        /// The commit: a full or abbreviated SHA-1, or the name of a branch or tag.
        #[example("main")]
        r#ref: String,
        #[query(per_page: PerPage, page: PageNumber)] page: Page,
    ) -> Outcome<Reply<200, CombinedStatus>>;
}

/// The state of a commit status.
#[schema(rename_all = "lowercase")]
pub enum StatusState {
    Error,
    Failure,
    Pending,
    Success,
}

/// The combined state of the statuses of a commit.
#[schema(rename_all = "lowercase")]
pub enum CombinedState {
    Failure,
    Pending,
    Success,
}

/// The body of `create_commit_status`.
#[schema(example)]
pub struct CreateCommitStatus {
    /// The state of the status.
    pub state: StatusState,
    /// The `http` or `https` URL with details of the status. At most 2,048 characters.
    #[schema(nullable)]
    pub target_url: Option<String>,
    /// A short description of the status. At most 140 characters.
    #[schema(nullable)]
    pub description: Option<String>,
    /// The label that distinguishes this status from those of other systems. At most 255
    /// characters. It is not case-sensitive.
    #[schema(default = "default_context")]
    pub context: String,
}

fn default_context() -> String {
    "default".to_owned()
}

impl Readable for CreateCommitStatus {}

impl Example for CreateCommitStatus {
    fn example() -> Self {
        Self {
            state: StatusState::Success,
            target_url: Some("https://ci.example/builds/1".to_owned()),
            description: Some("All tests passed".to_owned()),
            context: "ci/build".to_owned(),
        }
    }
}

/// A status of a commit.
#[schema(example)]
pub struct CommitStatus {
    #[schema(flatten)]
    pub status: SimpleCommitStatus,
    /// The user who created the status. `null` if the account no longer exists.
    pub creator: Nullable<User>,
}

/// A status of a commit, in the combined status.
#[schema]
pub struct SimpleCommitStatus {
    /// The API URL of the statuses of the commit.
    pub url: Url,
    /// The URL of the creator's avatar. `null` if the account no longer exists.
    pub avatar_url: Nullable<Url>,
    /// The identifier of the status.
    pub id: i64,
    pub node_id: String,
    pub state: StatusState,
    /// The description of the status.
    pub description: Nullable<String>,
    /// The URL with details of the status.
    pub target_url: Nullable<String>,
    /// The label that distinguishes this status from those of other systems, in the case in
    /// which it was set.
    pub context: String,
    /// When the status was created.
    pub created_at: Timestamp,
    /// The same as `created_at`: statuses do not change.
    pub updated_at: Timestamp,
}

/// The combined status of a commit.
#[schema(example)]
pub struct CombinedStatus {
    pub state: CombinedState,
    /// The newest status of each context, oldest first.
    pub statuses: Vec<SimpleCommitStatus>,
    /// The SHA-1 of the commit.
    pub sha: String,
    /// The number of contexts on all pages.
    pub total_count: i64,
    pub repository: MinimalRepository,
    /// The API URL of the commit.
    pub commit_url: Url,
    /// The API URL of the combined status.
    pub url: Url,
}

impl Example for CommitStatus {
    fn example() -> Self {
        let user = User::example();
        let repo = format!("{EXAMPLE_ORIGIN}/repos/acme/gadgets");
        Self {
            status: SimpleCommitStatus {
                url: format!("{repo}/statuses/{EXAMPLE_SHA}").into(),
                avatar_url: Some(user.avatar_url.clone()).into(),
                id: 1,
                node_id: "SC_kwDNB9IB".to_owned(),
                state: StatusState::Success,
                description: Some("All tests passed".to_owned()).into(),
                target_url: Some("https://ci.example/builds/1".to_owned()).into(),
                context: "ci/build".to_owned(),
                created_at: Timestamp(1_773_135_000),
                updated_at: Timestamp(1_773_135_000),
            },
            creator: Some(user).into(),
        }
    }
}

impl Example for CombinedStatus {
    fn example() -> Self {
        let commit = format!("{EXAMPLE_ORIGIN}/repos/acme/gadgets/commits/{EXAMPLE_SHA}");
        Self {
            state: CombinedState::Success,
            statuses: vec![CommitStatus::example().status],
            sha: EXAMPLE_SHA.to_owned(),
            total_count: 1,
            repository: MinimalRepository::example(),
            url: format!("{commit}/status").into(),
            commit_url: commit.into(),
        }
    }
}
