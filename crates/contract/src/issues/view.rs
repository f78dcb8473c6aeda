//! The representation of an issue. A pull request is an issue with `pull_request`.

use contract_macros::schema;
use poem_openapi::types::Example;

use super::super::EXAMPLE_ORIGIN;
use super::super::issue_comments::IssueComment;
use super::super::issue_field_values::IssueFieldValue;
use super::super::labels::Label;
use super::super::lookups::{IssueType, Milestone};
use super::super::review_comments::{AuthorAssociation, ReactionRollup};
use super::super::shared::state::{LockReason, PullState, RenderedBody};
use super::super::shared::user::User;
use super::super::values::{Nullable, Timestamp, Url, UrlTemplate};

/// An issue or a pull request.
#[schema(example)]
pub struct Issue {
    /// The identifier of the issue.
    pub id: i64,
    /// The global identifier.
    pub node_id: String,
    /// The API URL of the issue.
    pub url: Url,
    /// The API URL of the repository.
    pub repository_url: Url,
    /// The API URL template of a label of the issue.
    pub labels_url: UrlTemplate,
    /// The API URL of the issue's comments.
    pub comments_url: Url,
    /// The API URL of the issue's events.
    pub events_url: Url,
    /// The URL of the issue's page.
    pub html_url: Url,
    /// The number of the issue, unique among the issues and pull requests of its repository.
    pub number: i64,
    pub state: PullState,
    /// Why the issue was closed or reopened. `null` if no reason was given.
    pub state_reason: Nullable<StateReason>,
    /// The title of the issue.
    pub title: String,
    /// The description of the issue, in Markdown. Absent with the `text` and `html` media
    /// types.
    pub body: Option<Nullable<String>>,
    #[schema(flatten)]
    pub rendered: RenderedBody,
    /// The author of the issue.
    pub user: User,
    /// The labels of the issue, sorted by name.
    pub labels: Vec<Label>,
    /// The first of the assignees.
    pub assignee: Nullable<User>,
    /// The users assigned to the issue.
    pub assignees: Vec<User>,
    /// Always null; kept for clients that expect it.
    pub milestone: Nullable<Milestone>,
    /// Whether the conversation is locked: only callers with write access to the repository
    /// can comment.
    pub locked: bool,
    /// Why the conversation is locked. `null` if no reason was given.
    pub active_lock_reason: Nullable<LockReason>,
    /// The number of comments on the issue.
    pub comments: i64,
    /// Links to the pull request. Only present if the issue is a pull request.
    pub pull_request: Option<IssuePull>,
    /// Whether the pull request is a draft. A draft cannot be merged. Only present if the issue
    /// is a pull request.
    pub draft: Option<bool>,
    /// When the issue was closed. `null` while it is open.
    pub closed_at: Nullable<Timestamp>,
    /// When the issue was created.
    pub created_at: Timestamp,
    /// When the issue was last updated.
    pub updated_at: Timestamp,
    /// The user who closed the issue, if known.
    #[schema(unpromised)]
    pub closed_by: Nullable<User>,
    pub author_association: AuthorAssociation,
    #[schema(unpromised)]
    pub reactions: ReactionRollup,
    /// The API URL of the issue's timeline.
    #[schema(unpromised)]
    pub timeline_url: Url,
    /// Always null; kept for clients that expect it.
    pub performed_via_github_app: Nullable<String>,
    /// Always null; kept for clients that expect it.
    #[schema(unpromised, rename = "type")]
    pub kind: Nullable<IssueType>,
    /// Always null; kept for clients that expect it.
    #[schema(unpromised)]
    pub pinned_comment: Nullable<IssueComment>,
    #[schema(unpromised)]
    pub sub_issues_summary: SubIssuesSummary,
    #[schema(unpromised)]
    pub issue_dependencies_summary: IssueDependenciesSummary,
    /// The values of the issue in the issue fields of its organization that the caller sees.
    #[schema(unpromised)]
    pub issue_field_values: Vec<IssueFieldValue>,
}

/// The number of sub-issues: always zero, kept for clients that expect it.
#[schema]
#[derive(Copy, Default)]
pub struct SubIssuesSummary {
    /// The number of sub-issues.
    pub total: i64,
    /// The number of closed sub-issues.
    pub completed: i64,
    /// The share of closed sub-issues, in percent.
    pub percent_completed: i64,
}

/// The number of dependencies: always zero, kept for clients that expect it.
#[schema]
#[derive(Copy, Default)]
pub struct IssueDependenciesSummary {
    /// The number of open issues that block this one.
    pub blocked_by: i64,
    /// The number of open issues that this one blocks.
    pub blocking: i64,
    /// The number of issues that block this one.
    pub total_blocked_by: i64,
    /// The number of issues that this one blocks.
    pub total_blocking: i64,
}

/// Why an issue was closed or reopened.
#[schema(rename_all = "snake_case")]
pub enum StateReason {
    Completed,
    NotPlanned,
    Duplicate,
    Reopened,
}

/// Links to the pull request of an issue.
#[schema]
pub struct IssuePull {
    /// The API URL of the pull request.
    pub url: Url,
    /// The URL of the pull request's page.
    pub html_url: Url,
    /// The URL of the pull request's diff.
    pub diff_url: Url,
    /// The URL of the pull request's patch.
    pub patch_url: Url,
    /// When the pull request was merged. `null` if it has not been merged.
    pub merged_at: Nullable<Timestamp>,
}

impl IssuePull {
    pub fn new(url: String, page: &str, merged_at: Option<Timestamp>) -> Self {
        Self {
            url: url.into(),
            diff_url: format!("{page}.diff").into(),
            patch_url: format!("{page}.patch").into(),
            html_url: page.to_owned().into(),
            merged_at: merged_at.into(),
        }
    }
}

impl Example for Issue {
    fn example() -> Self {
        let repo = format!("{EXAMPLE_ORIGIN}/repos/acme/gadgets");
        let url = format!("{repo}/issues/3");
        let moment = Timestamp(1_773_135_000);
        Self {
            id: 8101,
            node_id: "I_kwDNB9LNH6U".to_owned(),
            repository_url: repo.into(),
            labels_url: format!("{url}/labels{{/name}}").into(),
            comments_url: format!("{url}/comments").into(),
            events_url: format!("{url}/events").into(),
            timeline_url: format!("{url}/timeline").into(),
            reactions: ReactionRollup::none(format!("{url}/reactions")),
            html_url: format!("{EXAMPLE_ORIGIN}/acme/gadgets/issues/3").into(),
            url: url.into(),
            number: 3,
            state: PullState::Open,
            state_reason: None.into(),
            title: "The handle squeaks".to_owned(),
            body: Some(Some("Only when it is **cold**.".to_owned()).into()),
            rendered: RenderedBody::default(),
            user: User::example(),
            labels: vec![Label::example()],
            assignee: None.into(),
            assignees: Vec::new(),
            milestone: None.into(),
            locked: false,
            active_lock_reason: None.into(),
            comments: 0,
            pull_request: None,
            draft: None,
            closed_at: None.into(),
            created_at: moment,
            updated_at: moment,
            closed_by: None.into(),
            author_association: AuthorAssociation::Member,
            performed_via_github_app: None.into(),
            kind: None.into(),
            pinned_comment: None.into(),
            sub_issues_summary: SubIssuesSummary::default(),
            issue_dependencies_summary: IssueDependenciesSummary::default(),
            issue_field_values: Vec::new(),
        }
    }
}
