//! Decisions about changes of pull requests, which need no lookup, and the errors.

use crate::explain;
use contract::problem::{FieldProblem, Problem};
use contract::pulls::UpdatePull;
use contract::reply::Outcome;
use storage::entities::collaborator::Permission;

/// The name of a pull request in errors.
pub const PULL: &str = "PullRequest";

/// The role that a change requires of callers other than the author: those who may triage may
/// close and reopen a pull request.
pub fn required_role(body: &UpdatePull) -> Permission {
    let edits = body.title.is_some()
        || !body.body.is_undefined()
        || body.base.is_some()
        || body.maintainer_can_modify.is_some();
    match edits {
        true => Permission::Write,
        false => Permission::Triage,
    }
}

/// The author of a pull request, and callers with the required role, may change it.
pub fn may_change(
    author: i64,
    caller: Option<i64>,
    role: Permission,
    required: Permission,
) -> Outcome<()> {
    if caller == Some(author) || role >= required {
        return Ok(());
    }
    explain::note(|| explain::lacks_role(required, role));
    Err(Problem::Forbidden(
        "Must have push access to repository".into(),
    ))
}

pub fn check_title(title: &str) -> Outcome<()> {
    match title.trim().is_empty() {
        true => Err(FieldProblem::custom(PULL, "title", "title can't be blank").into()),
        false => Ok(()),
    }
}

/// 422 for a new base for which the same pull request exists.
pub fn exists_for_base(base: &str, head: &str) -> Problem {
    let message =
        format!("A pull request already exists for base branch '{base}' and head branch '{head}'");
    FieldProblem::invalid(PULL, "base").because(message).into()
}

/// 422 for a new base that already has all commits.
pub fn nothing_for_base(base: &str, head: &str) -> Problem {
    let message =
        format!("There are no new commits between base branch '{base}' and head branch '{head}'");
    FieldProblem::invalid(PULL, "base").because(message).into()
}

/// 422 for a new base that does not exist.
pub fn no_base(base: &str) -> Problem {
    let message = format!("Proposed base branch '{base}' was not found");
    FieldProblem::invalid(PULL, "base").because(message).into()
}

/// 422 for a new base of a closed pull request.
pub fn closed_base() -> Problem {
    let message = "Cannot change the base branch of a closed pull request.";
    FieldProblem::invalid(PULL, "base").because(message).into()
}

/// Why a pull request cannot be reopened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotReopened<'a> {
    Merged,
    /// The branch no longer exists.
    Deleted(&'a str),
    /// The branch no longer has its old commits.
    Recreated(&'a str),
    NoCommits(&'a str),
    Exists {
        owner: &'a str,
        head: &'a str,
    },
}

/// 422 for a pull request that cannot be reopened.
pub fn not_reopened(reason: NotReopened<'_>) -> Problem {
    let reason = match reason {
        NotReopened::Merged => "The pull request cannot be reopened.".to_owned(),
        NotReopened::Deleted(branch) => format!("The {branch} branch has been deleted."),
        NotReopened::Recreated(branch) => {
            format!("The {branch} branch was force-pushed or recreated.")
        }
        NotReopened::NoCommits(branch) => {
            format!("There are no new commits on the {branch} branch.")
        }
        NotReopened::Exists { owner, head } => {
            format!("There is already an open pull request from {owner}:{head}.")
        }
    };
    let message = format!("state cannot be changed. {reason}");
    FieldProblem::invalid(PULL, "state").because(message).into()
}

#[cfg(test)]
mod tests {
    use poem_openapi::types::MaybeUndefined;

    use super::*;
    use contract::pulls::PullState;

    fn closing() -> UpdatePull {
        UpdatePull {
            title: None,
            body: MaybeUndefined::Undefined,
            state: Some(PullState::Closed),
            base: None,
            maintainer_can_modify: None,
        }
    }

    #[test]
    fn triagers_may_close_a_pull_request_and_writers_may_edit_it() {
        assert_eq!(required_role(&closing()), Permission::Triage);
        let body = MaybeUndefined::Null;
        let edits = [
            UpdatePull { body, ..closing() },
            UpdatePull {
                title: Some("x".to_owned()),
                ..closing()
            },
            UpdatePull {
                base: Some("main".to_owned()),
                ..closing()
            },
            UpdatePull {
                maintainer_can_modify: Some(true),
                ..closing()
            },
        ];
        for edit in edits {
            assert_eq!(required_role(&edit), Permission::Write, "{edit:?}");
        }
    }

    #[test]
    fn authors_and_callers_with_the_role_may_change_a_pull_request() {
        let required = Permission::Write;
        assert!(may_change(1, Some(1), Permission::Read, required).is_ok());
        assert!(may_change(1, Some(2), Permission::Write, required).is_ok());
        assert!(may_change(1, Some(2), Permission::Triage, required).is_err());
        assert!(may_change(1, None, Permission::Read, required).is_err());
    }
}
