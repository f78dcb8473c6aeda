//! The events that apps are told of.

use serde_json::Value;

use crate::contract::review_comments::ReviewComment;
use crate::entities::pull;
use crate::git::Sha;
use crate::refs::target::Target;

/// The name of an event, as apps subscribe to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventName {
    Push,
    Create,
    Delete,
    PullRequest,
    PullRequestReview,
    PullRequestReviewComment,
    InstallationRepositories,
    Ping,
}

impl EventName {
    pub const ALL: [Self; 8] = [
        Self::Push,
        Self::Create,
        Self::Delete,
        Self::PullRequest,
        Self::PullRequestReview,
        Self::PullRequestReviewComment,
        Self::InstallationRepositories,
        Self::Ping,
    ];

    /// The value of `X-GitHub-Event`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Push => "push",
            Self::Create => "create",
            Self::Delete => "delete",
            Self::PullRequest => "pull_request",
            Self::PullRequestReview => "pull_request_review",
            Self::PullRequestReviewComment => "pull_request_review_comment",
            Self::InstallationRepositories => "installation_repositories",
            Self::Ping => "ping",
        }
    }

    /// The permission without which a subscription has no effect. None for the events that
    /// an app is sent without a subscription.
    pub fn permission(self) -> Option<&'static str> {
        match self {
            Self::Push | Self::Create | Self::Delete => Some("contents"),
            Self::PullRequest | Self::PullRequestReview | Self::PullRequestReviewComment => {
                Some("pull_requests")
            }
            Self::InstallationRepositories | Self::Ping => None,
        }
    }
}

/// Something that happened in a repository.
#[derive(Debug)]
pub enum Event<'a> {
    Push(RefUpdate<'a>),
    /// A new branch or tag, by its full name.
    Create(&'a str),
    /// A branch or tag that is gone, by its full name.
    Delete(&'a str),
    PullRequest {
        action: PullAction,
        /// As it is now.
        pull: &'a pull::Model,
    },
    Review {
        action: ReviewAction,
        /// As REST shows it to a caller.
        review: Value,
        pull: &'a pull::Model,
    },
    ReviewComment {
        action: CommentAction,
        /// As REST shows it to a caller.
        comment: &'a ReviewComment,
        pull: &'a pull::Model,
    },
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
        }
    }

    /// The `action` in the payload, if the event has one.
    pub fn action(&self) -> Option<&'static str> {
        match self {
            Self::Push(_) | Self::Create(_) | Self::Delete(_) => None,
            Self::PullRequest { action, .. } => Some(action.word()),
            Self::Review { action, .. } => Some(action.word()),
            Self::ReviewComment { action, .. } => Some(action.word()),
        }
    }
}

/// A change of a branch or tag.
#[derive(Debug, Clone, Copy)]
pub struct RefUpdate<'a> {
    /// The full name.
    pub name: &'a str,
    /// None if the reference is new.
    pub before: Option<Target>,
    /// None if it is gone.
    pub after: Option<Target>,
}

/// What happened to a pull request.
#[derive(Debug, Clone, PartialEq, Eq)]
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
}

/// What was edited, as it was before.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PullChanges {
    pub title: Option<String>,
    pub body: Option<String>,
    /// The branch and its commit.
    pub base: Option<(String, String)>,
}

impl PullAction {
    fn word(&self) -> &'static str {
        match self {
            Self::Opened => "opened",
            Self::Edited(_) => "edited",
            Self::Closed => "closed",
            Self::Reopened => "reopened",
            Self::Synchronize { .. } => "synchronize",
        }
    }
}

/// What happened to a review.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReviewAction {
    Submitted,
    /// With the body that it had before, if that changed.
    Edited {
        before: Option<String>,
    },
    Dismissed,
}

impl ReviewAction {
    fn word(&self) -> &'static str {
        match self {
            Self::Submitted => "submitted",
            Self::Edited { .. } => "edited",
            Self::Dismissed => "dismissed",
        }
    }
}

/// What happened to a comment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommentAction {
    Created,
    /// With the body that it had before.
    Edited {
        before: String,
    },
    Deleted,
}

impl CommentAction {
    fn word(&self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Edited { .. } => "edited",
            Self::Deleted => "deleted",
        }
    }
}
