//! The items of the file and the database, by name, and the findings about names that neither
//! has. Logins and full names are compared case-insensitively, as in the API.
//! Note: if the name of one item could not be read, no name is reported as missing, because
//! every reference may mean that item.

use std::collections::{HashMap, HashSet};

use crate::file::World;
use crate::findings::{Finding, Findings, quoted};
use crate::references::{Reference, full_name};
use crate::stored::StoredRows;
use crate::yaml::At;
use storage::entities::account::AccountKind;

/// The name of an item whose name could not be read.
pub const UNREAD: &str = "";

pub struct Index<'a> {
    stored: &'a StoredRows,
    world: &'a World,
    accounts: HashMap<String, AccountKind>,
    repositories: HashSet<String>,
    apps: HashSet<&'a str>,
    installations: HashSet<(&'a str, String)>,
}

impl<'a> Index<'a> {
    pub fn of(world: &'a World, stored: &'a StoredRows) -> Self {
        let organizations = world.organizations.iter();
        let organizations = organizations.map(|item| (&item.login, AccountKind::Organization));
        let users = world
            .users
            .iter()
            .map(|item| (&item.login, AccountKind::User));
        let accounts = organizations.chain(users);
        let repositories = world.repositories.iter();
        let apps = world.apps.iter();
        let installations = world.installations.iter();
        Self {
            stored,
            world,
            accounts: accounts
                .map(|(login, kind)| (login.value.to_lowercase(), kind))
                .collect(),
            repositories: repositories
                .map(|item| item.full_name.value.to_lowercase())
                .collect(),
            apps: apps.map(|app| app.slug.value.as_str()).collect(),
            installations: installations
                .map(|item| (item.app.value.as_str(), item.account.value.to_lowercase()))
                .collect(),
        }
    }

    /// Whether the database has a repository.
    pub fn is_stored(&self, full_name: &str) -> bool {
        self.stored.repository(full_name).is_some()
    }

    /// The kind of account that the database has under a login. A file cannot name bots.
    pub fn stored_account(&self, login: &str) -> Option<AccountKind> {
        let account = self.stored.account(login)?;
        Some(account.kind).filter(|kind| *kind != AccountKind::Bot)
    }

    pub fn is_user(&self, login: &str) -> bool {
        self.account_kind(login) == Some(AccountKind::User)
    }

    fn account_kind(&self, login: &str) -> Option<AccountKind> {
        let in_file = self.accounts.get(&login.to_lowercase()).copied();
        in_file.or_else(|| self.stored_account(login))
    }

    fn has_app(&self, slug: &str) -> bool {
        self.apps.contains(slug) || self.apps.contains(UNREAD) || self.stored.app(slug).is_some()
    }

    fn has_repository(&self, full_name: &str) -> bool {
        self.repositories.contains(&full_name.to_lowercase())
            || self.repositories.contains(UNREAD)
            || self.is_stored(full_name)
    }

    /// Reports a reference to a missing item.
    pub fn resolve(&self, reference: Reference<'_>, findings: &mut Findings) {
        match reference {
            Reference::User(login) => self.user(login, findings),
            Reference::TokenUser(login) => {
                self.user(login, findings);
                self.not_mannequin(login, findings);
            }
            Reference::Account(login) => self.account(login, findings),
            Reference::Owner(full_name) => {
                if let Some((owner, _)) = full_name.value.split_once('/') {
                    let owner = At {
                        location: full_name.location,
                        value: owner.to_owned(),
                    };
                    self.account(&owner, findings);
                }
            }
            Reference::App(slug) if !self.has_app(&slug.value) => {
                let slugs = self.apps.iter().copied();
                absent(slug, "app", "the slug of an app", slugs, findings);
            }
            Reference::Repository(name) if !self.has_repository(&name.value) => {
                let names = self.world.repositories.iter();
                let names = names.map(|item| &*item.full_name.value);
                let expected = "the full name of a repository";
                absent(name, "repository", expected, names, findings);
            }
            Reference::RepositoryOf(owner, name) => self.repository_of(owner, name, findings),
            Reference::App(_) | Reference::Repository(_) => {}
        }
    }

    fn user(&self, login: &At<String>, findings: &mut Findings) {
        match self.account_kind(&login.value) {
            Some(AccountKind::Organization) => {
                let message = format!("{} is an organization", quoted(&login.value));
                findings.report(login.location, message, "the login of a user");
            }
            None if !self.accounts.contains_key(UNREAD) => {
                let users = self.world.users.iter().map(|user| &*user.login.value);
                absent(login, "user", "the login of a user", users, findings);
            }
            _ => {}
        }
    }

    /// Rejects mannequins, which cannot sign in.
    fn not_mannequin(&self, login: &At<String>, findings: &mut Findings) {
        let mut users = self.world.users.iter();
        let mannequin = users.any(|user| {
            user.mannequin == Some(true) && user.login.value.eq_ignore_ascii_case(&login.value)
        });
        if mannequin {
            let message = format!("{} is a mannequin", quoted(&login.value));
            findings.report(login.location, message, "a user who can sign in");
        }
    }

    fn account(&self, login: &At<String>, findings: &mut Findings) {
        let missing = self.account_kind(&login.value).is_none();
        if missing && !self.accounts.contains_key(UNREAD) {
            let users = self.world.users.iter().map(|user| &*user.login.value);
            let organizations = self.world.organizations.iter().map(|org| &*org.login.value);
            let logins = users.chain(organizations);
            let expected = "the login of a user or of an organization";
            absent(login, "account", expected, logins, findings);
        }
    }

    /// A repository of `owner`, by its name alone or by its full name.
    fn repository_of(&self, owner: &str, name: &At<String>, findings: &mut Findings) {
        let expected = format!("the name of a repository of {}", quoted(owner));
        if let Some((other, _)) = name.value.split_once('/')
            && !other.eq_ignore_ascii_case(owner)
        {
            let message = format!("{} belongs to {}", quoted(&name.value), quoted(other));
            findings.report(name.location, message, expected);
        } else if !self.has_repository(&full_name(owner, &name.value)) {
            let names = self.world.repositories.iter().filter_map(|item| {
                let (other, name) = item.full_name.value.split_once('/')?;
                other.eq_ignore_ascii_case(owner).then_some(name)
            });
            absent(name, "repository", &expected, names, findings);
        }
    }

    /// Reports an app that is not installed on an account, if both exist.
    pub fn installation(&self, app: &At<String>, account: &At<String>, findings: &mut Findings) {
        let pair = (app.value.as_str(), account.value.to_lowercase());
        let both_exist = self.has_app(&app.value) && self.account_kind(&account.value).is_some();
        let installed = self.installations.contains(&pair)
            || self
                .stored
                .installation(&app.value, &account.value)
                .is_some();
        if both_exist && !installed {
            let (app, on) = (quoted(&app.value), quoted(&account.value));
            findings.push(
                Finding::at(
                    account.location,
                    format!("the app {app} is not installed on {on}"),
                )
                .expected(format!("an account with an installation of {app}")),
            );
        }
    }
}

/// Reports a name that does not exist.
pub fn absent<'b>(
    name: &At<String>,
    kind: &str,
    expected: &str,
    candidates: impl IntoIterator<Item = &'b str>,
    findings: &mut Findings,
) {
    let nearest = findings.nearest(&name.value, candidates);
    findings.push(
        Finding::at(name.location, format!("no {kind} {}", quoted(&name.value)))
            .expected(expected)
            .nearest(nearest),
    );
}
