//! Repositories and their collaborators. Their Git data is loaded in `history.rs`.

use std::collections::HashMap;

use sea_orm::DbErr;
use serde_json::{Map, Value};

use super::LoadError;
use super::apps::array;
use super::write::{Load, UNASSIGNED, WorldItem};
use crate::file::{Repository, World};
use crate::stored::vanished;
use crate::yaml::value_of;
use git::pushes;
use storage::database::rows_with;
use storage::entities::collaborator::Permission;
use storage::entities::repository::Visibility;
use storage::entities::{collaborator, repository};

const DEFAULT_BRANCH: &str = "main";

pub async fn write(load: &mut Load<'_>, world: &World) -> Result<(), LoadError> {
    let mut repositories: Vec<&Repository> = world.repositories.iter().collect();
    repositories.sort_by_key(|repository| repository.template.is_some());
    for repository in &repositories {
        write_repository(load, repository).await?;
    }
    for repository in &repositories {
        write_template(load, repository).await?;
    }
    Ok(write_collaborators(load, world).await?)
}

async fn write_repository(load: &mut Load<'_>, repository: &Repository) -> Result<(), DbErr> {
    let full_name = &repository.full_name.value;
    let stored = load.stored.repository(full_name).cloned();
    let mut row = match &stored {
        Some(row) => row.clone(),
        None => new_repository(load, full_name)?,
    };
    describe(&mut row, repository);
    allow(&mut row, repository);
    if let Some(template) = &repository.template {
        let template = load.stored.repository(&template.value);
        row.template_repository_id = template.map(|row| row.id);
    }
    let item = WorldItem {
        kind: "repository",
        name: full_name.clone(),
        id: &repository.id,
        created_at: repository.created_at,
        updated_at: None,
    };
    let row = load.save(item, stored.as_ref(), row).await?;
    if let Some(moment) = repository.pushed_at {
        pushes::record(load.db, row.id, moment.seconds()).await?;
    }
    load.stored.put_repository(row);
    Ok(())
}

fn new_repository(load: &Load<'_>, full_name: &str) -> Result<repository::Model, DbErr> {
    let (owner, name) = full_name
        .split_once('/')
        .ok_or_else(|| vanished("owner", full_name))?;
    Ok(repository::Model {
        id: UNASSIGNED,
        owner_id: load.stored.account_id(owner)?,
        name: name.to_owned(),
        name_key: name.to_lowercase(),
        // Private unless the file says otherwise.
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
        created_at: load.now,
        updated_at: load.now,
    })
}

/// The columns that describe a repository.
fn describe(row: &mut repository::Model, spec: &Repository) {
    let text = |spec: Option<String>, row: &mut Option<String>| {
        if spec.is_some() {
            *row = spec;
        }
    };
    if let Some((_, name)) = spec.full_name.value.split_once('/') {
        row.name = name.to_owned();
    }
    text(spec.description.clone(), &mut row.description);
    text(spec.homepage.clone(), &mut row.homepage);
    text(spec.language.clone(), &mut row.language);
    text(value_of(&spec.license), &mut row.license_spdx);
    text(value_of(&spec.mirror_url), &mut row.mirror_url);
    if let Some(branch) = &spec.default_branch {
        row.default_branch.clone_from(&branch.value);
    }
    if !spec.topics.is_empty() {
        row.topics = array(&spec.topics);
    }
    if !spec.custom_properties.is_empty() {
        let properties: Map<String, Value> = spec
            .custom_properties
            .iter()
            .map(|(name, value)| (name.value.clone(), Value::from(&**value)))
            .collect();
        row.custom_properties = Value::Object(properties).to_string();
    }
    if let Some(count) = spec.stargazers_count {
        row.stargazers_count = count.0;
        // On GitHub watchers have been stargazers since 2012.
        row.watchers_count = count.0;
    }
    if let Some(count) = spec.forks_count {
        row.forks_count = count.0;
        row.network_count = count.0;
    }
}

/// The visibility and the settings of a repository.
fn allow(row: &mut repository::Model, spec: &Repository) {
    if let Some(visibility) = &spec.visibility {
        row.visibility = visibility.value.stored;
        row.internal = visibility.value.internal;
    }
    for (spec, row) in [
        (spec.archived, &mut row.archived),
        (spec.disabled, &mut row.disabled),
        (spec.fork, &mut row.fork),
        (spec.is_template, &mut row.is_template),
        (spec.has_issues, &mut row.has_issues),
        (spec.has_projects, &mut row.has_projects),
        (spec.has_wiki, &mut row.has_wiki),
        (spec.has_pages, &mut row.has_pages),
        (spec.has_downloads, &mut row.has_downloads),
        (spec.allow_rebase_merge, &mut row.allow_rebase_merge),
        (spec.allow_squash_merge, &mut row.allow_squash_merge),
        (spec.allow_auto_merge, &mut row.allow_auto_merge),
        (spec.allow_merge_commit, &mut row.allow_merge_commit),
        (spec.delete_branch_on_merge, &mut row.delete_branch_on_merge),
    ] {
        *row = spec.unwrap_or(*row);
    }
}

/// A template may be below the repositories that were made from it, so its id is known
/// only after all of them are stored.
async fn write_template(load: &mut Load<'_>, repository: &Repository) -> Result<(), DbErr> {
    let Some(template) = &repository.template else {
        return Ok(());
    };
    let template = Some(load.stored.repository_id(&template.value)?);
    let name = &repository.full_name.value;
    let Some(stored) = load.stored.repository(name).cloned() else {
        return Err(vanished("repository", name));
    };
    if stored.template_repository_id != template {
        let row = repository::Model {
            template_repository_id: template,
            ..stored
        };
        let row = load.update(row).await?;
        load.stored.put_repository(row);
    }
    Ok(())
}

async fn write_collaborators(load: &mut Load<'_>, world: &World) -> Result<(), DbErr> {
    let names = world.repositories.iter().map(|item| &item.full_name.value);
    let ids = names.map(|name| load.stored.repository_id(name));
    let ids: Vec<i64> = ids.collect::<Result<_, _>>()?;
    let rows = rows_with(load.db, collaborator::Column::RepositoryId, ids).await?;
    let rows = rows
        .into_iter()
        .map(|row| ((row.repository_id, row.user_id), row));
    let stored: HashMap<_, _> = rows.collect();
    for repository in &world.repositories {
        let repository_id = load.stored.repository_id(&repository.full_name.value)?;
        for collaborator in &repository.collaborators {
            let user_id = load.stored.account_id(&collaborator.login.value)?;
            let stored = stored.get(&(repository_id, user_id));
            let spec = collaborator.permission;
            let permission = spec.or(stored.map(|row| row.permission));
            let row = collaborator::Model {
                repository_id,
                user_id,
                // As an invitation on GitHub.
                permission: permission.unwrap_or(Permission::Write),
            };
            load.upsert(stored, row).await?;
        }
    }
    Ok(())
}
