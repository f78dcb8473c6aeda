//! The queries behind `stored`: a few for each table, however many rows the file names.

use sea_orm::sea_query::{Alias, Expr, ExprTrait, Query};
use sea_orm::{ConnectionTrait, DbErr, EntityTrait, JoinType, QueryFilter, QuerySelect};

use super::StoredRows;
use crate::file::{Repository, World};
use crate::ids::{id_of, new_ids};
use crate::references::Names;
use crate::yaml::value_of;
use forge::tokens;
use storage::database::{Connection, rows_with};
use storage::entities::{
    account, app, installation, issue, issue_comment, issue_field, project, project_field,
    project_item, pull, repository, review, review_comment, token,
};

/// Values per query; SQLite and PostgreSQL accept many more.
const BATCH: usize = 500;

impl StoredRows {
    pub(super) async fn fetch_accounts(
        &mut self,
        db: &Connection,
        names: &Names,
    ) -> Result<(), DbErr> {
        let rows = rows_with(db, account::Column::LoginKey, names.logins.iter().cloned()).await?;
        rows.into_iter().for_each(|row| self.put_account(row));
        Ok(())
    }

    /// Owners in batches, each with the names that the file gives any of them: the
    /// index begins with the owner.
    pub(super) async fn fetch_repositories(
        &mut self,
        db: &Connection,
        names: &Names,
    ) -> Result<(), DbErr> {
        let pairs = names.repositories.iter();
        let pairs: Vec<(i64, &str)> = pairs
            .filter_map(|(owner, name)| Some((self.accounts.get(owner)?.id, name.as_str())))
            .collect();
        for pairs in pairs.chunks(BATCH) {
            let owners = pairs.iter().map(|pair| pair.0);
            let names = pairs.iter().map(|pair| pair.1);
            let rows = repository::Entity::find()
                .filter(repository::COLUMN.owner_id.is_in(owners))
                .filter(repository::COLUMN.name_key.is_in(names))
                .all(db)
                .await?;
            rows.into_iter().for_each(|row| self.put_repository(row));
        }
        Ok(())
    }

    pub(super) async fn fetch_apps(
        &mut self,
        db: &Connection,
        names: &Names,
        world: &World,
    ) -> Result<(), DbErr> {
        let rows = rows_with(db, app::Column::Slug, names.apps.iter().cloned()).await?;
        let ids = rows.iter().map(|row| row.id);
        let installations = rows_with(db, installation::Column::AppId, ids).await?;
        rows.into_iter().for_each(|row| self.put_app(row));
        installations
            .into_iter()
            .for_each(|row| self.put_installation(row));
        let apps = world.apps.iter();
        let clients = apps.filter_map(|app| value_of(&app.client_id));
        let rows = rows_with(db, app::Column::ClientId, clients).await?;
        let clients = rows.into_iter().map(|row| (row.client_id, row.slug));
        self.clients.extend(clients);
        Ok(())
    }

    pub(super) async fn fetch_projects(
        &mut self,
        db: &Connection,
        world: &World,
    ) -> Result<(), DbErr> {
        let projects = world.projects.iter();
        let owners = projects.filter_map(|item| Some(self.account(&item.owner.value)?.id));
        let rows = rows_with(db, project::Column::OwnerId, owners).await?;
        rows.into_iter().for_each(|row| self.put_project(row));
        Ok(())
    }

    pub(super) async fn fetch_tokens(
        &mut self,
        db: &Connection,
        world: &World,
    ) -> Result<(), DbErr> {
        let values = world.tokens.iter().filter_map(|token| token.value.as_ref());
        let hashes = values.map(|value| tokens::hash(&value.value));
        let rows = rows_with(db, token::Column::Hash, hashes).await?;
        let rows = rows.into_iter().map(|row| (row.hash.clone(), row));
        self.tokens.extend(rows);
        Ok(())
    }

    pub(super) async fn fetch_pulls(
        &mut self,
        db: &Connection,
        world: &World,
    ) -> Result<(), DbErr> {
        let repositories = world.repositories.iter();
        let with_pulls = repositories.filter(|repository| !repository.pulls.is_empty());
        let ids = with_pulls.filter_map(|item| Some(self.repository(&item.full_name.value)?.id));
        let rows = rows_with(db, pull::Column::RepositoryId, ids).await?;
        let rows = rows.into_iter();
        self.pulls
            .extend(rows.map(|row| ((row.repository_id, row.number), row)));
        let pulls = world.repositories.iter().flat_map(|item| &item.pulls);
        let comments = pulls.flat_map(|pull| &pull.comments);
        let ids: Vec<i64> = comments.filter_map(|comment| id_of(&comment.id)).collect();
        for ids in ids.chunks(BATCH) {
            let rows: Vec<(i64, i64)> = review_comment::Entity::find()
                .select_only()
                .columns([review_comment::Column::Id, review_comment::Column::PullId])
                .filter(review_comment::COLUMN.id.is_in(ids.iter().copied()))
                .into_tuple()
                .all(db)
                .await?;
            self.comments.extend(rows);
        }
        Ok(())
    }

    pub(super) async fn fetch_reviews(
        &mut self,
        db: &Connection,
        world: &World,
    ) -> Result<(), DbErr> {
        let pulls = world.repositories.iter().flat_map(|item| &item.pulls);
        let reviews = pulls.flat_map(|pull| &pull.reviews);
        let ids = reviews.filter_map(|review| id_of(&review.id));
        let rows = rows_with(db, review::Column::Id, ids).await?;
        self.reviews
            .extend(rows.into_iter().map(|row| (row.id, row.pull_id)));
        Ok(())
    }

    pub(super) async fn fetch_issues(
        &mut self,
        db: &Connection,
        world: &World,
    ) -> Result<(), DbErr> {
        let has_ids = |item: &&Repository| item.issues.iter().any(|issue| issue.id.is_some());
        let repositories = world.repositories.iter().filter(has_ids);
        let ids: Vec<i64> = repositories
            .filter_map(|item| Some(self.repository(&item.full_name.value)?.id))
            .collect();
        for id in ids {
            let rows: Vec<(i64, i64)> = issue::Entity::find()
                .select_only()
                .columns([issue::Column::Number, issue::Column::Id])
                .filter(issue::COLUMN.repository_id.eq(id))
                .into_tuple()
                .all(db)
                .await?;
            let rows = rows.into_iter();
            self.issues
                .extend(rows.map(|(number, row)| ((id, number), row)));
        }
        Ok(())
    }

    pub(super) async fn fetch_issue_comments(
        &mut self,
        db: &Connection,
        world: &World,
    ) -> Result<(), DbErr> {
        let comments = world
            .repositories
            .iter()
            .flat_map(Repository::conversations);
        let ids: Vec<i64> = comments
            .filter_map(|(_, comment)| id_of(&comment.id))
            .collect();
        for ids in ids.chunks(BATCH) {
            let rows: Vec<(i64, i64, i64)> = issue_comment::Entity::find()
                .join(
                    JoinType::InnerJoin,
                    issue_comment::Entity::belongs_to(issue::Entity)
                        .from(issue_comment::Column::IssueId)
                        .to(issue::Column::Id)
                        .into(),
                )
                .select_only()
                .column(issue_comment::Column::Id)
                .columns([issue::Column::RepositoryId, issue::Column::Number])
                .filter(issue_comment::COLUMN.id.is_in(ids.iter().copied()))
                .into_tuple()
                .all(db)
                .await?;
            let rows = rows.into_iter();
            self.issue_comments
                .extend(rows.map(|(id, repository, number)| (id, (repository, number))));
        }
        Ok(())
    }

    pub(super) async fn fetch_fields(
        &mut self,
        db: &Connection,
        world: &World,
    ) -> Result<(), DbErr> {
        let organizations = world.organizations.iter();
        let organizations = organizations
            .filter(|organization| !organization.issue_fields.is_empty())
            .filter_map(|organization| Some(self.account(&organization.login.value)?.id));
        for row in rows_with(db, issue_field::Column::OrganizationId, organizations).await? {
            let fields = self.issue_fields.entry(row.organization_id).or_default();
            fields.push(row);
        }
        let projects = world.projects.iter();
        let projects = projects
            .filter(|project| !project.fields.is_empty())
            .filter_map(|item| Some(self.project(&item.owner.value, item.number.value.0)?.id));
        for row in rows_with(db, project_field::Column::ProjectId, projects).await? {
            let fields = self.project_fields.entry(row.project_id).or_default();
            fields.push(row);
        }
        Ok(())
    }

    pub(super) async fn fetch_items(
        &mut self,
        db: &Connection,
        world: &World,
    ) -> Result<(), DbErr> {
        let items = world.projects.iter().flat_map(|project| &project.items);
        let ids = items.filter_map(|item| id_of(&item.id));
        let rows = rows_with(db, project_item::Column::Id, ids).await?;
        self.items
            .extend(rows.into_iter().map(|row| (row.id, row.project_id)));
        Ok(())
    }

    pub(super) async fn fetch_taken_ids(
        &mut self,
        db: &Connection,
        world: &World,
    ) -> Result<(), DbErr> {
        for (table, ids) in new_ids(world, self) {
            let ids: Vec<i64> = ids.into_iter().collect();
            for ids in ids.chunks(BATCH) {
                let query = Query::select()
                    .column(Alias::new("id"))
                    .from(Alias::new(table))
                    .and_where(Expr::col(Alias::new("id")).is_in(ids.iter().copied()))
                    .take();
                for row in db.query_all(&query).await? {
                    let ids_in_use = self.taken_ids.entry(table).or_default();
                    ids_in_use.insert(row.try_get("", "id")?);
                }
            }
        }
        Ok(())
    }
}
