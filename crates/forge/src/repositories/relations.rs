//! The rows that a page of repositories refers to: with one query for each kind, however long the
//! page.
//!
//! The template of a public repository may be private: it is shown only to callers who can see
//! it.

use std::collections::HashMap;

use migration::aggregates::Kind;
use sea_orm::{ColumnTrait, DbErr, EntityTrait, FromQueryResult, QueryFilter, QuerySelect};

use crate::accounts::rows::accounts_by;
use storage::database::{Connection, ReadSource, rows_with};
use storage::entities::repository::Visibility;
use storage::entities::{account, issue, repository, repository_push};

/// The rows that a page of repositories refers to.
#[derive(Debug, Default)]
pub struct RepositoryRelations {
    pub(super) owners: HashMap<i64, account::Model>,
    templates: HashMap<i64, repository::Model>,
    pub(super) open_issues: HashMap<i64, i64>,
    pub(super) pushes: HashMap<i64, i64>,
    private_of: Option<i64>,
}

#[derive(FromQueryResult)]
struct OpenIssues {
    repository_id: i64,
    count: i64,
}

impl RepositoryRelations {
    /// An owner, and nothing else.
    pub(super) fn of_owner(owner: &account::Model) -> Self {
        Self {
            owners: HashMap::from([(owner.id, owner.clone())]),
            ..Self::default()
        }
    }

    /// The relations of a repository of this owner at the time of a push.
    pub async fn of_push(
        source: &impl ReadSource,
        row: &repository::Model,
        owner: &account::Model,
        now: i64,
    ) -> Result<Self, DbErr> {
        let db = source.reading(&[Kind::RepositoryIssues.of(row.id)]).await;
        Ok(Self {
            open_issues: open_issues(db, &[row.id]).await?,
            pushes: HashMap::from([(row.id, now)]),
            ..Self::of_owner(owner)
        })
    }

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

    /// The template of a repository, if the caller may see it.
    pub(super) fn template(&self, row: &repository::Model) -> Option<&repository::Model> {
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
