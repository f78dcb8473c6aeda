//! Every name that a world mentions, whether it describes the thing or refers to it.

use std::collections::BTreeSet;

use crate::world::file::{Author, Git, Pull, Repository, Token, TokenRepositories, World};
use crate::world::node::At;

/// Names in lower case.
#[derive(Debug, Default)]
pub struct Named {
    pub logins: BTreeSet<String>,
    /// Owner and name.
    pub repositories: BTreeSet<(String, String)>,
    pub apps: BTreeSet<String>,
}

/// The login of the account that acts for an app.
pub fn bot_login(slug: &str) -> String {
    format!("{slug}[bot]")
}

/// A repository of `owner`, which a list names with or without it.
pub fn full_name(owner: &str, name: &str) -> String {
    match name.contains('/') {
        true => name.to_owned(),
        false => format!("{owner}/{name}"),
    }
}

impl Named {
    pub fn by(world: &World) -> Self {
        let mut named = Self::default();
        for user in &world.users {
            named.login(&user.login);
        }
        for organization in &world.organizations {
            named.login(&organization.login);
            for member in &organization.members {
                named.login(&member.login);
            }
        }
        for repository in &world.repositories {
            named.in_repository(repository);
        }
        for project in &world.projects {
            named.login(&project.owner);
        }
        for app in &world.apps {
            named.app(&app.slug);
            named.login(&app.owner);
        }
        for installation in &world.installations {
            named.app(&installation.app);
            named.login(&installation.account);
            installation
                .suspended_by
                .iter()
                .for_each(|by| named.login(by));
            let names = installation
                .repositories
                .iter()
                .flat_map(|names| &names.value);
            named.list(&installation.account.value, names);
        }
        for token in &world.tokens {
            named.in_token(token);
        }
        named
    }

    fn in_repository(&mut self, repository: &Repository) {
        self.repository(&repository.full_name.value);
        if let Some(template) = &repository.template {
            self.repository(&template.value);
        }
        for collaborator in &repository.collaborators {
            self.login(&collaborator.login);
        }
        if let Some(git) = &repository.git {
            self.in_history(git);
        }
        for pull in &repository.pulls {
            self.in_pull(pull);
        }
    }

    fn in_history(&mut self, git: &Git) {
        let commits = git.commits.iter().flat_map(|commits| &commits.value);
        let authors = commits.filter_map(|commit| commit.author.as_ref());
        let taggers = git.tags.iter().filter_map(|tag| tag.author.as_ref());
        for author in authors.chain(taggers) {
            if let Author::Login(login) = author {
                self.login(login);
            }
        }
    }

    fn in_pull(&mut self, pull: &Pull) {
        self.login(&pull.author);
        for comment in &pull.comments {
            self.login(&comment.author);
        }
    }

    fn in_token(&mut self, token: &Token) {
        match token {
            Token::Classic(token) => self.login(&token.user),
            Token::Oauth(token) => self.login(&token.user),
            Token::FineGrained(token) => {
                self.login(&token.user);
                self.login(&token.owner);
                if let TokenRepositories::Only(names) = &token.repositories {
                    self.list(&token.owner.value, names.iter());
                }
            }
            Token::AppUser(token) => {
                self.login(&token.user);
                self.app(&token.app);
            }
            Token::Installation(token) => {
                self.app(&token.app);
                self.login(&token.account);
            }
        }
    }

    fn login(&mut self, login: &At<String>) {
        self.logins.insert(login.value.to_lowercase());
    }

    fn app(&mut self, slug: &At<String>) {
        self.apps.insert(slug.value.clone());
        self.logins.insert(bot_login(&slug.value).to_lowercase());
    }

    fn repository(&mut self, full_name: &str) {
        if let Some((owner, name)) = full_name.to_lowercase().split_once('/') {
            self.logins.insert(owner.to_owned());
            self.repositories
                .insert((owner.to_owned(), name.to_owned()));
        }
    }

    fn list<'n>(&mut self, owner: &str, names: impl Iterator<Item = &'n At<String>>) {
        for name in names {
            self.repository(&full_name(owner, &name.value));
        }
    }
}
