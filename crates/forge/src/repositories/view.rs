//! The view of a repository.

mod minimal;

use std::collections::BTreeMap;

use super::license::license;
use super::relations::RepositoryRelations;
use crate::access::credential::parsed;
use crate::node_id;
use crate::urls::Urls;
use contract::problem::Problem;
use contract::reply::Outcome;
use contract::shared::repository::{
    NestedRepository, Repository, RepositoryCore, RepositoryCounts, RepositoryFeatures,
    RepositoryMerging, RepositoryPermissions, RepositoryVisibility, TemplateRepository,
};
use contract::values::Timestamp;
pub use minimal::minimal;
use storage::entities::collaborator::Permission;
use storage::entities::repository;
use storage::entities::repository::Visibility;

/// The parts of a repository that only some operations show.
#[derive(Debug, Clone, Copy, Default)]
pub struct Extras {
    /// The user's role.
    pub role: Option<Permission>,
    pub custom_properties: bool,
}

/// The repository as clients see it.
pub fn repository(
    urls: &Urls,
    row: &repository::Model,
    relations: &RepositoryRelations,
    extras: Extras,
) -> Outcome<Repository> {
    let view = |row: &repository::Model| -> Outcome<TemplateRepository> {
        let core = core(urls, row, relations)?;
        Ok(TemplateRepository::new(&urls.api, &urls.web, core))
    };
    let template = relations.template(row).map(view).transpose()?;
    let properties = extras.custom_properties.then_some(row);
    Ok(Repository {
        whole: view(row)?,
        permissions: extras.role.map(permissions),
        custom_properties: properties.map(custom_properties).transpose()?,
        template_repository: template.into(),
    })
}

/// The repository as pull requests show it.
pub fn nested(
    urls: &Urls,
    row: &repository::Model,
    relations: &RepositoryRelations,
) -> Outcome<NestedRepository> {
    let core = core(urls, row, relations)?;
    Ok(NestedRepository::new(&urls.api, &urls.web, core))
}

/// The custom properties of a repository.
pub fn custom_properties(row: &repository::Model) -> Outcome<BTreeMap<String, String>> {
    parsed(&row.custom_properties)
}

fn core(
    urls: &Urls,
    row: &repository::Model,
    relations: &RepositoryRelations,
) -> Outcome<RepositoryCore> {
    let owner = relations
        .owners
        .get(&row.owner_id)
        .ok_or_else(|| Problem::internal("a repository has no owner"))?;
    Ok(RepositoryCore {
        id: row.id,
        node_id: node_id::repository(row.id),
        name: row.name.clone(),
        owner: urls.user(owner),
        visibility: visibility(row),
        description: row.description.clone(),
        homepage: row.homepage.clone(),
        language: row.language.clone(),
        license: row.license_spdx.as_deref().map(|id| license(urls, id)),
        topics: parsed(&row.topics)?,
        default_branch: row.default_branch.clone(),
        fork: row.fork,
        archived: row.archived,
        disabled: row.disabled,
        is_template: row.is_template,
        mirror_url: row.mirror_url.clone().map(Into::into),
        features: features(row),
        merging: merging(row),
        counts: counts(row, relations),
        created_at: Timestamp(row.created_at),
        updated_at: Timestamp(row.updated_at),
        pushed_at: relations.pushes.get(&row.id).copied().map(Timestamp),
    })
}

fn visibility(row: &repository::Model) -> RepositoryVisibility {
    match row.visibility {
        Visibility::Private if row.internal => RepositoryVisibility::Internal,
        Visibility::Public => RepositoryVisibility::Public,
        Visibility::Private => RepositoryVisibility::Private,
    }
}

fn features(row: &repository::Model) -> RepositoryFeatures {
    RepositoryFeatures {
        has_issues: row.has_issues,
        has_projects: row.has_projects,
        has_downloads: row.has_downloads,
        has_wiki: row.has_wiki,
        has_pages: row.has_pages,
        has_discussions: false,
    }
}

fn merging(row: &repository::Model) -> RepositoryMerging {
    RepositoryMerging {
        allow_squash_merge: row.allow_squash_merge,
        allow_merge_commit: row.allow_merge_commit,
        allow_rebase_merge: row.allow_rebase_merge,
        allow_auto_merge: row.allow_auto_merge,
        delete_branch_on_merge: row.delete_branch_on_merge,
    }
}

/// Stars and watchers are one number, by the custom of clients; a repository
/// and its forks are one network.
fn counts(row: &repository::Model, relations: &RepositoryRelations) -> RepositoryCounts {
    RepositoryCounts {
        forks: row.forks_count,
        stargazers: row.stargazers_count,
        watchers: row.stargazers_count,
        subscribers: row.subscribers_count,
        network: row.network_count.max(row.forks_count),
        open_issues: relations.open_issues.get(&row.id).copied().unwrap_or(0),
        kilobytes: row.size_kb,
    }
}

/// Each level includes those below it.
pub fn permissions(role: Permission) -> RepositoryPermissions {
    RepositoryPermissions {
        admin: role >= Permission::Admin,
        maintain: role >= Permission::Maintain,
        push: role >= Permission::Write,
        triage: role >= Permission::Triage,
        pull: role >= Permission::Read,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_includes_those_below_it_and_no_other() {
        let writer = permissions(Permission::Write);
        assert!(writer.pull && writer.triage && writer.push);
        assert!(!writer.maintain && !writer.admin);
        let nobody = permissions(Permission::None);
        assert!(!nobody.pull && !nobody.push && !nobody.admin);
    }
}
