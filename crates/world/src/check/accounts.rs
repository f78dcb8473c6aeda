//! Users, organizations with their members and issue fields, and projects.

use super::index::Index;
use super::unique::{Unique, distinct_in_any_case};
use super::{items, names};
use crate::body::RequestBody;
use crate::file::World;
use crate::findings::{Finding, Findings, quoted};
use crate::yaml::At;
use storage::entities::account::AccountKind;

pub fn check(world: &World, index: &Index<'_>, findings: &mut Findings) {
    logins(world, index, findings);
    for user in &world.users {
        names::require(&user.name, "name", names::title, findings);
    }
    for organization in &world.organizations {
        names::require(&organization.name, "name", names::title, findings);
        let members = organization.members.iter().map(|member| &member.login);
        distinct_in_any_case("member", members, findings);
        let fields = organization.issue_fields.iter();
        fields_of(fields.map(|field| &field.request), findings);
        for field in &organization.issue_fields {
            field.request.check(field.request.issue_field(), findings);
        }
    }
    let mut numbers = Unique::new("project");
    for project in &world.projects {
        names::require([&project.title], "title", names::title, findings);
        let number = project.number.value.0;
        let key = (project.owner.value.to_lowercase(), number);
        let display = format!("{}#{number}", project.owner.value);
        numbers.claim(key, &display, project.number.location, findings);
        fields_of(project.fields.iter().map(|field| &field.request), findings);
        let of_user = index.is_user(&project.owner.value);
        for field in &project.fields {
            let outcome = field.request.project_field(of_user);
            field.request.check(outcome, findings);
        }
        items::check(project, findings);
    }
}

/// The names of the fields of one organization or project.
fn fields_of<'a>(requests: impl Iterator<Item = &'a RequestBody>, findings: &mut Findings) {
    let mut names_in_use = Unique::new("field");
    for name in requests.filter_map(|request| request.text("name")) {
        let key = name.value.to_lowercase();
        names_in_use.claim(key, name.value, name.location, findings);
    }
}

fn logins(world: &World, index: &Index<'_>, findings: &mut Findings) {
    let users = world
        .users
        .iter()
        .map(|item| (&item.login, AccountKind::User));
    let organizations = world.organizations.iter();
    let organizations = organizations.map(|item| (&item.login, AccountKind::Organization));
    // In the order of the file, so that the later one is the duplicate.
    let mut accounts: Vec<(&At<String>, AccountKind)> = users.chain(organizations).collect();
    accounts.sort_by_key(|(login, _)| login.location);
    let logins = || accounts.iter().map(|(login, _)| *login);
    distinct_in_any_case("login", logins(), findings);
    names::require(logins(), "login", names::login, findings);
    for (login, kind) in &accounts {
        let stored = index.stored_account(&login.value);
        if let Some(stored) = stored.filter(|stored| stored != kind) {
            let message = format!("the login {} is taken", quoted(&login.value));
            findings.push(
                Finding::at(login.location, message)
                    .expected(format!("a login for {}", a(*kind)))
                    .found(format!("{} with that login in the database", a(stored))),
            );
        }
    }
}

fn a(kind: AccountKind) -> &'static str {
    match kind {
        AccountKind::Organization => "an organization",
        _ => "a user",
    }
}
