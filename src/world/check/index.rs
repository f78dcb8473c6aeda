//! What the file and the database have, by name, and the findings about names that
//! neither has. Logins and full names are compared without regard to case, as the
//! API compares them.
//! The rule that surprises: where the name of one item could not be read, nothing is
//! missing any more, because every reference may mean that item.

use std::collections::{HashMap, HashSet};

use super::{AccountKind, Known};
use crate::world::file::World;
use crate::world::findings::{Finding, Findings, quoted};
use crate::world::node::At;

/// The name of an item whose name could not be read.
pub const UNREAD: &str = "";

pub struct Index<'a> {
    known: &'a dyn Known,
    accounts: HashMap<String, AccountKind>,
    repositories: HashSet<String>,
    apps: HashSet<&'a str>,
    installations: HashSet<(&'a str, String)>,
    world: &'a World,
}

impl<'a> Index<'a> {
    pub fn of(world: &'a World, known: &'a dyn Known) -> Self {
        let organizations = world
            .organizations
            .iter()
            .map(|item| (item.login.value.to_lowercase(), AccountKind::Organization));
        let users = world
            .users
            .iter()
            .map(|item| (item.login.value.to_lowercase(), AccountKind::User));
        Self {
            known,
            accounts: organizations.chain(users).collect(),
            repositories: world
                .repositories
                .iter()
                .map(|item| item.full_name.value.to_lowercase())
                .collect(),
            apps: world
                .apps
                .iter()
                .map(|app| app.slug.value.as_str())
                .collect(),
            installations: world
                .installations
                .iter()
                .map(|item| (item.app.value.as_str(), item.account.value.to_lowercase()))
                .collect(),
            world,
        }
    }

    /// Whether the database has a repository.
    pub fn is_stored(&self, full_name: &str) -> bool {
        self.known.repository(full_name)
    }

    /// What the database alone has under a login.
    pub fn stored_account(&self, login: &str) -> Option<AccountKind> {
        self.known.account(login)
    }

    pub fn user(&self, login: &At<String>, findings: &mut Findings) {
        match self.account_kind(&login.value) {
            Some(AccountKind::User) => {}
            Some(AccountKind::Organization) => {
                let wrong = format!("{} is an organization", quoted(&login.value));
                findings.push(Finding::at(login.place, wrong).expected("the login of a user"));
            }
            None if self.accounts.contains_key(UNREAD) => {}
            None => {
                let users = self.world.users.iter().map(|user| &*user.login.value);
                absent(login, "user", "the login of a user", users, findings);
            }
        }
    }

    /// Nobody can sign in as a mannequin.
    pub fn not_mannequin(&self, login: &At<String>, findings: &mut Findings) {
        let mannequin = self.world.users.iter().any(|user| {
            user.mannequin == Some(true) && user.login.value.eq_ignore_ascii_case(&login.value)
        });
        if mannequin {
            let wrong = format!("{} is a mannequin", quoted(&login.value));
            findings.push(Finding::at(login.place, wrong).expected("a user who can sign in"));
        }
    }

    pub fn is_user(&self, login: &str) -> bool {
        self.account_kind(login) == Some(AccountKind::User)
    }

    pub fn account(&self, login: &At<String>, findings: &mut Findings) {
        let missing = self.account_kind(&login.value).is_none();
        if missing && !self.accounts.contains_key(UNREAD) {
            let users = self.world.users.iter().map(|user| &*user.login.value);
            let organizations = self.world.organizations.iter().map(|org| &*org.login.value);
            let expected = "the login of a user or of an organization";
            absent(
                login,
                "account",
                expected,
                users.chain(organizations),
                findings,
            );
        }
    }

    pub fn app(&self, slug: &At<String>, findings: &mut Findings) {
        let missing = !self.apps.contains(slug.value.as_str()) && !self.known.app(&slug.value);
        if missing && !self.apps.contains(UNREAD) {
            let slugs = self.apps.iter().copied();
            absent(slug, "app", "the slug of an app", slugs, findings);
        }
    }

    pub fn installation(&self, app: &At<String>, account: &At<String>, findings: &mut Findings) {
        let pair = (app.value.as_str(), account.value.to_lowercase());
        if self.installations.contains(&pair) || self.known.installation(&app.value, &account.value)
        {
            return;
        }
        let app = quoted(&app.value);
        let wrong = format!(
            "the app {app} is not installed on {}",
            quoted(&account.value)
        );
        findings.push(
            Finding::at(account.place, wrong)
                .expected(format!("an account with an installation of {app}")),
        );
    }

    pub fn repository(&self, full_name: &At<String>, findings: &mut Findings) {
        if !self.has_repository(&full_name.value) {
            let names = self
                .world
                .repositories
                .iter()
                .map(|item| &*item.full_name.value);
            let expected = "the full name of a repository";
            absent(full_name, "repository", expected, names, findings);
        }
    }

    /// A repository of `owner`, by its name alone or by its full name.
    pub fn repository_of(&self, owner: &str, name: &At<String>, findings: &mut Findings) {
        let expected = format!("the name of a repository of {}", quoted(owner));
        if let Some((other, _)) = name.value.split_once('/')
            && !other.eq_ignore_ascii_case(owner)
        {
            let wrong = format!("{} belongs to {}", quoted(&name.value), quoted(other));
            findings.push(Finding::at(name.place, wrong).expected(expected));
            return;
        }
        let bare = name.value.rsplit('/').next().unwrap_or_default();
        if self.has_repository(&format!("{owner}/{bare}")) {
            return;
        }
        let names = self.world.repositories.iter().filter_map(|item| {
            let (other, name) = item.full_name.value.split_once('/')?;
            other.eq_ignore_ascii_case(owner).then_some(name)
        });
        absent(name, "repository", &expected, names, findings);
    }

    fn account_kind(&self, login: &str) -> Option<AccountKind> {
        self.accounts
            .get(&login.to_lowercase())
            .copied()
            .or_else(|| self.known.account(login))
    }

    fn has_repository(&self, full_name: &str) -> bool {
        self.repositories.contains(&full_name.to_lowercase())
            || self.repositories.contains(UNREAD)
            || self.known.repository(full_name)
    }
}

/// Reports a name that refers to nothing.
pub fn absent<'b>(
    name: &At<String>,
    what: &str,
    expected: &str,
    candidates: impl IntoIterator<Item = &'b str>,
    findings: &mut Findings,
) {
    let nearest = findings.nearest(&name.value, candidates);
    findings.push(
        Finding::at(name.place, format!("no {what} {}", quoted(&name.value)))
            .expected(expected)
            .nearest(nearest),
    );
}
