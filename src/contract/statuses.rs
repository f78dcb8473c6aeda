//! Statuses of commits: what clients see. This is the companion document, not the
//! service's.

use forgewright_macros::operations;
use poem_openapi::types::Example;
use poem_openapi::{Enum, Object};
use serde::{Deserialize, Serialize};

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

/// What the area does; `areas/statuses` is how.
#[operations(Statuses)]
pub trait Operations: Send + Sync {
    /// Create a commit status
    ///
    /// Reports on a commit. The newest status of each context counts. Whoever may write to the
    /// repository may create statuses, at most 1,000 for each commit and context.
    #[post(
        "/repos/{owner}/{repo}/statuses/{sha}",
        docs = "commits/statuses#create-a-commit-status"
    )]
    #[access(
        token,
        permission = write("statuses"),
        scopes = &["repo", "repo:status"],
        standing = Writer,
    )]
    #[fails(403, 404, 422)]
    async fn create_commit_status(
        &self,
        call: Call,
        at: RepoAddress,
        sha: String,
        body: Body<CreateCommitStatus>,
    ) -> Outcome<Reply<201, CommitStatus>>;

    /// List commit statuses for a reference
    ///
    /// Returns all statuses of a commit, the newest first.
    #[get(
        "/repos/{owner}/{repo}/commits/{ref}/statuses",
        docs = "commits/statuses#list-commit-statuses-for-a-reference"
    )]
    #[access(open, permission = read("statuses"), scopes = &["repo", "repo:status"])]
    #[fails(403, 404)]
    #[cached]
    async fn list_commit_statuses_for_ref(
        &self,
        call: Call,
        at: RepoAddress,
        r#ref: String,
        #[query(per_page: PerPage, page: PageNumber)] page: Page,
    ) -> Outcome<Reply<200, Vec<CommitStatus>>>;

    /// List commit statuses
    ///
    /// The same list under the older path, which `statuses_url` of a repository and of a pull
    /// request leads to.
    #[get(
        "/repos/{owner}/{repo}/statuses/{sha}",
        docs = "commits/statuses#list-commit-statuses-for-a-reference"
    )]
    #[access(open, permission = read("statuses"), scopes = &["repo", "repo:status"])]
    #[fails(403, 404)]
    #[cached]
    async fn list_commit_statuses(
        &self,
        call: Call,
        at: RepoAddress,
        sha: String,
        #[query(per_page: PerPage, page: PageNumber)] page: Page,
    ) -> Outcome<Reply<200, Vec<CommitStatus>>>;

    /// Get the combined status for a specific reference
    ///
    /// Returns the newest status of each context of a commit, and what they say together:
    /// `failure` if one is `error` or `failure`, otherwise `pending` if there is none or one is
    /// pending, otherwise `success`. Check runs do not count here.
    #[get(
        "/repos/{owner}/{repo}/commits/{ref}/status",
        docs = "commits/statuses#get-the-combined-status-for-a-specific-reference"
    )]
    #[access(open, permission = read("statuses"), scopes = &["repo", "repo:status"])]
    #[fails(403, 404)]
    #[cached]
    async fn get_combined_status_for_ref(
        &self,
        call: Call,
        at: RepoAddress,
        r#ref: String,
        #[query(per_page: PerPage, page: PageNumber)] page: Page,
    ) -> Outcome<Reply<200, CombinedStatus>>;
}

/// What a status says of a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum, Serialize, Deserialize)]
#[oai(rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum StatusState {
    Error,
    Failure,
    Pending,
    Success,
}

/// What the statuses of a commit say together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum, Serialize, Deserialize)]
#[oai(rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum CombinedState {
    Failure,
    Pending,
    Success,
}

/// The body of `create_commit_status`.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
#[oai(example)]
pub struct CreateCommitStatus {
    /// What is reported.
    pub state: StatusState,
    /// Where more can be read, at most 2,048 characters: an `http` or `https` URL.
    #[oai(nullable)]
    #[serde(default)]
    pub target_url: Option<String>,
    /// The report in words, at most 140 characters.
    #[oai(nullable)]
    #[serde(default)]
    pub description: Option<String>,
    /// Who reports, at most 255 characters. Contexts are compared without regard to case.
    #[oai(default = "default_context")]
    #[serde(default = "default_context")]
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
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
#[oai(example)]
pub struct CommitStatus {
    #[oai(flatten)]
    #[serde(flatten)]
    pub status: SimpleCommitStatus,
    /// Who created it; null when the account is gone.
    pub creator: Nullable<User>,
}

/// A status of a commit, as the combined status shows it.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
pub struct SimpleCommitStatus {
    pub url: Url,
    /// The picture of its creator; null when the account is gone.
    pub avatar_url: Nullable<Url>,
    pub id: i64,
    pub node_id: String,
    pub state: StatusState,
    pub description: Nullable<String>,
    /// Where more can be read.
    pub target_url: Nullable<String>,
    /// Who reports, in the case in which it was written.
    pub context: String,
    pub created_at: Timestamp,
    /// The same as `created_at`, since statuses do not change.
    pub updated_at: Timestamp,
}

/// What the statuses of a commit say together.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
#[oai(example)]
pub struct CombinedStatus {
    pub state: CombinedState,
    /// The newest status of each context, the oldest of these first.
    pub statuses: Vec<SimpleCommitStatus>,
    /// The SHA-1 of the commit.
    pub sha: String,
    /// How many contexts there are on all pages together.
    pub total_count: i64,
    pub repository: MinimalRepository,
    pub commit_url: Url,
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
