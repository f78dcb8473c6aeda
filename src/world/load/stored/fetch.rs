//! The queries behind `stored`: a few for each kind of thing, however many of them
//! the file names.

use std::collections::BTreeSet;

use sea_orm::{ConnectionTrait, DbErr, EntityTrait, QueryFilter};

use super::Stored;
use crate::access::mint;
use crate::entities::{
    account, app, installation, issue_field, project, project_field, pull, repository, token,
};
use crate::world::file::{Token, World};

/// How many values one query asks for; SQLite and PostgreSQL take many more.
const BATCH: usize = 500;

impl Stored {
    pub(super) async fn fetch_accounts(
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
    pub(super) async fn fetch_repositories(
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

    pub(super) async fn fetch_apps(
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

    pub(super) async fn fetch_projects(
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

    pub(super) async fn fetch_tokens(
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

    pub(super) async fn fetch_pulls(
        &mut self,
        db: &impl ConnectionTrait,
        world: &World,
    ) -> Result<(), DbErr> {
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

    pub(super) async fn fetch_fields(
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
}

pub fn batches<T: Clone>(values: &BTreeSet<T>) -> Vec<Vec<T>> {
    let all: Vec<T> = values.iter().cloned().collect();
    all.chunks(BATCH).map(<[T]>::to_vec).collect()
}
