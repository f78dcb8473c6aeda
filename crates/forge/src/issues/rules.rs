//! Pure decisions about issues, and the errors.

use poem_openapi::types::MaybeUndefined;

use super::triages;
use crate::events::{IssueAction, IssueChanges};
use crate::explain;
use crate::labels::rules::LabelNames;
use contract::issues::{CreateIssue, StateReason, UpdateIssue};
use contract::problem::{FieldProblem, Problem};
use contract::pulls::UpdatePull;
use contract::reply::Outcome;
use contract::shared::state::LockReason;
use contract::shared::state::PullState;
use storage::entities::collaborator::Permission;
use storage::entities::issue;

/// The name of an issue in errors.
const ISSUE: &str = "Issue";

/// An issue to create.
#[derive(Debug)]
pub struct NewIssue {
    pub title: String,
    pub body: Option<String>,
    /// None unless the caller may triage.
    pub labels: Option<LabelNames>,
    pub assignees: Vec<String>,
}

impl NewIssue {
    pub fn of(body: CreateIssue, role: Permission) -> Outcome<Self> {
        check_title(&body.title)?;
        let (mut labels, mut assignees) = (None, Vec::new());
        if triages(role) {
            labels = body.labels.as_deref().map(LabelNames::of).transpose()?;
            assignees = body.assignees.unwrap_or_default();
            assignees.extend(body.assignee);
        }
        Ok(Self {
            title: body.title,
            body: body.body,
            labels,
            assignees,
        })
    }
}

/// An update of an issue.
#[derive(Debug)]
pub struct IssueUpdate {
    pub title: Option<String>,
    pub body: MaybeUndefined<String>,
    pub state: Option<(PullState, Option<StateReason>)>,
    /// The new labels; None keeps the current ones.
    pub labels: Option<LabelNames>,
    pub assignees: Option<Vec<String>>,
}

impl IssueUpdate {
    pub fn of(body: UpdateIssue, role: Permission) -> Outcome<Self> {
        if let Some(title) = &body.title {
            check_title(title)?;
        }
        let (mut labels, mut assignees) = (None, None);
        if triages(role) {
            labels = body.labels.as_deref().map(LabelNames::of).transpose()?;
            assignees = match body.assignee {
                MaybeUndefined::Undefined => body.assignees,
                MaybeUndefined::Null => Some(body.assignees.unwrap_or_default()),
                MaybeUndefined::Value(login) => {
                    let mut all = body.assignees.unwrap_or_default();
                    all.push(login);
                    Some(all)
                }
            };
        }
        Ok(Self {
            title: body.title,
            body: body.body,
            state: body.state.map(|state| (state, body.state_reason)),
            labels,
            assignees,
        })
    }

    /// The part that concerns a pull request itself.
    pub fn of_pull(&self) -> UpdatePull {
        UpdatePull {
            title: self.title.clone(),
            body: self.body.clone(),
            state: self.state.map(|(state, _)| state),
            base: None,
            maintainer_can_modify: None,
        }
    }
}

fn check_title(title: &str) -> Outcome<()> {
    match title.trim().is_empty() {
        true => Err(FieldProblem::missing(ISSUE, "title").into()),
        false => Ok(()),
    }
}

/// Applies an update to an issue, and returns the actions. If it was closed, the caller closed it.
pub fn revise(
    row: &mut issue::Model,
    revision: &IssueUpdate,
    caller: Option<i64>,
    now: i64,
) -> Vec<IssueAction> {
    let before = row.clone();
    if let Some(title) = &revision.title {
        row.title.clone_from(title);
    }
    match &revision.body {
        MaybeUndefined::Undefined => {}
        MaybeUndefined::Null => row.body = None,
        MaybeUndefined::Value(text) => row.body = Some(text.clone()),
    }
    let moved = revision
        .state
        .and_then(|(state, reason)| change_state(row, state, reason, caller, now));
    let changes = IssueChanges {
        title: (before.title != row.title).then_some(before.title),
        body: (before.body != row.body).then(|| before.body.unwrap_or_default()),
    };
    let edited = (changes != IssueChanges::default()).then_some(IssueAction::Edited(changes));
    edited.into_iter().chain(moved).collect()
}

fn change_state(
    row: &mut issue::Model,
    state: PullState,
    reason: Option<StateReason>,
    caller: Option<i64>,
    now: i64,
) -> Option<IssueAction> {
    match (row.state, state) {
        (issue::IssueState::Open, PullState::Closed) => {
            row.state = issue::IssueState::Closed;
            row.state_reason = Some(closing(reason));
            (row.closed_at, row.closed_by_id) = (Some(now), caller);
            Some(IssueAction::Closed)
        }
        (issue::IssueState::Closed, PullState::Open) => {
            row.state = issue::IssueState::Open;
            row.state_reason = Some(issue::StateReason::Reopened);
            (row.closed_at, row.closed_by_id) = (None, None);
            Some(IssueAction::Reopened)
        }
        // A closed issue may be closed for another reason.
        (issue::IssueState::Closed, PullState::Closed) => {
            if reason.is_some() {
                row.state_reason = Some(closing(reason));
            }
            None
        }
        (issue::IssueState::Open, PullState::Open) => None,
    }
}

/// The reason for closing an issue: completed by default.
fn closing(reason: Option<StateReason>) -> issue::StateReason {
    match reason {
        Some(StateReason::NotPlanned) => issue::StateReason::NotPlanned,
        Some(StateReason::Duplicate) => issue::StateReason::Duplicate,
        Some(StateReason::Completed | StateReason::Reopened) | None => {
            issue::StateReason::Completed
        }
    }
}

/// The author of an issue, and callers who may triage, may change it.
pub fn may_change(author: i64, caller: Option<i64>, role: Permission) -> Outcome<()> {
    if caller == Some(author) || triages(role) {
        return Ok(());
    }
    explain::note(|| explain::lacks_role(Permission::Triage, role));
    Err(Problem::Forbidden(
        "Must have admin rights to Repository.".into(),
    ))
}

pub fn lock_reason(reason: LockReason) -> issue::LockReason {
    match reason {
        LockReason::OffTopic => issue::LockReason::OffTopic,
        LockReason::TooHeated => issue::LockReason::TooHeated,
        LockReason::Resolved => issue::LockReason::Resolved,
        LockReason::Spam => issue::LockReason::Spam,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn issue() -> issue::Model {
        issue::Model {
            id: 1,
            repository_id: 1,
            number: 1,
            pull_id: None,
            title: "One".to_owned(),
            body: None,
            author_id: 1,
            state: issue::IssueState::Open,
            state_reason: None,
            locked: false,
            lock_reason: None,
            comments: 0,
            created_at: 0,
            updated_at: 0,
            closed_at: None,
            closed_by_id: None,
        }
    }

    fn revision(state: PullState, reason: Option<StateReason>) -> IssueUpdate {
        IssueUpdate {
            title: None,
            body: MaybeUndefined::Undefined,
            state: Some((state, reason)),
            labels: None,
            assignees: None,
        }
    }

    #[test]
    fn closing_and_reopening_have_reasons() {
        let mut row = issue();
        let closed = revise(&mut row, &revision(PullState::Closed, None), Some(7), 5);
        assert!(matches!(closed[..], [IssueAction::Closed]));
        assert_eq!(row.state_reason, Some(issue::StateReason::Completed));
        assert_eq!((row.closed_at, row.closed_by_id), (Some(5), Some(7)));
        let unplanned = revision(PullState::Closed, Some(StateReason::NotPlanned));
        assert!(revise(&mut row, &unplanned, Some(8), 6).is_empty());
        assert_eq!(row.state_reason, Some(issue::StateReason::NotPlanned));
        assert_eq!(row.closed_by_id, Some(7));
        let open = revise(&mut row, &revision(PullState::Open, None), Some(7), 7);
        assert!(matches!(open[..], [IssueAction::Reopened]));
        assert_eq!(row.state_reason, Some(issue::StateReason::Reopened));
        assert_eq!((row.closed_at, row.closed_by_id), (None, None));
    }

    #[test]
    fn only_those_who_triage_label_and_assign() {
        let body = || CreateIssue {
            title: "One".to_owned(),
            body: None,
            assignee: Some("alice".to_owned()),
            assignees: None,
            labels: Some(vec!["bug".to_owned()]),
        };
        let triaged = NewIssue::of(body(), Permission::Triage).expect("valid");
        assert!(triaged.labels.is_some());
        assert_eq!(triaged.assignees, ["alice"]);
        let dropped = NewIssue::of(body(), Permission::Read).expect("valid");
        assert!(dropped.labels.is_none() && dropped.assignees.is_empty());
    }

    #[test]
    fn authors_and_triagers_may_change_an_issue() {
        assert!(may_change(1, Some(1), Permission::Read).is_ok());
        assert!(may_change(1, Some(2), Permission::Triage).is_ok());
        assert!(may_change(1, Some(2), Permission::Read).is_err());
        assert!(may_change(1, None, Permission::Read).is_err());
    }
}
