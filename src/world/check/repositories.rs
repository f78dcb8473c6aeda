//! Repositories: their names, owners, collaborators, and what they say of themselves.
//! Their commits are checked in `history.rs`, their pull requests in `pulls.rs`.

use super::history::{self, Branches};
use super::index::{Index, absent};
use super::unique::Unique;
use super::{BodyRules, names, pulls};
use crate::world::file::{Repository, RepositoryVisibility, World};
use crate::world::findings::{Finding, Findings};
use crate::world::node::At;

pub fn check(world: &World, index: &Index<'_>, rules: &BodyRules, findings: &mut Findings) {
    let mut taken = Unique::new("repository");
    for repository in &world.repositories {
        let name = &repository.full_name;
        names::require(name, "full name", names::full_name, findings);
        taken.claim(name.value.to_lowercase(), &name.value, name.place, findings);
        if let Some((owner, _)) = name.value.split_once('/') {
            let owner = At {
                place: name.place,
                value: owner.to_owned(),
            };
            index.account(&owner, findings);
            internal(repository, index.is_user(&owner.value), findings);
        }
        description(repository, index, findings);
        collaborators(repository, index, findings);
        let history = history::check(repository, index, findings);
        default_branch(repository, &history.branches, findings);
        pulls::check(repository, &history, index, rules, findings);
    }
}

/// Who could read it, if nobody is a member of its owner?
fn internal(repository: &Repository, of_user: bool, findings: &mut Findings) {
    if let Some(visibility) = &repository.visibility
        && visibility.value == RepositoryVisibility::Internal
        && of_user
    {
        findings.push(
            Finding::at(visibility.place, "an internal repository of a user")
                .expected("`public` or `private`, or an organization as its owner"),
        );
    }
}

fn description(repository: &Repository, index: &Index<'_>, findings: &mut Findings) {
    for topic in &repository.topics {
        names::require(topic, "topic", names::topic, findings);
    }
    if let Some(license) = &repository.license {
        names::require(license, "license", names::spdx, findings);
    }
    if let Some(url) = &repository.mirror_url {
        names::require(url, "`mirror_url`", names::url, findings);
    }
    if let Some(template) = &repository.template {
        index.repository(template, findings);
    }
}

fn collaborators(repository: &Repository, index: &Index<'_>, findings: &mut Findings) {
    let mut taken = Unique::new("collaborator");
    for collaborator in &repository.collaborators {
        let login = &collaborator.login;
        index.user(login, findings);
        taken.claim(
            login.value.to_lowercase(),
            &login.value,
            login.place,
            findings,
        );
    }
}

/// A repository without commits may name the branch that its first push will make.
fn default_branch(repository: &Repository, branches: &Branches<'_>, findings: &mut Findings) {
    let Some(name) = &repository.default_branch else {
        return;
    };
    names::require(name, "branch name", names::branch, findings);
    if let Branches::Named(branches) = branches
        && !branches.contains(name.value.as_str())
    {
        let expected = "a branch that `refs` names";
        absent(name, "branch", expected, branches.iter().copied(), findings);
    }
}
