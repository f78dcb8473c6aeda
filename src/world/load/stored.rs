//! What the database has of the things that a file names: fetched at once, with a
//! few queries however long the file is, and kept up to date while it is written.
//! Logins, names and slugs are compared in lower case.

mod named;

use std::collections::{BTreeSet, HashMap};

use sea_orm::{ConnectionTrait, DbErr, EntityTrait, QueryFilter};

use crate::access::mint;
use crate::areas::project_fields::draft::Draft;
use crate::areas::{issue_fields, project_fields};
use crate::entities::{
    account, app, installation, issue_field, project, project_field, pull, repository, token,
};
use crate::world::check::{AccountKind, Known};
use crate::world::file::{Token, World};
use named::Named;

pub use named::bot_login;

/// How many values one query asks for; SQLite and PostgreSQL take many more.
const BATCH: usize = 500;

/// The rows that a file names, by their natural keys.
#[derive(Debug, Default)]
pub struct Stored {
    accounts: HashMap<String, account::Model>,
    /// By owner and lower-case name.
    repositories: HashMap<(i64, String), repository::Model>,
    apps: HashMap<String, app::Model>,
    installations: HashMap<(i64, i64), installation::Model>,
    projects: HashMap<(i64, i64), project::Model>,
    tokens: HashMap<String, token::Model>,
    /// By organization.
    issue_fields: HashMap<i64, Vec<issue_field::Model>>,
    /// By project.
    project_fields: HashMap<i64, Vec<project_field::Model>>,
    /// Of the repositories for which the file has pull requests.
    pulls: HashMap<(i64, i64), pull::Model>,
}

impl Stored {
    pub async fn fetch(db: &impl ConnectionTrait, world: &World) -> Result<Self, DbErr> {
        let named = Named::by(world);
        let mut stored = Self::default();
        stored.fetch_accounts(db, &named.logins).await?;
        stored.fetch_repositories(db, &named.repositories).await?;
        stored.fetch_apps(db, &named.apps).await?;
        stored.fetch_projects(db, world).await?;
        stored.fetch_tokens(db, world).await?;
        stored.fetch_pulls(db, world).await?;
        stored.fetch_fields(db, world).await?;
        Ok(stored)
    }

    async fn fetch_accounts(
        &mut self,
        db: &impl ConnectionTrait,
        logins: &BTreeSet<String>,
    ) -> Result<(), DbErr> {
        for logins in batches(logins) {
            let found = account::Entity::find()
                .filter(account::COLUMN.login_key.is_in(logins))
                .all(db)
                .await?;
            found.into_iter().for_each(|row| self.put_account(row));
        }
        Ok(())
    }

    /// Owners in batches, each with the names that the file gives any of them: the
    /// index begins with the owner.
    async fn fetch_repositories(
        &mut self,
        db: &impl ConnectionTrait,
        names: &BTreeSet<(String, String)>,
    ) -> Result<(), DbErr> {
        let pairs: Vec<(i64, &str)> = names
            .iter()
            .filter_map(|(owner, name)| Some((self.accounts.get(owner)?.id, name.as_str())))
            .collect();
        for pairs in pairs.chunks(BATCH) {
            let found = repository::Entity::find()
                .filter(
                    repository::COLUMN
                        .owner_id
                        .is_in(pairs.iter().map(|pair| pair.0)),
                )
                .filter(
                    repository::COLUMN
                        .name_key
                        .is_in(pairs.iter().map(|pair| pair.1)),
                )
                .all(db)
                .await?;
            found.into_iter().for_each(|row| self.put_repository(row));
        }
        Ok(())
    }

    async fn fetch_apps(
        &mut self,
        db: &impl ConnectionTrait,
        slugs: &BTreeSet<String>,
    ) -> Result<(), DbErr> {
        for slugs in batches(slugs) {
            let found = app::Entity::find()
                .filter(app::COLUMN.slug.is_in(slugs))
                .all(db)
                .await?;
            found.into_iter().for_each(|row| self.put_app(row));
        }
        let apps: BTreeSet<i64> = self.apps.values().map(|app| app.id).collect();
        for apps in batches(&apps) {
            let found = installation::Entity::find()
                .filter(installation::COLUMN.app_id.is_in(apps))
                .all(db)
                .await?;
            found.into_iter().for_each(|row| self.put_installation(row));
        }
        Ok(())
    }

    async fn fetch_projects(
        &mut self,
        db: &impl ConnectionTrait,
        world: &World,
    ) -> Result<(), DbErr> {
        let owners: BTreeSet<i64> = world
            .projects
            .iter()
            .filter_map(|project| Some(self.account(&project.owner.value)?.id))
            .collect();
        for owners in batches(&owners) {
            let found = project::Entity::find()
                .filter(project::COLUMN.owner_id.is_in(owners))
                .all(db)
                .await?;
            found.into_iter().for_each(|row| self.put_project(row));
        }
        Ok(())
    }

    async fn fetch_tokens(
        &mut self,
        db: &impl ConnectionTrait,
        world: &World,
    ) -> Result<(), DbErr> {
        let values = world.tokens.iter().filter_map(Token::value);
        let hashes: BTreeSet<String> = values.map(|value| mint::hash(&value.value)).collect();
        for hashes in batches(&hashes) {
            let found = token::Entity::find()
                .filter(token::COLUMN.hash.is_in(hashes))
                .all(db)
                .await?;
            for row in found {
                self.tokens.insert(row.hash.clone(), row);
            }
        }
        Ok(())
    }

    async fn fetch_pulls(&mut self, db: &impl ConnectionTrait, world: &World) -> Result<(), DbErr> {
        let repositories: BTreeSet<i64> = world
            .repositories
            .iter()
            .filter(|repository| !repository.pulls.is_empty())
            .filter_map(|repository| Some(self.repository(&repository.full_name.value)?.id))
            .collect();
        for repositories in batches(&repositories) {
            let found = pull::Entity::find()
                .filter(pull::COLUMN.repository_id.is_in(repositories))
                .all(db)
                .await?;
            for row in found {
                self.pulls.insert((row.repository_id, row.number), row);
            }
        }
        Ok(())
    }

    async fn fetch_fields(
        &mut self,
        db: &impl ConnectionTrait,
        world: &World,
    ) -> Result<(), DbErr> {
        let organizations: BTreeSet<i64> = world
            .organizations
            .iter()
            .filter(|organization| !organization.issue_fields.is_empty())
            .filter_map(|organization| Some(self.account(&organization.login.value)?.id))
            .collect();
        for organizations in batches(&organizations) {
            let found = issue_field::Entity::find()
                .filter(issue_field::COLUMN.organization_id.is_in(organizations))
                .all(db)
                .await?;
            for row in found {
                let fields = self.issue_fields.entry(row.organization_id).or_default();
                fields.push(row);
            }
        }
        let projects: BTreeSet<i64> = world
            .projects
            .iter()
            .filter(|project| !project.fields.is_empty())
            .filter_map(|item| Some(self.project(&item.owner.value, item.number.value.0)?.id))
            .collect();
        for projects in batches(&projects) {
            let found = project_field::Entity::find()
                .filter(project_field::COLUMN.project_id.is_in(projects))
                .all(db)
                .await?;
            for row in found {
                self.project_fields
                    .entry(row.project_id)
                    .or_default()
                    .push(row);
            }
        }
        Ok(())
    }

    pub fn account(&self, login: &str) -> Option<&account::Model> {
        self.accounts.get(&login.to_lowercase())
    }

    /// The id of an account that the check has found to exist.
    pub fn account_id(&self, login: &str) -> Result<i64, DbErr> {
        self.account(login)
            .map(|row| row.id)
            .ok_or_else(|| vanished("account", login))
    }

    /// A repository by its full name.
    pub fn repository(&self, full_name: &str) -> Option<&repository::Model> {
        let (owner, name) = full_name.split_once('/')?;
        let owner = self.account(owner)?.id;
        self.repositories.get(&(owner, name.to_lowercase()))
    }

    /// The id of a repository that the check has found to exist.
    pub fn repository_id(&self, full_name: &str) -> Result<i64, DbErr> {
        self.repository(full_name)
            .map(|row| row.id)
            .ok_or_else(|| vanished("repository", full_name))
    }

    /// The ids of repositories of one owner, which lists name with or without it.
    pub fn repository_ids<'n>(
        &self,
        owner: &str,
        names: impl Iterator<Item = &'n str>,
    ) -> Result<BTreeSet<i64>, DbErr> {
        names
            .map(|name| self.repository_id(&named::full_name(owner, name)))
            .collect()
    }

    pub fn app(&self, slug: &str) -> Option<&app::Model> {
        self.apps.get(slug)
    }

    pub fn app_id(&self, slug: &str) -> Result<i64, DbErr> {
        self.app(slug)
            .map(|row| row.id)
            .ok_or_else(|| vanished("app", slug))
    }

    pub fn installation(&self, app: &str, account: &str) -> Option<&installation::Model> {
        let pair = (self.app(app)?.id, self.account(account)?.id);
        self.installations.get(&pair)
    }

    pub fn project(&self, owner: &str, number: i64) -> Option<&project::Model> {
        self.projects.get(&(self.account(owner)?.id, number))
    }

    pub fn token(&self, value: &str) -> Option<&token::Model> {
        self.tokens.get(&mint::hash(value))
    }

    pub fn pull(&self, repository: &str, number: i64) -> Option<&pull::Model> {
        self.pulls.get(&(self.repository(repository)?.id, number))
    }

    /// The issue fields that an organization had before the file.
    pub fn issue_fields(&self, organization: &str) -> &[issue_field::Model] {
        let organization = self.account(organization);
        let fields = organization.and_then(|row| self.issue_fields.get(&row.id));
        fields.map_or(&[], Vec::as_slice)
    }

    /// An issue field by the id that the file gives, or else by its name: a field may
    /// have been renamed since.
    pub fn issue_field(
        &self,
        organization: &str,
        id: Option<i64>,
        name: &str,
    ) -> Option<&issue_field::Model> {
        let fields = self.issue_fields(organization);
        let by_id = fields.iter().find(|field| Some(field.id) == id);
        by_id.or_else(|| {
            let key = issue_fields::draft::name_key(name);
            fields.iter().find(|field| field.name_key == key)
        })
    }

    /// The fields that a project had before the file.
    pub fn project_fields(&self, project: i64) -> &[project_field::Model] {
        let fields = self.project_fields.get(&project);
        fields.map_or(&[], Vec::as_slice)
    }

    /// A project field by the id that the file gives, or else by what it is.
    pub fn project_field(
        &self,
        project: i64,
        id: Option<i64>,
        draft: &Draft,
    ) -> Option<&project_field::Model> {
        let fields = self.project_fields(project);
        let by_id = fields.iter().find(|field| Some(field.id) == id);
        by_id.or_else(|| match draft {
            Draft::FromIssueField(id) => fields
                .iter()
                .find(|field| field.issue_field_id == Some(*id)),
            Draft::Own(own) => {
                let key = Some(project_fields::draft::name_key(&own.name));
                fields.iter().find(|field| field.name_key == key)
            }
        })
    }

    pub fn put_account(&mut self, row: account::Model) {
        self.accounts.insert(row.login_key.clone(), row);
    }

    pub fn put_repository(&mut self, row: repository::Model) {
        self.repositories
            .insert((row.owner_id, row.name_key.clone()), row);
    }

    pub fn put_app(&mut self, row: app::Model) {
        self.apps.insert(row.slug.clone(), row);
    }

    pub fn put_installation(&mut self, row: installation::Model) {
        self.installations.insert((row.app_id, row.account_id), row);
    }

    pub fn put_project(&mut self, row: project::Model) {
        self.projects.insert((row.owner_id, row.number), row);
    }
}

/// Only another writer that ignores the lock of loading can cause this.
pub fn vanished(what: &str, name: &str) -> DbErr {
    DbErr::RecordNotFound(format!("{what} {name}"))
}

pub fn batches<T: Clone>(values: &BTreeSet<T>) -> Vec<Vec<T>> {
    let all: Vec<T> = values.iter().cloned().collect();
    all.chunks(BATCH).map(<[T]>::to_vec).collect()
}

impl Known for Stored {
    /// Bots are not accounts that a file can name.
    fn account(&self, login: &str) -> Option<AccountKind> {
        match self.account(login)?.kind {
            account::Kind::User => Some(AccountKind::User),
            account::Kind::Organization => Some(AccountKind::Organization),
            account::Kind::Bot => None,
        }
    }

    fn repository(&self, full_name: &str) -> bool {
        self.repository(full_name).is_some()
    }

    fn app(&self, slug: &str) -> bool {
        self.app(slug).is_some()
    }

    fn installation(&self, app: &str, account: &str) -> bool {
        self.installation(app, account).is_some()
    }
}
