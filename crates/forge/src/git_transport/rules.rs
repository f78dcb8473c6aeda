//! Errors for Git clients, and the references that a push may change. The messages are those of
//! Git and GitHub.

use super::Service;
use crate::access::SUSPENDED;
use crate::git_refs::pull_heads;
use crate::git_refs::rules::RefUpdateOutcome;
use contract::call::Call;
use contract::caller::Caller;
use contract::problem::Problem;
use contract::reply::Outcome;
use contract::shared::address::RepoAddress;
use git::Sha;
use git::refs::{RefName, branch_of};
use git::transport::push::{NOTHING, RefCommand};
use storage::entities::git_object::ObjectKind;
use storage::entities::repository;

/// The error for a caller who may see a repository but not use the service.
pub fn access_error(problem: Problem, service: Service, call: &Call, at: &RepoAddress) -> Problem {
    match (problem, service) {
        (problem @ Problem::Forbidden(_), _) if problem.message() == SUSPENDED.message() => problem,
        (Problem::Forbidden(_), Service::UploadPack) => {
            Problem::Forbidden("Write access to repository not granted.".into())
        }
        (Problem::Forbidden(_), Service::ReceivePack) => {
            let (owner, repo, name) = (&at.owner, &at.repo, name_of(&call.caller));
            let message = format!("Permission to {owner}/{repo}.git denied to {name}.");
            Problem::Forbidden(message.into())
        }
        (problem, _) => problem,
    }
}

fn name_of(caller: &Caller) -> String {
    match caller {
        Caller::Installation { app_slug, .. } => format!("{app_slug}[bot]"),
        caller => caller.name().to_owned(),
    }
}

/// 403 for a push to a repository that was archived or disabled.
pub fn may_be_pushed_to(repository: &repository::Model) -> Outcome<()> {
    let reason = match (repository.archived, repository.disabled) {
        (true, _) => "This repository was archived so it is read-only.",
        (false, true) => "Access to this repository has been disabled.",
        (false, false) => return Ok(()),
    };
    Err(Problem::Forbidden(reason.into()))
}

/// A name that a push may change, or the reason why not.
pub fn pushed_name(name: &[u8]) -> Result<RefName, &'static str> {
    let name = std::str::from_utf8(name).map_err(|_| "funny refname")?;
    let name = RefName::parse(name).map_err(|_| "funny refname")?;
    match pull_heads::is_reserved(name.as_str()) {
        true => Err("deny updating a hidden ref"),
        false => Ok(name),
    }
}

/// A branch must name a commit.
pub fn check_kind(name: &RefName, sha: Sha, kind: ObjectKind) -> Result<(), String> {
    match name.branch() {
        Some(_) if kind != ObjectKind::Commit => Err(format!(
            "cannot update ref '{name}': trying to write non-commit object {sha} to branch \
             '{name}'"
        )),
        _ => Ok(()),
    }
}

/// The default branch cannot be deleted.
pub fn check_deletion(name: &RefName, default_branch: &str) -> Result<(), String> {
    match name.branch() == Some(default_branch) {
        true => Err(format!("refusing to delete the current branch: {name}")),
        false => Ok(()),
    }
}

/// A reference must have the old value that the client expects.
pub fn check_old(command: &RefCommand, name: &RefName, at: Option<Sha>) -> Result<(), String> {
    let expected = Some(command.old).filter(|old| *old != NOTHING);
    match (expected, at) {
        (None, Some(_)) => Err(format!(
            "cannot lock ref '{name}': reference already exists"
        )),
        (Some(_), None) => Err(format!(
            "cannot lock ref '{name}': unable to resolve reference '{name}'"
        )),
        (Some(old), Some(at)) if old != at => Err(format!(
            "cannot lock ref '{name}': is at {at} but expected {old}"
        )),
        _ => Ok(()),
    }
}

/// Why a change was not applied.
pub fn not_applied(applied: RefUpdateOutcome) -> Option<&'static str> {
    match applied {
        RefUpdateOutcome::Done => None,
        RefUpdateOutcome::Taken => Some("reference already exists"),
        RefUpdateOutcome::Blocked => Some("directory file conflict"),
        RefUpdateOutcome::Overtaken => Some("failed to update ref"),
    }
}

/// The error for changes of workflow files without the permission.
pub fn no_workflows(caller: &Caller) -> String {
    let (client, requirement) = match caller {
        Caller::OAuth { .. } => ("an OAuth App", "`workflow` scope"),
        Caller::Installation { .. } | Caller::AppUser { .. } | Caller::App { .. } => {
            ("a GitHub App", "`workflows` permission")
        }
        _ => ("a Personal Access Token", "`workflow` scope"),
    };
    format!("refusing to allow {client} to create or update workflow files without {requirement}")
}

/// The first pushed branch becomes the default of a repository without branches, unless the
/// default is among those that are pushed.
pub fn new_default<'a>(names: &[&'a str], default_branch: &str) -> Option<&'a str> {
    let mut branches = names.iter().filter_map(|name| branch_of(name));
    match branches.clone().any(|branch| branch == default_branch) {
        true => None,
        false => branches.next(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> RefName {
        RefName::parse(text).unwrap()
    }

    #[test]
    fn names_are_those_of_git_and_none_of_ours() {
        for funny in [
            &b"HEAD"[..],
            b"refs/heads/a..b",
            b"refs/heads/\xff",
            b"",
            b"refs/heads",
        ] {
            assert_eq!(pushed_name(funny), Err("funny refname"));
        }
        let hidden = pushed_name(b"refs/pull/1/head");
        assert_eq!(hidden, Err("deny updating a hidden ref"));
        assert!(pushed_name(b"refs/heads/a").is_ok());
        assert!(pushed_name(b"refs/pulls/a").is_ok());
    }

    #[test]
    fn a_reference_must_be_where_it_is_believed_to_be() {
        let sha = Sha::EMPTY_TREE;
        let command = |old| RefCommand {
            old,
            new: sha,
            name: b"refs/heads/a".to_vec(),
        };
        let check = |old, at| check_old(&command(old), &name("refs/heads/a"), at);
        assert_eq!(check(NOTHING, None), Ok(()));
        assert_eq!(check(sha, Some(sha)), Ok(()));
        assert!(
            check(NOTHING, Some(sha))
                .unwrap_err()
                .contains("already exists")
        );
        assert!(check(sha, None).unwrap_err().contains("unable to resolve"));
        let other = Sha::from_bytes([1; 20]);
        assert!(
            check(sha, Some(other))
                .unwrap_err()
                .contains("but expected")
        );
    }

    #[test]
    fn the_first_branch_becomes_the_default_unless_that_is_pushed() {
        let new = |names: &[&'static str]| new_default(names, "main");
        assert_eq!(
            new(&["refs/tags/v1", "refs/heads/b", "refs/heads/a"]),
            Some("b")
        );
        assert_eq!(new(&["refs/heads/b", "refs/heads/main"]), None);
        assert_eq!(new(&["refs/tags/v1"]), None);
    }

    #[test]
    fn branches_name_commits_and_the_default_stays() {
        assert!(check_kind(&name("refs/heads/a"), Sha::EMPTY_TREE, ObjectKind::Tree).is_err());
        assert!(check_kind(&name("refs/tags/a"), Sha::EMPTY_TREE, ObjectKind::Tree).is_ok());
        assert!(check_deletion(&name("refs/heads/main"), "main").is_err());
        assert!(check_deletion(&name("refs/tags/main"), "main").is_ok());
    }
}
