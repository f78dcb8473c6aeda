//! Repositories and their collaborators. Their Git data is loaded in `history.rs`.

use std::collections::{BTreeSet, HashMap};

use sea_orm::{DbErr, EntityTrait, QueryFilter};
use serde_json::{Map, Value};

use super::LoadError;
use super::stored::{batches, vanished};
use super::write::{Row, UNASSIGNED, Writing};
use crate::entities::repository::Visibility;
use crate::entities::{collaborator, repository};
use crate::git::pushes;
use crate::world::file::{self, Permission, Repository, World};

const DEFAULT_BRANCH: &str = "main";

pub async fn write(writing: &mut Writing<'_>, world: &World) -> Result<(), LoadError> {
    let mut repositories: Vec<&Repository> = world.repositories.iter().collect();
    repositories.sort_by_key(|repository| repository.template.is_some());
    for repository in &repositories {
        write_repository(writing, repository).await?;
    }
    for repository in &repositories {
        write_template(writing, repository).await?;
    }
    Ok(write_collaborators(writing, world).await?)
}

async fn write_repository(writing: &mut Writing<'_>, repository: &Repository) -> Result<(), DbErr> {
    let full_name = &repository.full_name.value;
    let stored = writing.stored.repository(full_name).cloned();
    let mut row = match &stored {
        Some(row) => row.clone(),
        None => new_repository(writing, full_name)?,
    };
    row.id = repository.id.as_ref().map_or(row.id, |id| id.value.0);
    describe(&mut row, repository);
    allow(&mut row, repository);
    row.date(repository.created_at, stored.is_none());
    if let Some(template) = &repository.template {
        let template = writing.stored.repository(&template.value);
        row.template_repository_id = template.map(|row| row.id);
    }
    let row = writing.keep(stored.as_ref(), row).await?;
    writing.tell("repository", &repository.full_name.value, row.id);
    if let Some(moment) = repository.pushed_at {
        pushes::note(writing.db, row.id, moment.seconds()).await?;
    }
    writing.stored.put_repository(row);
    Ok(())
}

fn new_repository(writing: &Writing<'_>, full_name: &str) -> Result<repository::Model, DbErr> {
    let (owner, name) = full_name
        .split_once('/')
        .ok_or_else(|| vanished("owner", full_name))?;
    Ok(repository::Model {
        id: UNASSIGNED,
        owner_id: writing.stored.account_id(owner)?,
        name: name.to_owned(),
        name_key: name.to_lowercase(),
        // Nothing becomes public by an omission.
        visibility: Visibility::Private,
        internal: false,
        default_branch: DEFAULT_BRANCH.to_owned(),
        description: None,
        homepage: None,
        language: None,
        license_spdx: None,
        topics: "[]".to_owned(),
        custom_properties: "{}".to_owned(),
        archived: false,
        disabled: false,
        fork: false,
        is_template: false,
        has_issues: true,
        has_projects: true,
        has_wiki: true,
        has_pages: false,
        has_downloads: true,
        allow_rebase_merge: true,
        allow_squash_merge: true,
        allow_auto_merge: false,
        allow_merge_commit: true,
        delete_branch_on_merge: false,
        template_repository_id: None,
        mirror_url: None,
        forks_count: 0,
        stargazers_count: 0,
        watchers_count: 0,
        subscribers_count: 0,
        network_count: 0,
        open_issues_count: 0,
        size_kb: 0,
        created_at: writing.now,
        updated_at: writing.now,
    })
}

/// What a repository says of itself.
fn describe(row: &mut repository::Model, said: &Repository) {
    let text = |said: &Option<String>, row: &mut Option<String>| {
        if let Some(said) = said {
            *row = Some(said.clone());
        }
    };
    if let Some((_, name)) = said.full_name.value.split_once('/') {
        row.name = name.to_owned();
    }
    text(&said.description, &mut row.description);
    text(&said.homepage, &mut row.homepage);
    text(&said.language, &mut row.language);
    let license = said.license.as_ref().map(|license| license.value.clone());
    text(&license, &mut row.license_spdx);
    let mirror = said.mirror_url.as_ref().map(|url| url.value.clone());
    text(&mirror, &mut row.mirror_url);
    if let Some(branch) = &said.default_branch {
        row.default_branch.clone_from(&branch.value);
    }
    if !said.topics.is_empty() {
        let topics = said.topics.iter().map(|topic| Value::from(&*topic.value));
        row.topics = Value::Array(topics.collect()).to_string();
    }
    if !said.custom_properties.is_empty() {
        let properties: Map<String, Value> = said
            .custom_properties
            .iter()
            .map(|(name, value)| (name.value.clone(), Value::from(&**value)))
            .collect();
        row.custom_properties = Value::Object(properties).to_string();
    }
    if let Some(count) = said.stargazers_count {
        row.stargazers_count = count.0;
        // On GitHub watchers have been stargazers since 2012.
        row.watchers_count = count.0;
    }
    if let Some(count) = said.forks_count {
        row.forks_count = count.0;
        row.network_count = count.0;
    }
}

/// Who may see a repository, and what may be done in it.
fn allow(row: &mut repository::Model, said: &Repository) {
    if let Some(visibility) = &said.visibility {
        use file::RepositoryVisibility::{Internal, Public};
        row.visibility = match visibility.value {
            Public => Visibility::Public,
            _ => Visibility::Private,
        };
        row.internal = visibility.value == Internal;
    }
    for (said, row) in [
        (said.archived, &mut row.archived),
        (said.disabled, &mut row.disabled),
        (said.fork, &mut row.fork),
        (said.is_template, &mut row.is_template),
        (said.has_issues, &mut row.has_issues),
        (said.has_projects, &mut row.has_projects),
        (said.has_wiki, &mut row.has_wiki),
        (said.has_pages, &mut row.has_pages),
        (said.has_downloads, &mut row.has_downloads),
        (said.allow_rebase_merge, &mut row.allow_rebase_merge),
        (said.allow_squash_merge, &mut row.allow_squash_merge),
        (said.allow_auto_merge, &mut row.allow_auto_merge),
        (said.allow_merge_commit, &mut row.allow_merge_commit),
        (said.delete_branch_on_merge, &mut row.delete_branch_on_merge),
    ] {
        *row = said.unwrap_or(*row);
    }
}

/// A template that stands below what was made from it has its id only now.
async fn write_template(writing: &mut Writing<'_>, repository: &Repository) -> Result<(), DbErr> {
    let Some(template) = &repository.template else {
        return Ok(());
    };
    let template = Some(writing.stored.repository_id(&template.value)?);
    let name = &repository.full_name.value;
    let Some(stored) = writing.stored.repository(name).cloned() else {
        return Err(vanished("repository", name));
    };
    if stored.template_repository_id != template {
        let row = repository::Model {
            template_repository_id: template,
            ..stored
        };
        let row = writing.update(row).await?;
        writing.stored.put_repository(row);
    }
    Ok(())
}

async fn write_collaborators(writing: &mut Writing<'_>, world: &World) -> Result<(), DbErr> {
    let mut repositories = BTreeSet::new();
    for repository in &world.repositories {
        repositories.insert(writing.stored.repository_id(&repository.full_name.value)?);
    }
    let mut stored: HashMap<(i64, i64), collaborator::Model> = HashMap::new();
    for repositories in batches(&repositories) {
        let found = collaborator::Entity::find()
            .filter(collaborator::COLUMN.repository_id.is_in(repositories))
            .all(writing.db)
            .await?;
        stored.extend(
            found
                .into_iter()
                .map(|row| ((row.repository_id, row.user_id), row)),
        );
    }
    for repository in &world.repositories {
        let repository_id = writing.stored.repository_id(&repository.full_name.value)?;
        for collaborator in &repository.collaborators {
            let user_id = writing.stored.account_id(&collaborator.login.value)?;
            let stored = stored.get(&(repository_id, user_id));
            let said = collaborator.permission.map(permission);
            let row = collaborator::Model {
                repository_id,
                user_id,
                permission: said
                    .or(stored.map(|row| row.permission))
                    .unwrap_or(permission(Permission::default())),
            };
            writing.keep(stored, row).await?;
        }
    }
    Ok(())
}

fn permission(permission: Permission) -> collaborator::Permission {
    match permission {
        Permission::Read => collaborator::Permission::Read,
        Permission::Triage => collaborator::Permission::Triage,
        Permission::Write => collaborator::Permission::Write,
        Permission::Maintain => collaborator::Permission::Maintain,
        Permission::Admin => collaborator::Permission::Admin,
    }
}
