//! The contents of a world, with the ids that the API uses: a page of each kind, ordered by id.
//! A database may hold a million of each.

use std::collections::HashMap;

use sea_orm::{
    ActiveEnum, ColumnTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Select,
};

use contract::control::worlds::{
    WorldAccount, WorldApp, WorldCollaborator, WorldContents, WorldInstallation,
    WorldInstallationRepository, WorldIssue, WorldMember, WorldProject, WorldPull, WorldRepository,
    WorldToken, WorldTokenRepository,
};
use contract::values::Timestamp;
use forge::tokens;
use storage::database::{Connection, rows_with};
use storage::entities::{
    account, app, collaborator, installation, installation_repository, issue, membership, project,
    pull, repository, token, token_repository,
};

/// The largest offset: more than any table has, and valid in every database.
const FARTHEST: u64 = 1 << 40;

/// Reads a page of each kind.
pub struct Lister<'a> {
    pub db: &'a Connection,
    /// How many of each kind to skip.
    pub skipped: u64,
    /// How many of each kind to read.
    pub limit: u64,
}

/// A page of one kind, and whether there are more.
struct Section<T> {
    items: Vec<T>,
    more: bool,
}

impl<T> Section<T> {
    fn map<U>(self, item: impl Fn(T) -> U) -> Section<U> {
        Section {
            items: self.items.into_iter().map(item).collect(),
            more: self.more,
        }
    }
}

impl Lister<'_> {
    /// Everything; tokens as they are at this time, without their values.
    pub async fn all(&self, now: i64) -> Result<WorldContents, DbErr> {
        let accounts = self.accounts().await?;
        let members = self.members().await?;
        let repositories = self.repositories().await?;
        let collaborators = self.collaborators().await?;
        let issues = self.issues().await?;
        let pulls = self.pulls().await?;
        let projects = self.projects().await?;
        let apps = self.apps().await?;
        let installations = self.installations().await?;
        let installation_repositories = self.installation_repositories().await?;
        let tokens = self.tokens(now).await?;
        let token_repositories = self.token_repositories().await?;
        let more = accounts.more
            || members.more
            || repositories.more
            || collaborators.more
            || issues.more
            || pulls.more
            || projects.more
            || apps.more
            || installations.more
            || installation_repositories.more
            || tokens.more
            || token_repositories.more;
        Ok(WorldContents {
            accounts: accounts.items,
            members: members.items,
            repositories: repositories.items,
            collaborators: collaborators.items,
            issues: issues.items,
            pull_requests: pulls.items,
            projects: projects.items,
            apps: apps.items,
            installations: installations.items,
            installation_repositories: installation_repositories.items,
            tokens: tokens.items,
            token_repositories: token_repositories.items,
            more,
        })
    }

    /// Tokens as they are at this time, without their values, and apps.
    pub async fn credentials(&self, now: i64) -> Result<(Vec<WorldToken>, Vec<WorldApp>), DbErr> {
        Ok((self.tokens(now).await?.items, self.apps().await?.items))
    }

    async fn accounts(&self) -> Result<Section<WorldAccount>, DbErr> {
        let rows = account::Entity::find().order_by_asc(account::Column::Id);
        let rows = self.page(rows).await?;
        Ok(rows.map(|row| WorldAccount {
            id: row.id,
            kind: kind(row.kind).to_owned(),
            login: row.login,
        }))
    }

    async fn members(&self) -> Result<Section<WorldMember>, DbErr> {
        let rows = membership::Entity::find()
            .order_by_asc(membership::Column::OrganizationId)
            .order_by_asc(membership::Column::UserId);
        let rows = self.page(rows).await?;
        let account_ids = rows.items.iter();
        let account_ids = account_ids.flat_map(|row| [row.organization_id, row.user_id]);
        let logins = self.logins(account_ids).await?;
        Ok(rows.map(|row| WorldMember {
            organization: name(&logins, row.organization_id),
            user: name(&logins, row.user_id),
            role: row.role.to_value(),
        }))
    }

    async fn repositories(&self) -> Result<Section<WorldRepository>, DbErr> {
        let rows = repository::Entity::find().order_by_asc(repository::Column::Id);
        let rows = self.page(rows).await?;
        let names = self.full_names(&rows.items).await?;
        Ok(rows.map(|row| WorldRepository {
            id: row.id,
            full_name: name(&names, row.id),
            visibility: match row.internal {
                true => "internal".to_owned(),
                false => row.visibility.to_value(),
            },
            default_branch: row.default_branch,
        }))
    }

    async fn collaborators(&self) -> Result<Section<WorldCollaborator>, DbErr> {
        let rows = collaborator::Entity::find()
            .order_by_asc(collaborator::Column::RepositoryId)
            .order_by_asc(collaborator::Column::UserId);
        let rows = self.page(rows).await?;
        let homes = rows.items.iter().map(|row| row.repository_id);
        let homes = self.homes(homes).await?;
        let logins = self
            .logins(rows.items.iter().map(|row| row.user_id))
            .await?;
        Ok(rows.map(|row| WorldCollaborator {
            repository: name(&homes, row.repository_id),
            user: name(&logins, row.user_id),
            permission: row.permission.as_str().to_owned(),
        }))
    }

    async fn issues(&self) -> Result<Section<WorldIssue>, DbErr> {
        let rows = issue::Entity::find()
            .filter(issue::Column::PullId.is_null())
            .order_by_asc(issue::Column::Id);
        let rows = self.page(rows).await?;
        let homes = rows.items.iter().map(|row| row.repository_id);
        let homes = self.homes(homes).await?;
        Ok(rows.map(|row| WorldIssue {
            id: row.id,
            repository: name(&homes, row.repository_id),
            number: row.number,
            title: row.title,
        }))
    }

    async fn pulls(&self) -> Result<Section<WorldPull>, DbErr> {
        let rows = pull::Entity::find().order_by_asc(pull::Column::Id);
        let rows = self.page(rows).await?;
        let homes = rows.items.iter().map(|row| row.repository_id);
        let homes = self.homes(homes).await?;
        Ok(rows.map(|row| WorldPull {
            id: row.id,
            repository: name(&homes, row.repository_id),
            number: row.number,
            title: row.title,
        }))
    }

    async fn projects(&self) -> Result<Section<WorldProject>, DbErr> {
        let rows = project::Entity::find().order_by_asc(project::Column::Id);
        let rows = self.page(rows).await?;
        let owners = rows.items.iter().map(|row| row.owner_id);
        let owners = self.logins(owners).await?;
        Ok(rows.map(|row| WorldProject {
            id: row.id,
            owner: name(&owners, row.owner_id),
            number: row.number,
            title: row.title,
        }))
    }

    async fn apps(&self) -> Result<Section<WorldApp>, DbErr> {
        let rows = app::Entity::find().order_by_asc(app::Column::Id);
        let rows = self.page(rows).await?;
        Ok(rows.map(|row| WorldApp {
            id: row.id,
            private_key: super::load::demo_key_of(&row),
            slug: row.slug,
            client_id: row.client_id,
            webhook_url: row.webhook_url,
            webhook_content_type: row.webhook_content_type.to_value(),
            webhook_signed: row.webhook_secret.is_some(),
            webhook_ssl_verified: !row.webhook_insecure_ssl,
            permissions: stored(&row.permissions),
            events: stored(&row.events),
        }))
    }

    async fn installations(&self) -> Result<Section<WorldInstallation>, DbErr> {
        let rows = installation::Entity::find().order_by_asc(installation::Column::Id);
        let rows = self.page(rows).await?;
        let accounts = rows.items.iter();
        let accounts = accounts.flat_map(|row| [Some(row.account_id), row.suspended_by_id]);
        let accounts: Vec<i64> = accounts.flatten().collect();
        let accounts = self.logins(accounts.into_iter()).await?;
        let ids = rows.items.iter().map(|row| row.app_id);
        let apps = rows_with(self.db, app::Column::Id, ids).await?;
        let apps: HashMap<i64, String> = apps.into_iter().map(|row| (row.id, row.slug)).collect();
        Ok(rows.map(|row| WorldInstallation {
            id: row.id,
            app: name(&apps, row.app_id),
            account: name(&accounts, row.account_id),
            repository_selection: row.repository_selection.to_value(),
            permissions: stored(&row.permissions),
            events: stored(&row.events),
            created_at: Timestamp(row.created_at),
            suspended_at: row.suspended_at.map(Timestamp),
            suspended_by: row
                .suspended_by_id
                .and_then(|id| accounts.get(&id).cloned()),
        }))
    }

    async fn installation_repositories(
        &self,
    ) -> Result<Section<WorldInstallationRepository>, DbErr> {
        use installation_repository::{Column, Entity};
        let rows = Entity::find()
            .order_by_asc(Column::InstallationId)
            .order_by_asc(Column::RepositoryId);
        let rows = self.page(rows).await?;
        let homes = rows.items.iter().map(|row| row.repository_id);
        let homes = self.homes(homes).await?;
        Ok(rows.map(|row| WorldInstallationRepository {
            installation_id: row.installation_id,
            repository: name(&homes, row.repository_id),
        }))
    }

    async fn tokens(&self, now: i64) -> Result<Section<WorldToken>, DbErr> {
        let rows = token::Entity::find().order_by_asc(token::Column::Id);
        let rows = self.page(rows).await?;
        let listed = tokens::describe(self.db, &rows.items, now).await?;
        let items = listed.into_iter().zip(&rows.items);
        let items = items.map(|(token, row)| WorldToken {
            id: token.id,
            kind: token.kind.to_value(),
            holder: token.holder,
            value: None,
            hint: token.hint,
            description: token.label,
            scopes: token.scopes.into_iter().collect(),
            permissions: stored(&row.permissions),
            repository_selection: row
                .repository_selection
                .map(|selection| selection.to_value()),
            expires_at: token.expires_at,
            active: token.active,
        });
        Ok(Section {
            items: items.collect(),
            more: rows.more,
        })
    }

    async fn token_repositories(&self) -> Result<Section<WorldTokenRepository>, DbErr> {
        use token_repository::{Column, Entity};
        let rows = Entity::find()
            .order_by_asc(Column::TokenId)
            .order_by_asc(Column::RepositoryId);
        let rows = self.page(rows).await?;
        let homes = rows.items.iter().map(|row| row.repository_id);
        let homes = self.homes(homes).await?;
        Ok(rows.map(|row| WorldTokenRepository {
            token_id: row.token_id,
            repository: name(&homes, row.repository_id),
        }))
    }

    /// Fetches one row more than it returns, to detect whether there are more.
    async fn page<E: EntityTrait>(&self, rows: Select<E>) -> Result<Section<E::Model>, DbErr>
    where
        E::Model: Send + Sync,
    {
        let skipped = self.skipped.min(FARTHEST);
        let rows = rows.offset(skipped).limit(self.limit + 1);
        let mut items = rows.all(self.db).await?;
        let most = usize::try_from(self.limit).unwrap_or(usize::MAX);
        let more = items.len() > most;
        items.truncate(most);
        Ok(Section { items, more })
    }

    /// The full names of repositories.
    async fn homes(&self, ids: impl Iterator<Item = i64>) -> Result<HashMap<i64, String>, DbErr> {
        let rows = rows_with(self.db, repository::Column::Id, ids).await?;
        self.full_names(&rows).await
    }

    async fn full_names(&self, rows: &[repository::Model]) -> Result<HashMap<i64, String>, DbErr> {
        let owners = self.logins(rows.iter().map(|row| row.owner_id)).await?;
        let with_full_name = |row: &repository::Model| {
            let owner = name(&owners, row.owner_id);
            (row.id, format!("{owner}/{}", row.name))
        };
        Ok(rows.iter().map(with_full_name).collect())
    }

    async fn logins(&self, ids: impl Iterator<Item = i64>) -> Result<HashMap<i64, String>, DbErr> {
        let rows = rows_with(self.db, account::Column::Id, ids).await?;
        Ok(rows.into_iter().map(|row| (row.id, row.login)).collect())
    }
}

fn kind(kind: account::AccountKind) -> &'static str {
    match kind {
        account::AccountKind::User => "user",
        account::AccountKind::Organization => "organization",
        account::AccountKind::Bot => "bot",
    }
}

fn name(names: &HashMap<i64, String>, id: i64) -> String {
    names.get(&id).map_or("?", String::as_str).to_owned()
}

/// A column with JSON that the service wrote.
fn stored<T: serde::de::DeserializeOwned + Default>(text: &str) -> T {
    serde_json::from_str(text).unwrap_or_default()
}
