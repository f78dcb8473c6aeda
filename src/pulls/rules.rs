//! Errors of changes of pull requests, which need no lookup.

use crate::contract::problem::{FieldProblem, Problem};
use crate::contract::reply::Outcome;

/// The name of a pull request in errors.
pub const PULL: &str = "PullRequest";

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
