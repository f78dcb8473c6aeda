//! The version of each aggregate, and the triggers that increase it when a row of the
//! aggregate changes (`aggregates.rs`), for every writer: a handler, a command, `psql` or
//! `sqlite3`.
//!
//! An aggregate without a row here has version 0. Rows are never deleted, so a version
//! never returns to an earlier value.

use sea_orm_migration::prelude::*;
use sea_orm_migration::sea_orm::DbBackend;

use crate::aggregates::{Link, Rows, TABLES};
use crate::dialect::{Dialect, drop_tables, run};

mod postgres;
mod sqlite;

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let dialect = Dialect::of(manager)?;
        run(manager, &[&table(&dialect)]).await?;
        create_triggers(manager, &present(manager).await?).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        drop_triggers(manager, &present(manager).await?).await?;
        drop_tables(manager, &["version"]).await
    }
}

/// Creates the triggers of tables. A later migration creates those of the tables and of the
/// column-specific aggregates (`Link::Columns`) that it adds.
pub async fn create_triggers(manager: &SchemaManager<'_>, tables: &[&str]) -> Result<(), DbErr> {
    create_link_triggers(manager, tables, covers_rows).await
}

/// Whether any change of a row changes the aggregate of a link.
pub fn covers_rows(link: &Link) -> bool {
    !matches!(link, Link::Columns(..))
}

/// Recreates the triggers of tables for some links.
pub async fn recreate_triggers(
    manager: &SchemaManager<'_>,
    tables: &[&str],
    wanted: fn(&Link) -> bool,
) -> Result<(), DbErr> {
    drop_triggers(manager, tables).await?;
    create_link_triggers(manager, tables, wanted).await
}

async fn create_link_triggers(
    manager: &SchemaManager<'_>,
    tables: &[&str],
    wanted: fn(&Link) -> bool,
) -> Result<(), DbErr> {
    for (table, links) in versioned().filter(|(table, _)| tables.contains(table)) {
        let links: Vec<&Link> = links.iter().filter(|link| wanted(link)).collect();
        let statements = match manager.get_database_backend() {
            DbBackend::Postgres => postgres::up(table, &links),
            _ => sqlite::up(table, &links, &sqlite::unique_keys(manager, table).await?),
        };
        for statement in statements {
            run(manager, &[&statement]).await?;
        }
    }
    Ok(())
}

/// Drops the triggers of tables.
pub async fn drop_triggers(manager: &SchemaManager<'_>, tables: &[&str]) -> Result<(), DbErr> {
    for table in tables {
        let statements = match manager.get_database_backend() {
            DbBackend::Postgres => postgres::down(table),
            _ => sqlite::down(table),
        };
        for statement in statements {
            run(manager, &[&statement]).await?;
        }
    }
    Ok(())
}

/// The versioned tables that exist.
async fn present(manager: &SchemaManager<'_>) -> Result<Vec<&'static str>, DbErr> {
    let mut present = Vec::new();
    for (table, _) in versioned() {
        if manager.has_table(table).await? {
            present.push(table);
        }
    }
    Ok(present)
}

fn versioned() -> impl Iterator<Item = (&'static str, &'static [Link])> {
    TABLES.iter().filter_map(|(table, rows)| match rows {
        Rows::Change(links) => Some((*table, *links)),
        Rows::Derived(_) | Rows::Immutable | Rows::Hiding | Rows::NeverCached => None,
    })
}

fn table(dialect: &Dialect) -> String {
    let Dialect {
        int,
        keyed,
        updated_in_place,
        ..
    } = dialect;
    format!(
        "CREATE TABLE version (
            kind {int} NOT NULL CHECK (kind >= 0),
            id {int} NOT NULL,
            n {int} NOT NULL CHECK (n > 0),
            PRIMARY KEY (kind, id)
        ) {keyed} {updated_in_place}"
    )
}

impl Link {
    /// The id of the aggregate that a row belongs to, in SQL. `row` names the row.
    fn id(&self, row: &str) -> String {
        match self {
            Self::Root(_) => format!("{row}.id"),
            Self::Column(_, column) | Self::Columns(_, column, _) => format!("{row}.{column}"),
            Self::Through(_, column, table, there) => {
                format!("(SELECT {there} FROM {table} WHERE {table}.id = {row}.{column})")
            }
            Self::All(_) => "0".to_owned(),
        }
    }

    /// The stored number of the aggregate's kind.
    fn number(&self) -> u8 {
        self.kind() as u8
    }
}
