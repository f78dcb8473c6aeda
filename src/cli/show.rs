//! `forgewright world show`: lists what exists, with the ids that the API uses. Lists the
//! first rows of each kind, by id; a database may hold a million.

use std::collections::HashMap;

use clap::Args;
use sea_orm::{ConnectionTrait, DbErr, EntityTrait, QueryOrder, QuerySelect, Select};

use super::print::say;
use super::token;
use super::{Failure, open_existing};
use crate::config::DatabaseConfig;
use crate::database::rows_with;
use crate::entities::{account, app, installation, project, pull, repository};

#[derive(Debug, Args)]
pub struct Show {
    /// How many of each kind to list
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    limit: u64,

    #[command(flatten)]
    database: DatabaseConfig,
}

pub async fn run(show: &Show) -> Result<(), Failure> {
    let db = open_existing(&show.database).await?;
    let lister = Lister {
        db: db.reads(),
        limit: show.limit,
    };
    for kind in lister.all().await? {
        kind.print()?;
    }
    db.close().await?;
    say!("\ntokens")?;
    token::list(&show.database, show.limit).await
}

/// The first items of a kind, and whether there are more.
struct Section {
    name: &'static str,
    items: Vec<(i64, String)>,
    more: bool,
}

impl Section {
    fn print(&self) -> Result<(), Failure> {
        if self.items.is_empty() {
            return Ok(());
        }
        say!("{}", self.name)?;
        for (id, name) in &self.items {
            say!("{id:>12}  {name}")?;
        }
        match self.more {
            true => say!("{:>12}  (more; see --limit)", "…"),
            false => Ok(()),
        }
    }
}

struct Lister<'a, C> {
    db: &'a C,
    limit: u64,
}

impl<C: ConnectionTrait> Lister<'_, C> {
    async fn all(&self) -> Result<Vec<Section>, DbErr> {
        let accounts = account::Entity::find().order_by_asc(account::Column::Id);
        let accounts = self.first(accounts, "accounts", account_name).await?;
        Ok(vec![
            accounts,
            self.repositories().await?,
            self.pulls().await?,
            self.projects().await?,
            self.apps().await?,
            self.installations().await?,
        ])
    }

    async fn repositories(&self) -> Result<Section, DbErr> {
        let rows = repository::Entity::find().order_by_asc(repository::Column::Id);
        let rows = self.rows(rows).await?;
        let names = self.full_names(&rows).await?;
        Ok(self.section("repositories", &rows, |row| {
            (row.id, name(&names, row.id).to_owned())
        }))
    }

    async fn pulls(&self) -> Result<Section, DbErr> {
        let rows = pull::Entity::find().order_by_asc(pull::Column::Id);
        let rows = self.rows(rows).await?;
        let ids = rows.iter().map(|row| row.repository_id);
        let homes = rows_with(self.db, repository::Column::Id, ids).await?;
        let homes = self.full_names(&homes).await?;
        Ok(self.section("pull requests", &rows, |row| {
            let (home, number, title) = (name(&homes, row.repository_id), row.number, &row.title);
            (row.id, format!("{home}#{number}  {title}"))
        }))
    }

    async fn projects(&self) -> Result<Section, DbErr> {
        let rows = project::Entity::find().order_by_asc(project::Column::Id);
        let rows = self.rows(rows).await?;
        let owners = self.logins(rows.iter().map(|row| row.owner_id)).await?;
        Ok(self.section("projects", &rows, |row| {
            let (owner, number, title) = (name(&owners, row.owner_id), row.number, &row.title);
            (row.id, format!("{owner}, number {number}  {title}"))
        }))
    }

    async fn apps(&self) -> Result<Section, DbErr> {
        let rows = app::Entity::find().order_by_asc(app::Column::Id);
        self.first(rows, "apps", |row| (row.id, row.slug.clone()))
            .await
    }

    async fn installations(&self) -> Result<Section, DbErr> {
        let rows = installation::Entity::find().order_by_asc(installation::Column::Id);
        let rows = self.rows(rows).await?;
        let accounts = self.logins(rows.iter().map(|row| row.account_id)).await?;
        let ids = rows.iter().map(|row| row.app_id);
        let apps = rows_with(self.db, app::Column::Id, ids).await?;
        let apps: HashMap<i64, String> = apps.into_iter().map(|row| (row.id, row.slug)).collect();
        Ok(self.section("installations", &rows, |row| {
            let (app, account) = (name(&apps, row.app_id), name(&accounts, row.account_id));
            (row.id, format!("{app} on {account}"))
        }))
    }

    async fn first<E: EntityTrait>(
        &self,
        rows: Select<E>,
        name: &'static str,
        item: impl Fn(&E::Model) -> (i64, String),
    ) -> Result<Section, DbErr>
    where
        E::Model: Send + Sync,
    {
        let rows = self.rows(rows).await?;
        Ok(self.section(name, &rows, item))
    }

    /// Fetches one row more than it shows, to detect whether there are more.
    async fn rows<E: EntityTrait>(&self, rows: Select<E>) -> Result<Vec<E::Model>, DbErr>
    where
        E::Model: Send + Sync,
    {
        rows.limit(self.limit + 1).all(self.db).await
    }

    fn section<M>(
        &self,
        name: &'static str,
        rows: &[M],
        item: impl Fn(&M) -> (i64, String),
    ) -> Section {
        let most = usize::try_from(self.limit).unwrap_or(usize::MAX);
        Section {
            name,
            more: rows.len() > most,
            items: rows.iter().take(most).map(item).collect(),
        }
    }

    async fn full_names(&self, rows: &[repository::Model]) -> Result<HashMap<i64, String>, DbErr> {
        let owners = self.logins(rows.iter().map(|row| row.owner_id)).await?;
        let named = |row: &repository::Model| {
            let owner = name(&owners, row.owner_id);
            (row.id, format!("{owner}/{}", row.name))
        };
        Ok(rows.iter().map(named).collect())
    }

    async fn logins(&self, ids: impl Iterator<Item = i64>) -> Result<HashMap<i64, String>, DbErr> {
        let rows = rows_with(self.db, account::Column::Id, ids).await?;
        Ok(rows.into_iter().map(|row| (row.id, row.login)).collect())
    }
}

fn account_name(row: &account::Model) -> (i64, String) {
    let kind = match row.kind {
        account::Kind::User => "user",
        account::Kind::Organization => "organization",
        account::Kind::Bot => "bot",
    };
    (row.id, format!("{}  {kind}", row.login))
}

fn name(names: &HashMap<i64, String>, id: i64) -> &str {
    names.get(&id).map_or("?", String::as_str)
}
