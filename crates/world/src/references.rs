//! Every name in a world that refers to something else. A check
//! resolves each of them, and a load fetches all their targets at once.

use std::collections::BTreeSet;

use super::file::{Author, Git, IssueComment, Repository, Token, TokenRepositories, World};
use super::yaml::At;

/// A name that must exist, in the file or in the database.
#[derive(Debug, Clone, Copy)]
pub enum Reference<'w> {
    User(&'w At<String>),
    /// The user of a token, who must be able to sign in.
    TokenUser(&'w At<String>),
    /// A user or an organization.
    Account(&'w At<String>),
    /// The account in the full name of a repository that the file describes.
    Owner(&'w At<String>),
    App(&'w At<String>),
    /// By its full name.
    Repository(&'w At<String>),
    /// A repository of the account, by its name or by its full name.
    RepositoryOf(&'w str, &'w At<String>),
}

use Reference::{Account, App, Owner, RepositoryOf, TokenUser, User};

pub fn references(world: &World) -> Vec<Reference<'_>> {
    let mut references = Vec::new();
    let members = world.organizations.iter().flat_map(|item| &item.members);
    references.extend(members.map(|member| User(&member.login)));
    for repository in &world.repositories {
        in_repository(repository, &mut references);
    }
    for project in &world.projects {
        references.push(Account(&project.owner));
        for item in &project.items {
            references.extend(item.repository.iter().map(Reference::Repository));
            references.extend(item.author.iter().map(User));
        }
    }
    references.extend(world.apps.iter().map(|app| Account(&app.owner)));
    for item in &world.installations {
        references.extend([App(&item.app), Account(&item.account)]);
        references.extend(item.suspended_by.iter().map(User));
        let names = item.repositories.iter().flat_map(|names| &names.value);
        references.extend(names.map(|name| RepositoryOf(&item.account.value, name)));
    }
    for token in &world.tokens {
        in_token(token, &mut references);
    }
    references
}

fn in_repository<'w>(repository: &'w Repository, references: &mut Vec<Reference<'w>>) {
    references.push(Owner(&repository.full_name));
    references.extend(repository.template.iter().map(Reference::Repository));
    let collaborators = repository.collaborators.iter();
    references.extend(collaborators.map(|collaborator| User(&collaborator.login)));
    references.extend(repository.git.iter().flat_map(authors).map(User));
    for issue in &repository.issues {
        references.push(User(&issue.author));
        references.extend(issue.assignees.iter().chain(&issue.closed_by).map(User));
        references.extend(speakers(&issue.conversation));
    }
    for pull in &repository.pulls {
        references.push(User(&pull.author));
        references.extend(pull.assignees.iter().chain(&pull.merged_by).map(User));
        references.extend(pull.reviews.iter().map(|review| User(&review.author)));
        references.extend(speakers(&pull.conversation));
        references.extend(pull.comments.iter().map(|comment| User(&comment.author)));
    }
    let statuses = repository.statuses.iter();
    references.extend(statuses.map(|status| User(&status.creator)));
    let runs = repository.check_runs.iter();
    references.extend(runs.map(|run| App(&run.app)));
}

fn speakers(conversation: &[IssueComment]) -> impl Iterator<Item = Reference<'_>> {
    conversation.iter().map(|comment| User(&comment.author))
}

/// The logins of the authors of commits and tags.
fn authors(git: &Git) -> impl Iterator<Item = &At<String>> {
    let commits = git.commits.iter().flat_map(|commits| &commits.value);
    let authors = commits.filter_map(|commit| commit.author.as_ref());
    let taggers = git.tags.iter().filter_map(|tag| tag.author.as_ref());
    authors.chain(taggers).filter_map(|author| match author {
        Author::Login(login) => Some(login),
        Author::Person(_) => None,
    })
}

fn in_token<'w>(token: &'w Token, references: &mut Vec<Reference<'w>>) {
    references.extend(token.user.iter().map(TokenUser));
    references.extend(token.owner.iter().chain(&token.account).map(Account));
    references.extend(token.app.iter().map(App));
    if let (Some(owner), Some(TokenRepositories::Only(names))) = (&token.owner, &token.repositories)
    {
        references.extend(names.iter().map(|name| RepositoryOf(&owner.value, name)));
    }
}

/// Every name that a world mentions, whether it describes the item or refers to it; in
/// lower case.
#[derive(Debug, Default)]
pub struct Names {
    pub logins: BTreeSet<String>,
    /// Owner and name.
    pub repositories: BTreeSet<(String, String)>,
    pub apps: BTreeSet<String>,
}

impl Names {
    pub fn of(world: &World) -> Self {
        let mut names = Self::default();
        let users = world.users.iter().map(|user| &user.login);
        let organizations = world.organizations.iter().map(|item| &item.login);
        for login in users.chain(organizations) {
            names.logins.insert(login.value.to_lowercase());
        }
        for app in &world.apps {
            names.app(&app.slug.value);
        }
        for reference in references(world) {
            match reference {
                User(login) | TokenUser(login) | Account(login) => {
                    names.logins.insert(login.value.to_lowercase());
                }
                App(slug) => names.app(&slug.value),
                Owner(full_name) | Reference::Repository(full_name) => {
                    names.repository(&full_name.value);
                }
                RepositoryOf(owner, name) => names.repository(&full_name(owner, &name.value)),
            }
        }
        names
    }

    fn app(&mut self, slug: &str) {
        self.apps.insert(slug.to_owned());
        self.logins.insert(bot_login(slug).to_lowercase());
    }

    fn repository(&mut self, full_name: &str) {
        if let Some((owner, name)) = full_name.to_lowercase().split_once('/') {
            self.logins.insert(owner.to_owned());
            self.repositories
                .insert((owner.to_owned(), name.to_owned()));
        }
    }
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
