//! That an id which the file fixes belongs to one item of its kind. Users and
//! organizations are one kind: both are accounts.

use super::unique::Unique;
use crate::world::file::{Token, World};
use crate::world::findings::Findings;
use crate::world::node::At;
use crate::world::scalar::Positive;

pub fn check(world: &World, findings: &mut Findings) {
    let accounts = world.users.iter().map(|item| item.id.as_ref());
    let organizations = world.organizations.iter().map(|item| item.id.as_ref());
    distinct("account id", accounts.chain(organizations), findings);
    let fields = world.organizations.iter().flat_map(|org| &org.issue_fields);
    distinct(
        "issue field id",
        fields.map(|item| item.id.as_ref()),
        findings,
    );

    let repositories = world.repositories.iter().map(|item| item.id.as_ref());
    distinct("repository id", repositories, findings);
    let pulls = || world.repositories.iter().flat_map(|item| &item.pulls);
    distinct(
        "pull request id",
        pulls().map(|item| item.id.as_ref()),
        findings,
    );
    let comments = pulls().flat_map(|pull| &pull.comments);
    distinct(
        "comment id",
        comments.map(|item| item.id.as_ref()),
        findings,
    );

    let projects = world.projects.iter().map(|item| item.id.as_ref());
    distinct("project id", projects, findings);
    let fields = world.projects.iter().flat_map(|project| &project.fields);
    distinct(
        "project field id",
        fields.map(|item| item.id.as_ref()),
        findings,
    );

    let apps = world.apps.iter().map(|item| item.id.as_ref());
    distinct("app id", apps, findings);
    let installations = world.installations.iter().map(|item| item.id.as_ref());
    distinct("installation id", installations, findings);
    distinct("token id", world.tokens.iter().map(Token::id), findings);
}

fn distinct<'a>(
    what: &'static str,
    ids: impl Iterator<Item = Option<&'a At<Positive>>>,
    findings: &mut Findings,
) {
    let mut taken = Unique::new(what);
    for id in ids.flatten() {
        taken.claim(id.value, &id.value.0.to_string(), id.place, findings);
    }
}
