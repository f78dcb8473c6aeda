//! The view of a repository.
//!
//! The template of a public repository may be private: it is shown only to callers who
//! can see it.

mod minimal;

use std::collections::{BTreeMap, HashMap};

use migration::aggregates::Kind;
use sea_orm::{ColumnTrait, DbErr, EntityTrait, FromQueryResult, QueryFilter, QuerySelect};

use super::license::license;
pub use super::view::minimal::minimal;
use crate::access::credential::parsed;
use crate::accounts::rows::accounts_by;
use crate::node_id;
use crate::urls::Urls;
use contract::problem::Problem;
use contract::reply::Outcome;
use contract::shared::repository::{
    NestedRepository, Repository, RepositoryCore, RepositoryCounts, RepositoryFeatures,
    RepositoryMerging, RepositoryPermissions, RepositoryVisibility, TemplateRepository,
};
use contract::values::Timestamp;
use storage::database::{Connection, ReadSource, rows_with};
use storage::entities::collaborator::Permission;
use storage::entities::repository::Visibility;
use storage::entities::{account, issue, repository, repository_push};

/// The rows that a page of repositories refers to.
#[derive(Debug, Default)]
pub struct RepositoryRelations {
    owners: HashMap<i64, account::Model>,
    templates: HashMap<i64, repository::Model>,
    open_issues: HashMap<i64, i64>,
    pushes: HashMap<i64, i64>,
    private_of: Option<i64>,
}

/// The parts of a repository that only some operations show.
#[derive(Debug, Clone, Copy, Default)]
pub struct Extras {
    /// The user's role.
    pub role: Option<Permission>,
    pub custom_properties: bool,
}

#[derive(FromQueryResult)]
struct OpenIssues {
    repository_id: i64,
    count: i64,
}

impl RepositoryRelations {
    /// Loads the related rows of repositories. `private_of` is the account whose private
    /// repositories the caller sees, if any.
    pub async fn of(
        source: &impl ReadSource,
        repositories: &[repository::Model],
        private_of: Option<i64>,
    ) -> Result<Self, DbErr> {
        if repositories.is_empty() {
            return Ok(Self::default());
        }
        let templates = templates(source, repositories).await?;
        let all = || repositories.iter().chain(templates.values());
        let ids: Vec<_> = all().map(|row| row.id).collect();
        let aggregates: Vec<_> = all()
            .flat_map(|row| {
                [
                    Kind::Account.of(row.owner_id),
                    Kind::Refs.of(row.id),
                    Kind::RepositoryIssues.of(row.id),
                ]
            })
            .collect();
        let db = source.reading(&aggregates).await;
        Ok(Self {
            owners: accounts_by(db, all().map(|row| row.owner_id)).await?,
            open_issues: open_issues(db, &ids).await?,
            pushes: pushes(db, &ids).await?,
            templates,
            private_of,
        })
    }

    fn template(&self, row: &repository::Model) -> Option<&repository::Model> {
        self.templates
            .get(&row.template_repository_id?)
            .filter(|template| {
                template.visibility == Visibility::Public
                    || self.private_of == Some(template.owner_id)
            })
    }
}

async fn templates(
    source: &impl ReadSource,
    repositories: &[repository::Model],
) -> Result<HashMap<i64, repository::Model>, DbErr> {
    let ids: Vec<_> = repositories
        .iter()
        .filter_map(|row| row.template_repository_id)
        .collect();
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let aggregates: Vec<_> = ids.iter().map(|id| Kind::Repository.of(*id)).collect();
    let db = source.reading(&aggregates).await;
    let rows = rows_with(db, repository::Column::Id, ids).await?;
    Ok(rows.into_iter().map(|row| (row.id, row)).collect())
}

/// How many issues are open, pull requests among them.
async fn open_issues(db: &Connection, repositories: &[i64]) -> Result<HashMap<i64, i64>, DbErr> {
    let rows = issue::Entity::find()
        .select_only()
        .column(issue::Column::RepositoryId)
        .column_as(issue::Column::Id.count(), "count")
        .filter(issue::Column::RepositoryId.is_in(repositories.iter().copied()))
        .filter(issue::Column::State.eq(issue::IssueState::Open))
        .group_by(issue::Column::RepositoryId)
        .into_model::<OpenIssues>()
        .all(db)
        .await?;
    Ok(rows
        .into_iter()
        .map(|row| (row.repository_id, row.count))
        .collect())
}

/// When the references of repositories last changed.
async fn pushes(db: &Connection, repositories: &[i64]) -> Result<HashMap<i64, i64>, DbErr> {
    let ids = repositories.to_vec();
    let rows = rows_with(db, repository_push::Column::RepositoryId, ids).await?;
    let pushes = rows
        .into_iter()
        .map(|row| (row.repository_id, row.pushed_at));
    Ok(pushes.collect())
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
