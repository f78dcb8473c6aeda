//! The request bodies that create, update and lock an issue.

use contract_macros::schema;
use poem_openapi::types::{Example, MaybeUndefined};
use serde_json::Value;

use super::super::body::Readable;
use super::super::labels::name_labels;
use super::super::shared::state::{LockReason, PullState};
use super::StateReason;

/// The body of `create_issue`.
#[schema(example)]
pub struct CreateIssue {
    /// The title of the issue.
    #[schema(validator(max_length = 1024))]
    pub title: String,
    /// The description of the issue, in Markdown.
    #[schema(nullable, validator(max_length = 65_536))]
    pub body: Option<String>,
    /// The login of the user to assign. Deprecated: use `assignees`.
    #[schema(nullable)]
    pub assignee: Option<String>,
    /// The logins of the users to assign. Ignored if the caller does not have write access to
    /// the repository.
    #[schema(nullable, validator(max_items = 10))]
    pub assignees: Option<Vec<String>>,
    /// The names of the labels. Labels that do not exist are created, which requires the write
    /// role. Ignored if the caller does not have the triage role or a higher one.
    #[schema(nullable, validator(max_items = 100))]
    pub labels: Option<Vec<String>>,
}

impl Readable for CreateIssue {
    fn prepare(body: &mut Value) {
        name_labels(body);
    }
}

impl Example for CreateIssue {
    fn example() -> Self {
        Self {
            title: "The handle squeaks".to_owned(),
            body: Some("Only when it is **cold**.".to_owned()),
            assignee: None,
            assignees: Some(vec!["alice".to_owned()]),
            labels: Some(vec!["bug".to_owned()]),
        }
    }
}

/// The body of `update_issue`. Omitted properties are not changed.
#[schema(example)]
pub struct UpdateIssue {
    /// The new title of the issue.
    #[schema(nullable, validator(max_length = 1024))]
    pub title: Option<String>,
    /// The new description of the issue, in Markdown. Set to `null` to remove the description.
    #[schema(nullable, validator(max_length = 65_536))]
    pub body: MaybeUndefined<String>,
    /// The new state: `closed` closes the issue, `open` reopens it.
    pub state: Option<PullState>,
    /// The reason for the change of state. Ignored without `state`.
    #[schema(nullable)]
    pub state_reason: Option<StateReason>,
    /// The login of the user to assign. Set to `null` to remove all assignees. Deprecated: use
    /// `assignees`.
    #[schema(nullable)]
    pub assignee: MaybeUndefined<String>,
    /// The logins of the users to assign. They replace the current assignees. Ignored if the
    /// caller does not have the triage role or a higher one.
    #[schema(nullable, validator(max_items = 10))]
    pub assignees: Option<Vec<String>>,
    /// The names of the labels. They replace the current labels, and labels that do not exist
    /// are created, which requires the write role and, for fine-grained and app tokens,
    /// `issues: write`. Ignored if the caller does not have the triage role or a higher one.
    #[schema(nullable, validator(max_items = 100))]
    pub labels: Option<Vec<String>>,
}

impl Readable for UpdateIssue {
    const REQUIRED: bool = false;

    fn prepare(body: &mut Value) {
        name_labels(body);
    }
}

impl Example for UpdateIssue {
    fn example() -> Self {
        Self {
            title: Some("The handle squeaks in winter".to_owned()),
            body: MaybeUndefined::Undefined,
            state: Some(PullState::Closed),
            state_reason: Some(StateReason::NotPlanned),
            assignee: MaybeUndefined::Undefined,
            assignees: None,
            labels: Some(vec!["bug".to_owned()]),
        }
    }
}

/// The body of `lock_issue`.
#[schema(example)]
#[derive(Default)]
pub struct LockIssue {
    /// The reason for locking the conversation.
    #[schema(nullable)]
    pub lock_reason: Option<LockReason>,
}

impl Readable for LockIssue {
    const REQUIRED: bool = false;
}

impl Example for LockIssue {
    fn example() -> Self {
        Self {
            lock_reason: Some(LockReason::TooHeated),
        }
    }
}
