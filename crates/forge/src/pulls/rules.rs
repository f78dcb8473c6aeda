//! Pure decisions about pull requests, and the errors.

use contract::problem::{FieldProblem, Problem};
use contract::pulls::{CreatePull, MergeMethod, UpdatePull};
use contract::reply::Outcome;
use storage::entities::collaborator::Permission;
use storage::entities::{pull, repository};

use crate::access::RepositoryGrant;
use crate::explain;

/// A pull request to create.
#[derive(Debug)]
pub struct NewPull {
    pub title: String,
    pub body: Option<String>,
    /// A branch of this repository; None if the body names one of another.
    pub head: Option<String>,
    pub base: String,
    pub draft: bool,
    pub maintainer_can_modify: bool,
}

impl NewPull {
    pub fn of(body: CreatePull, grant: &RepositoryGrant) -> Outcome<Self> {
        let Some(title) = body.title else {
            return Err(FieldProblem::missing(PULL, "title").into());
        };
        check_title(&title)?;
        let is_this_repository = |repo: &String| {
            let name = &grant.repository.name;
            repo.eq_ignore_ascii_case(name) || repo.eq_ignore_ascii_case(&grant.full_name())
        };
        if body
            .head_repo
            .as_ref()
            .is_some_and(|repo| !is_this_repository(repo))
        {
            return Err(FieldProblem::invalid(PULL, "head_repo").into());
        }
        Ok(Self {
            title,
            body: body.body,
            head: branch_of_head(&body.head, &grant.owner.login).map(str::to_owned),
            base: body.base,
            draft: body.draft.unwrap_or(false),
            maintainer_can_modify: body.maintainer_can_modify.unwrap_or(false),
        })
    }
}

/// The branch that `topic` or `acme:topic` names; None if its owner is another. No branch
/// has a colon in its name.
pub fn branch_of_head<'a>(head: &'a str, owner: &str) -> Option<&'a str> {
    match head.split_once(':') {
        Some((head_owner, branch)) => head_owner.eq_ignore_ascii_case(owner).then_some(branch),
        None => Some(head),
    }
}

/// 422 for missing branches.
pub fn invalid_branches(base: bool, head: bool) -> Outcome<()> {
    let problems: Vec<_> = [("base", base), ("head", head)]
        .into_iter()
        .filter(|(_, exists)| !exists)
        .map(|(field, _)| FieldProblem::invalid(PULL, field))
        .collect();
    match problems.is_empty() {
        true => Ok(()),
        false => Err(Problem::Invalid(problems)),
    }
}

/// 422 for a pull request without commits.
pub fn no_commits(base: &str, head: &str) -> Problem {
    let message = format!("No commits between {base} and {head}");
    FieldProblem::custom(PULL, "head", message).into()
}

/// 422 for branches without a common history.
pub fn unrelated(base: &str, head: &str) -> Problem {
    let message = format!("The {head} branch has no history in common with {base}");
    FieldProblem::custom(PULL, "head", message).into()
}

/// 422 for a second pull request from one branch to another.
pub fn exists(owner: &str, head: &str) -> Problem {
    let message = format!("A pull request already exists for {owner}:{head}.");
    FieldProblem::custom(PULL, "head", message).into()
}

/// Checks that a pull request can be merged, and has the head that the caller expects.
pub fn may_be_merged(pull: &pull::Model, sha: Option<&str>) -> Outcome<()> {
    if pull.state != pull::PullState::Open {
        return Err(not_mergeable());
    }
    if pull.draft {
        return Err(Problem::NotAllowed("Pull Request is still a draft".into()));
    }
    match sha {
        Some(sha) if !sha.eq_ignore_ascii_case(&pull.head_sha) => Err(head_modified()),
        _ => Ok(()),
    }
}

/// Checks that a repository allows a method of merging.
pub fn may_use_method(repository: &repository::Model, method: MergeMethod) -> Outcome<()> {
    let (allowed, message) = match method {
        MergeMethod::Merge => (
            repository.allow_merge_commit,
            "Merge commits are not allowed on this repository.",
        ),
        MergeMethod::Squash => (
            repository.allow_squash_merge,
            "Squash merges are not allowed on this repository.",
        ),
        MergeMethod::Rebase => (
            repository.allow_rebase_merge,
            "Rebase merges are not allowed on this repository.",
        ),
    };
    match allowed {
        true => Ok(()),
        false => Err(Problem::NotAllowed(message.into())),
    }
}

/// 405 for a conflict, or a merged or closed pull request.
pub fn not_mergeable() -> Problem {
    Problem::NotAllowed("Pull Request is not mergeable".into())
}

/// 405 for commits that cannot be rebased.
pub fn not_rebaseable() -> Problem {
    Problem::NotAllowed("This branch can't be rebased".into())
}

/// 405 for a base that moved while the merge was prepared.
pub fn base_modified() -> Problem {
    Problem::NotAllowed("Base branch was modified. Review and try the merge again.".into())
}

/// 409 for a head that differs from the one that the caller expects.
pub fn head_modified() -> Problem {
    Problem::Conflict("Head branch was modified. Review and try the merge again.".into())
}

/// Whether the base can be merged into the branch of a pull request.
pub fn may_be_updated(pull: &pull::Model, expected: Option<&str>) -> Outcome<()> {
    if pull.state != pull::PullState::Open {
        return Err(unprocessable("Pull request is closed."));
    }
    match expected {
        Some(sha) if !sha.eq_ignore_ascii_case(&pull.head_sha) => Err(unexpected_head()),
        _ => Ok(()),
    }
}

/// 422 for a branch with an unexpected head.
pub fn unexpected_head() -> Problem {
    unprocessable("expected head sha didn’t match current head ref.")
}

/// 422 for a branch that is up to date with the base.
pub fn up_to_date() -> Problem {
    unprocessable("There are no new commits on the base branch.")
}

/// 422 for a branch into which the base cannot be merged.
pub fn conflict() -> Problem {
    unprocessable("merge conflict between base and head")
}

fn unprocessable(message: &'static str) -> Problem {
    Problem::Refused(message.into())
}

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
    use contract::shared::state::PullState;

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

    #[test]
    fn a_head_names_a_branch_of_this_owner() {
        assert_eq!(branch_of_head("topic", "acme"), Some("topic"));
        assert_eq!(branch_of_head("ACME:a/b", "acme"), Some("a/b"));
        assert_eq!(branch_of_head("mallory:topic", "acme"), None);
    }

    #[test]
    fn what_is_missing_is_named_field_by_field() {
        assert!(invalid_branches(true, true).is_ok());
        let Err(Problem::Invalid(problems)) = invalid_branches(false, false) else {
            panic!("both are missing");
        };
        let fields: Vec<_> = problems.iter().map(|problem| &problem.field).collect();
        assert_eq!(fields, ["base", "head"]);
    }
}
