//! Repositories: their names, collaborators and descriptions. Their commits are checked in
//! `history.rs`, their pull requests in `pulls.rs`, their issues in `issues.rs`, and the
//! statuses and check runs of their commits in `reports.rs`.

use super::history::{self, KnownBranches};
use super::index::{Index, absent};
use super::unique::distinct_in_any_case;
use super::{issues, names, pulls, reports};
use crate::file::{Repository, World};
use crate::findings::Findings;

pub fn check(world: &World, index: &Index<'_>, findings: &mut Findings) {
    let full_names = || world.repositories.iter().map(|item| &item.full_name);
    names::require(full_names(), "full name", names::full_name, findings);
    distinct_in_any_case("repository", full_names(), findings);
    for repository in &world.repositories {
        names::require(&repository.topics, "topic", names::topic, findings);
        names::require(&repository.license, "license", names::spdx, findings);
        names::require(&repository.mirror_url, "`mirror_url`", names::url, findings);
        let collaborators = repository.collaborators.iter().map(|item| &item.login);
        distinct_in_any_case("collaborator", collaborators, findings);
        internal(repository, index, findings);
        let history = history::check(repository, index, findings);
        default_branch(repository, &history.branches, findings);
        let mut numbers = pulls::check(repository, &history, findings);
        issues::check(repository, &mut numbers, findings);
        reports::check(repository, &history, findings);
    }
}

/// Rejects internal repositories of users: a user has no members who could read it.
fn internal(repository: &Repository, index: &Index<'_>, findings: &mut Findings) {
    let owner = repository.full_name.value.split('/').next();
    if let Some(visibility) = &repository.visibility
        && visibility.value.internal
        && owner.is_some_and(|owner| index.is_user(owner))
    {
        let message = "an internal repository of a user";
        let expected = "`public` or `private`, or an organization as its owner";
        findings.report(visibility.location, message, expected);
    }
}

/// A repository without commits may name the branch that its first push will make.
fn default_branch(repository: &Repository, branches: &KnownBranches<'_>, findings: &mut Findings) {
    names::require(
        &repository.default_branch,
        "branch name",
        names::branch,
        findings,
    );
    if let Some(name) = &repository.default_branch
        && let KnownBranches::Named(branches) = branches
        && !branches.contains(name.value.as_str())
    {
        let expected = "a branch that `refs` names";
        absent(name, "branch", expected, branches.iter().copied(), findings);
    }
}
