//! The bodies that make, change and lock an issue.

use poem_openapi::Object;
use poem_openapi::types::{Example, MaybeUndefined};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::super::body::Readable;
use super::super::labels::name_labels;
use super::super::pulls::PullState;
use super::{LockReason, StateReason};

/// The body of `create_issue`.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
#[oai(example)]
pub struct CreateIssue {
    /// What the issue is called.
    #[oai(validator(max_length = 1024))]
    pub title: String,
    /// What its author says about it.
    #[oai(nullable, validator(max_length = 65_536))]
    #[serde(default)]
    pub body: Option<String>,
    /// Who is to take care of it. Closing down: use `assignees`.
    #[oai(nullable)]
    #[serde(default)]
    pub assignee: Option<String>,
    /// The logins of those who are to take care of it. Only from callers who may write to the
    /// repository; from others they are ignored.
    #[oai(nullable, validator(max_items = 10))]
    #[serde(default)]
    pub assignees: Option<Vec<String>>,
    /// The names of its labels; those that do not exist are made. Only from callers who may write
    /// to the repository; from others they are ignored.
    #[oai(nullable, validator(max_items = 100))]
    #[serde(default)]
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

/// The body of `update_issue`. What is absent stays as it is.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
#[oai(example)]
pub struct UpdateIssue {
    /// What the issue is called.
    #[oai(nullable, validator(max_length = 1024))]
    #[serde(default)]
    pub title: Option<String>,
    /// What its author says about it; null takes it away.
    #[oai(nullable, validator(max_length = 65_536))]
    #[serde(default, skip_serializing_if = "MaybeUndefined::is_undefined")]
    pub body: MaybeUndefined<String>,
    /// Closes or reopens it.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<PullState>,
    /// Why it is closed or reopened. Without `state` it is ignored.
    #[oai(nullable)]
    #[serde(default)]
    pub state_reason: Option<StateReason>,
    /// Who is to take care of it; null: nobody. Closing down: use `assignees`.
    #[oai(nullable)]
    #[serde(default, skip_serializing_if = "MaybeUndefined::is_undefined")]
    pub assignee: MaybeUndefined<String>,
    /// The logins of those who are to take care of it, in place of those before. Only from callers
    /// who may write to the repository; from others they are ignored.
    #[oai(nullable, validator(max_items = 10))]
    #[serde(default)]
    pub assignees: Option<Vec<String>>,
    /// The names of its labels, in place of those before; those that do not exist are made. Only
    /// from callers who may write to the repository; from others they are ignored.
    #[oai(nullable, validator(max_items = 100))]
    #[serde(default)]
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
#[derive(Debug, Clone, Default, Object, Serialize, Deserialize)]
#[oai(example)]
pub struct LockIssue {
    /// Why it is locked.
    #[oai(nullable)]
    #[serde(default)]
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
