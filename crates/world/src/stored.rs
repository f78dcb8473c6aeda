//! The database rows that a file refers to: fetched at once, with a few queries however long the
//! file is, and kept up to date while a load writes. Logins, names and slugs are compared in
//! lower case.

mod fetch;

use std::collections::{BTreeSet, HashMap};

use sea_orm::DbErr;

use super::file::World;
use super::ids::TakenIds;
use super::references::{Names, full_name};
use forge::project_fields::draft::NewProjectField;
use forge::tokens;
use forge::{issue_fields, project_fields};
use storage::database::Connection;
use storage::entities::{
    account, app, installation, issue_field, project, project_field, pull, repository, token,
};

/// The rows that a file names, by their natural keys.
#[derive(Debug, Default)]
pub struct StoredRows {
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
    /// The pull request of each review whose id the file fixes.
    reviews: HashMap<i64, i64>,
    /// The ids of issues, by repository and number, if the file fixes any.
    issues: HashMap<(i64, i64), i64>,
    /// The pull request of each comment whose id the file fixes.
    comments: HashMap<i64, i64>,
    /// The repository and number of the issue of each comment whose id the file fixes.
    issue_comments: HashMap<i64, (i64, i64)>,
    /// The project of each item whose id the file fixes.
    items: HashMap<i64, i64>,
    /// The slug of the app that has a client id which the file names.
    clients: HashMap<String, String>,
    taken_ids: TakenIds,
}

impl StoredRows {
    pub async fn fetch(db: &Connection, world: &World) -> Result<Self, DbErr> {
        let names = Names::of(world);
        let mut stored = Self::default();
        stored.fetch_accounts(db, &names).await?;
        stored.fetch_repositories(db, &names).await?;
        stored.fetch_apps(db, &names, world).await?;
        stored.fetch_projects(db, world).await?;
        stored.fetch_tokens(db, world).await?;
        stored.fetch_pulls(db, world).await?;
        stored.fetch_reviews(db, world).await?;
        stored.fetch_issues(db, world).await?;
        stored.fetch_issue_comments(db, world).await?;
        stored.fetch_fields(db, world).await?;
        stored.fetch_items(db, world).await?;
        stored.fetch_taken_ids(db, world).await?;
        Ok(stored)
    }

    pub fn account(&self, login: &str) -> Option<&account::Model> {
        self.accounts.get(&login.to_lowercase())
    }

    /// The id of an account. The check has ensured that it exists.
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

    /// The id of a repository. The check has ensured that it exists.
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
            .map(|name| self.repository_id(&full_name(owner, name)))
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
        self.tokens.get(&tokens::hash(value))
    }

    pub fn pull(&self, repository: &str, number: i64) -> Option<&pull::Model> {
        self.pulls.get(&(self.repository(repository)?.id, number))
    }

    /// Whether an issue of a repository has the comment with this id.
    pub fn has_issue_comment(
        &self,
        repository: Option<&repository::Model>,
        number: i64,
        id: i64,
    ) -> bool {
        let issue = repository.map(|row| (row.id, number));
        issue.is_some() && self.issue_comments.get(&id).copied() == issue
    }

    /// Whether a pull request has the comment with this id.
    pub fn has_comment(&self, pull: Option<i64>, id: i64) -> bool {
        pull.is_some() && self.comments.get(&id).copied() == pull
    }

    /// Whether a pull request has the review with this id.
    pub fn has_review(&self, pull: Option<i64>, id: i64) -> bool {
        pull.is_some() && self.reviews.get(&id).copied() == pull
    }

    pub fn issue_id(&self, repository: i64, number: i64) -> Option<i64> {
        self.issues.get(&(repository, number)).copied()
    }

    pub fn has_item(&self, project: Option<i64>, id: i64) -> bool {
        project.is_some() && self.items.get(&id).copied() == project
    }

    /// The slug of the app with this client id.
    pub fn client(&self, client_id: &str) -> Option<&String> {
        self.clients.get(client_id)
    }

    /// Whether a row has an id that the file fixes for a new item.
    pub fn is_taken(&self, table: &str, id: i64) -> bool {
        self.taken_ids
            .get(table)
            .is_some_and(|ids| ids.contains(&id))
    }

    /// The issue fields that an organization had before the file.
    pub fn issue_fields(&self, organization: &str) -> &[issue_field::Model] {
        let organization = self.account(organization);
        let fields = organization.and_then(|row| self.issue_fields.get(&row.id));
        fields.map_or(&[], Vec::as_slice)
    }

    /// An issue field by the id in the file, or else by its name: a field may
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

    /// A project field by the id in the file, or else by its issue field or name.
    pub fn project_field(
        &self,
        project: i64,
        id: Option<i64>,
        draft: &NewProjectField,
    ) -> Option<&project_field::Model> {
        let fields = self.project_fields(project);
        let by_id = fields.iter().find(|field| Some(field.id) == id);
        by_id.or_else(|| match draft {
            NewProjectField::FromIssueField(issue_field) => fields
                .iter()
                .find(|field| field.issue_field_id == Some(issue_field.id)),
            NewProjectField::Own(own) => {
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

/// The error for a row that was deleted since the check. Only a writer that ignores the lock of
/// loading can cause it.
pub fn vanished(kind: &str, name: &str) -> DbErr {
    DbErr::RecordNotFound(format!("{kind} {name}"))
}
