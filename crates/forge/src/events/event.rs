//! Webhook events.

use serde_json::Value;

use contract::checks::{CheckRun, CheckSuite};
use contract::commits::RepositoryCommit;
use contract::commits::ShortBranch;
use contract::issue_comments::IssueComment;
use contract::review_comments::ReviewComment;
use contract::shared::user::User;
use contract::statuses::CommitStatus;
use git::Sha;
use git::target::RefTarget;
use storage::entities::pull;

/// The name of an event, as apps subscribe to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventName {
    Push,
    Create,
    Delete,
    PullRequest,
    PullRequestReview,
    PullRequestReviewComment,
    Issues,
    IssueComment,
    Label,
    Status,
    CheckRun,
    CheckSuite,
    ProjectsV2Item,
    InstallationRepositories,
    Ping,
}

impl EventName {
    pub const ALL: [Self; 15] = [
        Self::Push,
        Self::Create,
        Self::Delete,
        Self::PullRequest,
        Self::PullRequestReview,
        Self::PullRequestReviewComment,
        Self::Issues,
        Self::IssueComment,
        Self::Label,
        Self::Status,
        Self::CheckRun,
        Self::CheckSuite,
        Self::ProjectsV2Item,
        Self::InstallationRepositories,
        Self::Ping,
    ];

    /// The value of `X-GitHub-Event`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Push => "push",
            Self::Create => "create",
            Self::Delete => "delete",
            Self::PullRequest => "pull_request",
            Self::PullRequestReview => "pull_request_review",
            Self::PullRequestReviewComment => "pull_request_review_comment",
            Self::Issues => "issues",
            Self::IssueComment => "issue_comment",
            Self::Label => "label",
            Self::Status => "status",
            Self::CheckRun => "check_run",
            Self::CheckSuite => "check_suite",
            Self::ProjectsV2Item => "projects_v2_item",
            Self::InstallationRepositories => "installation_repositories",
            Self::Ping => "ping",
        }
    }

    /// A subscription takes effect if the app has this permission. None for events that need no
    /// subscription.
    pub fn permission(self) -> Option<&'static str> {
        match self {
            Self::Push | Self::Create | Self::Delete => Some("contents"),
            Self::PullRequest | Self::PullRequestReview | Self::PullRequestReviewComment => {
                Some("pull_requests")
            }
            Self::Issues | Self::IssueComment => Some("issues"),
            Self::Label => Some("metadata"),
            Self::Status => Some("statuses"),
            Self::CheckRun | Self::CheckSuite => Some("checks"),
            Self::ProjectsV2Item => Some("organization_projects"),
            Self::InstallationRepositories | Self::Ping => None,
        }
    }
}

/// An event in a repository.
#[derive(Debug)]
pub enum Event<'a> {
    Push(RefUpdate<'a>),
    /// A new branch or tag, by its full name.
    Create(&'a str),
    /// A deleted branch or tag, by its full name.
    Delete(&'a str),
    PullRequest {
        action: PullAction,
        /// In its new state.
        pull: &'a pull::Model,
    },
    Review {
        action: ReviewAction,
        /// In the shape of REST responses.
        review: Value,
        pull: &'a pull::Model,
    },
    ReviewComment {
        action: CommentAction,
        /// In the shape of REST responses.
        comment: &'a ReviewComment,
        pull: &'a pull::Model,
    },
    Issue {
        action: IssueAction,
        /// In the shape of REST responses.
        issue: &'a Value,
    },
    IssueComment {
        action: CommentAction,
        /// In the shape of REST responses.
        comment: &'a IssueComment,
        issue: &'a Value,
    },
    Label {
        action: LabelAction,
        /// In the shape of REST responses.
        label: Value,
    },
    Status(&'a StatusReport),
    CheckRun {
        action: CheckRunAction,
        /// In the shape of REST responses.
        run: &'a CheckRun,
        suite: &'a CheckSuite,
    },
    /// A suite whose check runs are all completed.
    CheckSuite(&'a CheckSuite),
}

impl Event<'_> {
    pub fn name(&self) -> EventName {
        match self {
            Self::Push(_) => EventName::Push,
            Self::Create(_) => EventName::Create,
            Self::Delete(_) => EventName::Delete,
            Self::PullRequest { .. } => EventName::PullRequest,
            Self::Review { .. } => EventName::PullRequestReview,
            Self::ReviewComment { .. } => EventName::PullRequestReviewComment,
            Self::Issue { .. } => EventName::Issues,
            Self::IssueComment { .. } => EventName::IssueComment,
            Self::Label { .. } => EventName::Label,
            Self::Status(_) => EventName::Status,
            Self::CheckRun { .. } => EventName::CheckRun,
            Self::CheckSuite(_) => EventName::CheckSuite,
        }
    }

    /// The `action` in the payload, if the event has one.
    pub fn action(&self) -> Option<&'static str> {
        match self {
            Self::Push(_) | Self::Create(_) | Self::Delete(_) | Self::Status(_) => None,
            Self::PullRequest { action, .. } => Some(action.as_str()),
            Self::Review { action, .. } => Some(action.as_str()),
            Self::ReviewComment { action, .. } => Some(action.as_str()),
            Self::Issue { action, .. } => Some(action.as_str()),
            Self::IssueComment { action, .. } => Some(action.as_str()),
            Self::Label { action, .. } => Some(action.as_str()),
            Self::CheckRun { action, .. } => Some(action.as_str()),
            Self::CheckSuite(_) => Some("completed"),
        }
    }
}

/// The action of a check run event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckRunAction {
    Created,
    Completed,
}

impl CheckRunAction {
    fn as_str(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Completed => "completed",
        }
    }
}

/// A new status of a commit, in the shape of REST responses.
#[derive(Debug)]
pub struct StatusReport {
    pub status: CommitStatus,
    pub commit: RepositoryCommit,
    /// Some of the branches that contain the commit.
    pub branches: Vec<ShortBranch>,
}

/// A change of a branch or tag.
#[derive(Debug, Clone, Copy)]
pub struct RefUpdate<'a> {
    /// The full name.
    pub name: &'a str,
    /// None if the reference is new.
    pub before: Option<RefTarget>,
    /// None if it was deleted.
    pub after: Option<RefTarget>,
}

/// The action of a pull request event.
#[derive(Debug, Clone)]
pub enum PullAction {
    Opened,
    Edited(PullChanges),
    Closed,
    Reopened,
    /// Its head moved.
    Synchronize {
        before: Sha,
        after: Sha,
    },
    /// With the label in the shape of REST responses.
    Labeled(Value),
    Unlabeled(Value),
    Assigned(User),
    Unassigned(User),
    Locked,
    Unlocked,
}

/// The previous values of the edited fields.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PullChanges {
    pub title: Option<String>,
    pub body: Option<String>,
    /// The branch and its commit.
    pub base: Option<(String, String)>,
}

impl PullAction {
    fn as_str(&self) -> &'static str {
        match self {
            Self::Opened => "opened",
            Self::Edited(_) => "edited",
            Self::Closed => "closed",
            Self::Reopened => "reopened",
            Self::Synchronize { .. } => "synchronize",
            Self::Labeled(_) => "labeled",
            Self::Unlabeled(_) => "unlabeled",
            Self::Assigned(_) => "assigned",
            Self::Unassigned(_) => "unassigned",
            Self::Locked => "locked",
            Self::Unlocked => "unlocked",
        }
    }
}

/// The action of a review event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReviewAction {
    Submitted,
    /// With the previous body, if it changed.
    Edited {
        before: Option<String>,
    },
    Dismissed,
}

impl ReviewAction {
    fn as_str(&self) -> &'static str {
        match self {
            Self::Submitted => "submitted",
            Self::Edited { .. } => "edited",
            Self::Dismissed => "dismissed",
        }
    }
}

/// The action of a comment event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommentAction {
    Created,
    /// With the previous body.
    Edited {
        before: String,
    },
    Deleted,
}

impl CommentAction {
    fn as_str(&self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Edited { .. } => "edited",
            Self::Deleted => "deleted",
        }
    }
}

/// The action of an issue event.
#[derive(Debug, Clone)]
pub enum IssueAction {
    Opened,
    Edited(IssueChanges),
    Closed,
    Reopened,
    /// With the label in the shape of REST responses.
    Labeled(Value),
    Unlabeled(Value),
    Assigned(User),
    Unassigned(User),
    Locked,
    Unlocked,
}

/// The previous values of the edited fields.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct IssueChanges {
    pub title: Option<String>,
    pub body: Option<String>,
}

impl IssueAction {
    fn as_str(&self) -> &'static str {
        match self {
            Self::Opened => "opened",
            Self::Edited(_) => "edited",
            Self::Closed => "closed",
            Self::Reopened => "reopened",
            Self::Labeled(_) => "labeled",
            Self::Unlabeled(_) => "unlabeled",
            Self::Assigned(_) => "assigned",
            Self::Unassigned(_) => "unassigned",
            Self::Locked => "locked",
            Self::Unlocked => "unlocked",
        }
    }
}

/// The action of a label event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LabelAction {
    Created,
    /// With the previous values of the changed fields.
    Edited {
        name: Option<String>,
        color: Option<String>,
        description: Option<String>,
    },
    Deleted,
}

impl LabelAction {
    fn as_str(&self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Edited { .. } => "edited",
            Self::Deleted => "deleted",
        }
    }
}
