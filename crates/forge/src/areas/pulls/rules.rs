//! Pure decisions about pull requests, and the errors.

use crate::access::RepositoryGrant;
use crate::pulls::rules::{PULL, check_title};
use contract::problem::{FieldProblem, Problem};
use contract::pulls::{CreatePull, MergeMethod};
use contract::reply::Outcome;
use storage::entities::{pull, repository};

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

#[cfg(test)]
mod tests {
    use super::*;

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
