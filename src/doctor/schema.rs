//! Compares the schema with that of the migrations: tables, views, columns, keys, indexes and
//! triggers. A database that comes from elsewhere may bring its own, and a trigger of its own
//! would run with every change.
//!
//! On PostgreSQL, where roles and extensions may add objects, only the names of tables, views and
//! columns are compared.

use std::collections::BTreeSet;

use migration::{Migrator, MigratorTrait};
use sea_orm::{ConnectOptions, ConnectionTrait, Database, DbBackend, DbErr, FromQueryResult};
use sea_orm::{DatabaseConnection, Statement};
use tokio::sync::OnceCell;

use super::Violation;
use super::storage::violation;
use storage::database::Connection;

/// A part of the schema: its kind and name, and what it is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, FromQueryResult)]
struct SchemaPart {
    name: String,
    definition: String,
}

const SQLITE: &str = "
    WITH own AS (SELECT name, type FROM pragma_table_list
        WHERE schema = 'main' AND name NOT LIKE 'sqlite~_%' ESCAPE '~')
    SELECT type || ' ' || name AS name, '' AS definition FROM own
    UNION ALL SELECT 'column ' || own.name || '.' || part.name, part.type || ' ' || part.\"notnull\"
        || ' ' || COALESCE(part.dflt_value, '') || ' ' || part.pk || ' ' || part.hidden
        FROM own JOIN pragma_table_xinfo(own.name) AS part WHERE own.type = 'table'
    UNION ALL SELECT 'foreign key ' || own.name || '.' || part.\"from\", part.\"table\" || '.'
        || COALESCE(part.\"to\", '') || ' ' || part.on_update || ' ' || part.on_delete
        FROM own JOIN pragma_foreign_key_list(own.name) AS part
    UNION ALL SELECT 'unique key of ' || own.name || ' (' || COALESCE((SELECT group_concat(name, ', ')
            FROM pragma_index_info(part.name)), '') || ')', ''
        FROM own JOIN pragma_index_list(own.name) AS part WHERE part.origin = 'u'
    UNION ALL SELECT type || ' ' || name, tbl_name || ' ' || sql FROM sqlite_schema
        WHERE type IN ('index', 'trigger') AND sql IS NOT NULL";

const POSTGRES: &str = "
    SELECT CASE table_type WHEN 'BASE TABLE' THEN 'table ' ELSE 'view ' END || table_name AS name,
        '' AS definition FROM information_schema.tables WHERE table_schema = current_schema()
    UNION ALL SELECT 'column ' || columns.table_name || '.' || column_name, ''
        FROM information_schema.columns JOIN information_schema.tables
            USING (table_schema, table_name)
        WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'";

/// The result of the comparison.
pub struct SchemaComparison {
    pub finding: Option<Violation>,
    /// Whether the tables and columns are as expected, so that queries can be trusted.
    pub has_own_tables: bool,
}

pub async fn compare(db: &Connection) -> Result<SchemaComparison, DbErr> {
    let on_sqlite = db.get_database_backend() == DbBackend::Sqlite;
    let mut expected = expected().await?.clone();
    if !on_sqlite {
        expected.retain(|part| is_queried(&part.name));
        expected = expected.into_iter().map(without_definition).collect();
    }
    let found = parts(db, if on_sqlite { SQLITE } else { POSTGRES }).await?;
    let differences = differences(&expected, &found);
    Ok(SchemaComparison {
        has_own_tables: !differences.iter().any(|(_, name)| is_queried(name)),
        finding: violation(
            "schema",
            "The schema is that of the migrations",
            differences
                .iter()
                .map(|(how, name)| format!("{how} {name}"))
                .collect(),
        ),
    })
}

fn is_queried(name: &str) -> bool {
    !["foreign ", "unique ", "index ", "trigger "]
        .iter()
        .any(|kind| name.starts_with(kind))
}

fn without_definition(part: SchemaPart) -> SchemaPart {
    SchemaPart {
        definition: String::new(),
        ..part
    }
}

/// How each part differs, and its name.
fn differences<'a>(
    expected: &'a BTreeSet<SchemaPart>,
    found: &'a BTreeSet<SchemaPart>,
) -> Vec<(&'static str, &'a str)> {
    let has = |parts: &BTreeSet<SchemaPart>, name: &str| parts.iter().any(|part| part.name == name);
    let missing = expected.difference(found).map(|part| {
        let how = if has(found, &part.name) {
            "changed"
        } else {
            "missing"
        };
        (how, part.name.as_str())
    });
    let unexpected = found
        .difference(expected)
        .filter(|part| !has(expected, &part.name))
        .map(|part| ("unexpected", part.name.as_str()));
    unexpected.chain(missing).collect()
}

/// The schema of a new database. Computed once.
async fn expected() -> Result<&'static BTreeSet<SchemaPart>, DbErr> {
    static EXPECTED: OnceCell<BTreeSet<SchemaPart>> = OnceCell::const_new();
    EXPECTED
        .get_or_try_init(|| async {
            let db = in_memory().await?;
            Migrator::up(&db, None).await?;
            let db = Connection::from(db);
            let parts = parts(&db, SQLITE).await?;
            db.close().await?;
            Ok(parts)
        })
        .await
}

/// A database in memory. It belongs to its connection, so there is only one.
async fn in_memory() -> Result<DatabaseConnection, DbErr> {
    let mut options = ConnectOptions::new("sqlite::memory:");
    options.max_connections(1).sqlx_logging(false);
    Database::connect(options).await
}

async fn parts(db: &Connection, sql: &str) -> Result<BTreeSet<SchemaPart>, DbErr> {
    let statement = Statement::from_string(db.get_database_backend(), sql);
    let parts = SchemaPart::find_by_statement(statement).all(db).await?;
    Ok(parts.into_iter().map(normalized).collect())
}

/// Spaces and quotes do not count: they depend on the version of the tool that wrote them.
fn normalized(part: SchemaPart) -> SchemaPart {
    let definition = part.definition.chars();
    let counts = |character: &char| !character.is_whitespace() && !['"', '`'].contains(character);
    SchemaPart {
        definition: definition.filter(counts).collect(),
        ..part
    }
}
