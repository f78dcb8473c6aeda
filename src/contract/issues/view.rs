//! An issue as clients see it. A pull request is one with `pull_request`.

use poem_openapi::types::Example;
use poem_openapi::{Enum, Object};
use serde::{Deserialize, Serialize};

use super::super::EXAMPLE_ORIGIN;
use super::super::labels::Label;
use super::super::lookups::Milestone;
use super::super::pulls::{PullState, RenderedBody};
use super::super::review_comments::{AuthorAssociation, ReactionRollup};
use super::super::shared::user::User;
use super::super::values::{Nullable, Timestamp, Url, UrlTemplate};

/// An issue, or a pull request as one.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
#[oai(example)]
pub struct Issue {
    pub id: i64,
    /// The global identifier.
    pub node_id: String,
    pub url: Url,
    pub repository_url: Url,
    pub labels_url: UrlTemplate,
    pub comments_url: Url,
    pub events_url: Url,
    pub html_url: Url,
    /// The number in the issue's address, unique in its repository among issues and pull requests.
    pub number: i64,
    pub state: PullState,
    /// Why it is closed, or open again; null if nothing was said.
    pub state_reason: Nullable<StateReason>,
    /// What the issue is called.
    pub title: String,
    /// What its author says about it. Absent with the `text` and `html` media types.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<Nullable<String>>,
    #[oai(flatten)]
    #[serde(flatten)]
    pub rendered: RenderedBody,
    /// The author.
    pub user: User,
    /// The labels, by name.
    pub labels: Vec<Label>,
    /// The first of the assignees.
    pub assignee: Nullable<User>,
    /// Who is to take care of it.
    pub assignees: Vec<User>,
    /// Always null; kept for clients that expect it.
    pub milestone: Nullable<Milestone>,
    /// Whether only those who may write to the repository can comment.
    pub locked: bool,
    /// Why it is locked; null if nothing was said.
    pub active_lock_reason: Nullable<LockReason>,
    /// How many comments its conversation has.
    pub comments: i64,
    /// Where the pull request is. Only if it is one.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pull_request: Option<IssuePull>,
    /// Whether it is a draft, which cannot be merged. Only if it is a pull request.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub draft: Option<bool>,
    /// When it was closed; null while it is open.
    pub closed_at: Nullable<Timestamp>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    /// Who closed it, if that is known.
    pub closed_by: Nullable<User>,
    pub author_association: AuthorAssociation,
    pub reactions: ReactionRollup,
    pub timeline_url: Url,
    /// Always null; kept for clients that expect it.
    pub performed_via_github_app: Nullable<String>,
}

/// Why an issue is closed, or open again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum, Serialize, Deserialize)]
#[oai(rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum StateReason {
    Completed,
    NotPlanned,
    Duplicate,
    Reopened,
}

/// Why a conversation is locked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum, Serialize, Deserialize)]
pub enum LockReason {
    #[oai(rename = "off-topic")]
    #[serde(rename = "off-topic")]
    OffTopic,
    #[oai(rename = "too heated")]
    #[serde(rename = "too heated")]
    TooHeated,
    #[oai(rename = "resolved")]
    #[serde(rename = "resolved")]
    Resolved,
    #[oai(rename = "spam")]
    #[serde(rename = "spam")]
    Spam,
}

/// Where the pull request of an issue is.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
pub struct IssuePull {
    pub url: Url,
    pub html_url: Url,
    pub diff_url: Url,
    pub patch_url: Url,
    /// When it was merged; null unless it was.
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
        }
    }
}
