//! What the API answers, as far as an import uses it. Unknown keys are skipped, so a server may
//! have more, and nested as deeply as it likes.

use serde::Deserialize;
use serde_json::Value;

use crate::list::ListBody;

#[derive(Debug, Clone, Deserialize)]
pub struct GivenAccount {
    pub id: i64,
    pub login: String,
    #[serde(rename = "type", default)]
    pub kind: String,
    #[serde(default)]
    pub site_admin: bool,
    pub name: Option<String>,
    pub created_at: Option<String>,
    /// Of an organization; only its members see it.
    pub default_repository_permission: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
pub struct GivenRepository {
    pub id: i64,
    pub name: String,
    pub full_name: String,
    pub owner: GivenAccount,
    pub private: bool,
    pub visibility: Option<String>,
    pub clone_url: String,
    pub default_branch: Option<String>,
    pub description: Option<String>,
    pub homepage: Option<String>,
    pub language: Option<String>,
    #[serde(default)]
    pub topics: Vec<String>,
    pub license: Option<GivenLicense>,
    pub mirror_url: Option<String>,
    pub stargazers_count: Option<i64>,
    pub forks_count: Option<i64>,
    pub created_at: Option<String>,
    pub pushed_at: Option<String>,
    pub archived: Option<bool>,
    pub disabled: Option<bool>,
    pub fork: Option<bool>,
    pub is_template: Option<bool>,
    pub has_issues: Option<bool>,
    pub has_projects: Option<bool>,
    pub has_wiki: Option<bool>,
    pub has_pages: Option<bool>,
    pub has_downloads: Option<bool>,
    pub allow_rebase_merge: Option<bool>,
    pub allow_squash_merge: Option<bool>,
    pub allow_auto_merge: Option<bool>,
    pub allow_merge_commit: Option<bool>,
    pub delete_branch_on_merge: Option<bool>,
}

#[derive(Debug, Clone, Deserialize)]
pub struct GivenLicense {
    pub spdx_id: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
pub struct Collaborator {
    #[serde(flatten)]
    pub account: GivenAccount,
    pub role_name: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
pub struct GivenLabel {
    pub name: String,
    pub color: Option<String>,
    pub description: Option<String>,
    #[serde(default)]
    pub default: bool,
}

/// A label of an issue, which may be only its name.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub enum LabelName {
    Name(String),
    Object { name: Option<String> },
}

#[derive(Debug, Clone, Deserialize)]
pub struct GivenIssue {
    pub id: i64,
    pub number: i64,
    pub title: String,
    pub body: Option<String>,
    pub user: Option<GivenAccount>,
    pub state: String,
    pub state_reason: Option<String>,
    #[serde(default)]
    pub locked: bool,
    #[serde(default)]
    pub labels: Vec<LabelName>,
    #[serde(default)]
    pub assignees: Vec<GivenAccount>,
    pub milestone: Option<Present>,
    #[serde(default)]
    pub comments: i64,
    pub pull_request: Option<Present>,
    pub reactions: Option<GivenReactions>,
    pub created_at: Option<String>,
    pub updated_at: Option<String>,
    pub closed_at: Option<String>,
    pub closed_by: Option<GivenAccount>,
}

/// Whatever is there.
#[derive(Debug, Clone, Deserialize)]
pub struct Present {}

#[derive(Debug, Clone, Deserialize)]
pub struct GivenReactions {
    #[serde(default)]
    pub total_count: i64,
}

#[derive(Debug, Clone, Deserialize)]
pub struct GivenPullSummary {
    pub number: i64,
    pub updated_at: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
pub struct GivenPull {
    pub id: i64,
    pub number: i64,
    pub title: String,
    pub body: Option<String>,
    pub user: Option<GivenAccount>,
    pub state: String,
    #[serde(default)]
    pub locked: bool,
    #[serde(default)]
    pub draft: bool,
    #[serde(default)]
    pub maintainer_can_modify: bool,
    #[serde(default)]
    pub labels: Vec<LabelName>,
    #[serde(default)]
    pub assignees: Vec<GivenAccount>,
    #[serde(default)]
    pub requested_reviewers: Vec<GivenAccount>,
    pub milestone: Option<Present>,
    pub base: GivenBranch,
    pub head: GivenBranch,
    pub comments: Option<i64>,
    pub review_comments: Option<i64>,
    pub created_at: Option<String>,
    pub updated_at: Option<String>,
    pub closed_at: Option<String>,
    pub merged_at: Option<String>,
    pub merged_by: Option<GivenAccount>,
    pub merge_commit_sha: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
pub struct GivenBranch {
    #[serde(rename = "ref")]
    pub name: String,
    pub sha: String,
    pub label: Option<String>,
    pub repo: Option<BranchRepository>,
}

#[derive(Debug, Clone, Deserialize)]
pub struct BranchRepository {
    pub id: i64,
}

#[derive(Debug, Clone, Deserialize)]
pub struct GivenReview {
    pub id: i64,
    pub user: Option<GivenAccount>,
    pub body: Option<String>,
    pub state: String,
    pub submitted_at: Option<String>,
    pub commit_id: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
pub struct GivenReviewComment {
    pub id: i64,
    pub pull_request_review_id: Option<i64>,
    pub in_reply_to_id: Option<i64>,
    pub user: Option<GivenAccount>,
    pub body: String,
    pub path: String,
    pub diff_hunk: Option<String>,
    pub original_commit_id: String,
    pub subject_type: Option<String>,
    pub side: Option<String>,
    pub start_side: Option<String>,
    pub original_line: Option<i64>,
    pub original_start_line: Option<i64>,
    pub original_position: Option<i64>,
    pub reactions: Option<GivenReactions>,
    pub created_at: Option<String>,
    pub updated_at: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
pub struct GivenIssueComment {
    pub id: i64,
    pub user: Option<GivenAccount>,
    pub body: Option<String>,
    pub reactions: Option<GivenReactions>,
    pub created_at: Option<String>,
    pub updated_at: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
pub struct Status {
    pub id: i64,
    pub state: String,
    pub context: String,
    pub description: Option<String>,
    pub target_url: Option<String>,
    pub creator: Option<GivenAccount>,
    pub created_at: Option<String>,
}

#[derive(Debug, Deserialize)]
pub struct CheckRuns {
    pub check_runs: Vec<GivenCheckRun>,
}

impl ListBody for CheckRuns {
    type Item = GivenCheckRun;

    fn items(self) -> Vec<GivenCheckRun> {
        self.check_runs
    }
}

#[derive(Debug, Clone, Deserialize)]
pub struct GivenCheckRun {
    pub id: i64,
    pub name: String,
    pub external_id: Option<String>,
    pub details_url: Option<String>,
    pub status: String,
    pub conclusion: Option<String>,
    pub started_at: Option<String>,
    pub completed_at: Option<String>,
    pub output: Option<GivenCheckOutput>,
    pub app: Option<GivenApp>,
}

#[derive(Debug, Clone, Deserialize)]
pub struct GivenCheckOutput {
    pub title: Option<String>,
    pub summary: Option<String>,
    pub text: Option<String>,
    #[serde(default)]
    pub annotations_count: i64,
}

#[derive(Debug, Clone, Deserialize)]
pub struct Annotation {
    pub path: String,
    pub start_line: i64,
    pub end_line: i64,
    pub start_column: Option<i64>,
    pub end_column: Option<i64>,
    pub annotation_level: Option<String>,
    pub message: Option<String>,
    pub title: Option<String>,
    pub raw_details: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
pub struct GivenApp {
    pub id: i64,
    pub slug: Option<String>,
    pub name: Option<String>,
    pub client_id: Option<String>,
    pub owner: Option<GivenAccount>,
    pub description: Option<String>,
    pub external_url: Option<String>,
    pub permissions: Option<Value>,
    #[serde(default)]
    pub events: Vec<String>,
    pub created_at: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
pub struct GivenIssueField {
    pub id: i64,
    pub name: String,
    pub description: Option<String>,
    pub data_type: String,
    pub visibility: Option<String>,
    pub options: Option<Vec<GivenIssueFieldOption>>,
    pub created_at: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
pub struct GivenIssueFieldOption {
    pub name: String,
    pub description: Option<String>,
    pub color: Option<String>,
    pub priority: Option<i64>,
}

#[derive(Debug, Clone, Deserialize)]
pub struct FieldValueOfIssue {
    pub issue_field_id: i64,
    pub value: Option<Value>,
    pub single_select_option: Option<GivenName>,
    pub multi_select_options: Option<Vec<GivenName>>,
}

#[derive(Debug, Clone, Deserialize)]
pub struct GivenName {
    pub name: String,
}

#[derive(Debug, Deserialize)]
pub struct GivenInstallations {
    pub installations: Vec<GivenInstallation>,
}

impl ListBody for GivenInstallations {
    type Item = GivenInstallation;

    fn items(self) -> Vec<GivenInstallation> {
        self.installations
    }
}

#[derive(Debug, Clone, Deserialize)]
pub struct GivenInstallation {
    pub id: i64,
    pub account: Option<GivenAccount>,
    pub app_id: i64,
    pub app_slug: String,
    pub repository_selection: String,
    pub permissions: Option<Value>,
    #[serde(default)]
    pub events: Vec<String>,
    #[serde(default)]
    pub single_file_paths: Vec<String>,
    pub suspended_at: Option<String>,
    pub created_at: Option<String>,
}

#[derive(Debug, Deserialize)]
pub struct GivenInstallationRepositories {
    pub repositories: Vec<GivenRepositoryLink>,
}

impl ListBody for GivenInstallationRepositories {
    type Item = GivenRepositoryLink;

    fn items(self) -> Vec<GivenRepositoryLink> {
        self.repositories
    }
}

#[derive(Debug, Clone, Deserialize)]
pub struct GivenRepositoryLink {
    pub name: String,
    pub full_name: String,
}

#[derive(Debug, Clone, Deserialize)]
pub struct GivenProject {
    pub id: i64,
    pub number: i64,
    pub title: String,
    #[serde(default)]
    pub public: bool,
    pub created_at: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
pub struct GivenProjectField {
    pub id: i64,
    pub name: String,
    pub data_type: String,
    pub issue_field_id: Option<i64>,
    pub options: Option<Vec<GivenProjectFieldOption>>,
    pub configuration: Option<GivenIterationConfiguration>,
    pub created_at: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
pub struct GivenProjectFieldOption {
    pub name: GivenText,
    pub color: Option<String>,
    pub description: Option<GivenText>,
}

/// A text, which the API of projects also gives with its renderings.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub enum GivenText {
    Raw(String),
    Rendered { raw: String },
}

#[derive(Debug, Clone, Deserialize)]
pub struct GivenIterationConfiguration {
    pub start_date: Option<String>,
    pub duration: Option<i64>,
    #[serde(default)]
    pub iterations: Vec<GivenIteration>,
    #[serde(default)]
    pub completed_iterations: Vec<GivenIteration>,
}

#[derive(Debug, Clone, Deserialize)]
pub struct GivenIteration {
    pub title: GivenText,
    pub start_date: String,
    pub duration: i64,
}

#[derive(Debug, Clone, Deserialize)]
pub struct GivenProjectItem {
    pub id: i64,
    pub content_type: String,
    pub content: Option<GivenItemContent>,
    pub creator: Option<GivenAccount>,
    pub archived_at: Option<String>,
    pub created_at: Option<String>,
    #[serde(default)]
    pub fields: Vec<GivenItemFieldValue>,
}

#[derive(Debug, Clone, Deserialize)]
pub struct GivenItemContent {
    pub number: Option<i64>,
    pub repository_url: Option<String>,
    pub base: Option<ItemBase>,
    pub title: Option<String>,
    pub body: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
pub struct ItemBase {
    pub repo: Option<GivenRepositoryLink>,
}

#[derive(Debug, Clone, Deserialize)]
pub struct GivenItemFieldValue {
    pub id: i64,
    pub name: String,
    pub value: Option<Value>,
}

/// A login of a list of members.
pub type Members = Vec<GivenAccount>;
