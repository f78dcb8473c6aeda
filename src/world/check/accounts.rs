//! Users, organizations with their members and issue fields, and projects.

use super::index::Index;
use super::unique::Unique;
use super::{AccountKind, BodyRule, BodyRules, names};
use crate::world::body::Body;
use crate::world::file::{Organization, World};
use crate::world::findings::{Finding, Findings, quoted};
use crate::world::node::At;

pub fn check(world: &World, index: &Index<'_>, rules: &BodyRules, findings: &mut Findings) {
    logins(world, index, findings);
    full_names(world, findings);
    for organization in &world.organizations {
        members(organization, index, findings);
        let bodies = organization.issue_fields.iter().map(|field| &field.body);
        fields(bodies, rules.issue_field, findings);
    }
    let mut numbers = Unique::new("project");
    for project in &world.projects {
        index.account(&project.owner, findings);
        names::require(&project.title, "title", names::title, findings);
        let number = project.number.value.0;
        let key = (project.owner.value.to_lowercase(), number);
        let shown = format!("{}#{number}", project.owner.value);
        numbers.claim(key, &shown, project.number.place, findings);
        let bodies = project.fields.iter().map(|field| &field.body);
        // Spec, Project fields: only an organization's can come from an issue field.
        let rule = match index.is_user(&project.owner.value) {
            true => rules.user_project_field,
            false => rules.organization_project_field,
        };
        fields(bodies, rule, findings);
    }
}

fn full_names(world: &World, findings: &mut Findings) {
    let users = world.users.iter().filter_map(|item| item.name.as_ref());
    let organizations = &world.organizations;
    let organizations = organizations.iter().filter_map(|item| item.name.as_ref());
    for name in users.chain(organizations) {
        names::require(name, "name", names::title, findings);
    }
}

fn logins(world: &World, index: &Index<'_>, findings: &mut Findings) {
    let mut taken = Unique::new("login");
    let users = world
        .users
        .iter()
        .map(|user| (&user.login, AccountKind::User));
    let organizations = world
        .organizations
        .iter()
        .map(|organization| (&organization.login, AccountKind::Organization));
    // In the order of the file, so that the later one is the duplicate.
    let mut accounts: Vec<(&At<String>, AccountKind)> = users.chain(organizations).collect();
    accounts.sort_by_key(|(login, _)| login.place);
    for (login, kind) in accounts {
        names::require(login, "login", names::login, findings);
        taken.claim(
            login.value.to_lowercase(),
            &login.value,
            login.place,
            findings,
        );
        let stored = index.stored_account(&login.value);
        if let Some(stored) = stored.filter(|stored| *stored != kind) {
            let wrong = format!("the login {} is taken", quoted(&login.value));
            findings.push(
                Finding::at(login.place, wrong)
                    .expected(format!("a login for {}", a(kind)))
                    .found(format!("{} of that login in the database", a(stored))),
            );
        }
    }
}

fn a(kind: AccountKind) -> &'static str {
    match kind {
        AccountKind::User => "a user",
        AccountKind::Organization => "an organization",
    }
}

fn members(organization: &Organization, index: &Index<'_>, findings: &mut Findings) {
    let mut taken = Unique::new("member");
    for member in &organization.members {
        let login = &member.login;
        index.user(login, findings);
        taken.claim(
            login.value.to_lowercase(),
            &login.value,
            login.place,
            findings,
        );
    }
}

fn fields<'a>(bodies: impl Iterator<Item = &'a Body>, rule: BodyRule, findings: &mut Findings) {
    let mut taken = Unique::new("field");
    for body in bodies {
        for complaint in rule(&body.value) {
            body.complain(&complaint, findings);
        }
        if let Some(name) = body.text("name") {
            taken.claim(name.value.to_lowercase(), name.value, name.place, findings);
        }
    }
}
