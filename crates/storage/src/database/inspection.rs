//! Opens an existing database for reading only: creates no file and runs no migration.

use std::path::Path;

use migration::{Migrator, MigratorTrait};
use sea_orm::sqlx::sqlite::{SqliteConnectOptions, SqlitePoolOptions};
use sea_orm::sqlx::{self, ConnectOptions, SqlitePool};
use sea_orm::{
    ConnectionTrait, DatabaseConnection, DbErr, FromQueryResult, SqlxSqliteConnector, Statement,
};

use super::connect_error::{plain, sqlite_error};
use super::location::DatabaseLocation;
use super::postgres::connect_postgres;
use super::sqlite::BUSY;
use super::{ConnectError, Connection, Options};

/// Opens a database that has the schema of this version.
pub async fn inspect(url: &str) -> Result<Connection, ConnectError> {
    let connection = match DatabaseLocation::parse(url)? {
        DatabaseLocation::File(path) => open_file(&path).await?,
        DatabaseLocation::Server(server) => {
            let one = Options {
                connections: 1,
                ..Options::default()
            };
            connect_postgres(&server, one).await?.0
        }
    };
    let connection = Connection::from(connection);
    check_schema(&connection).await?;
    Ok(connection)
}

async fn open_file(path: &Path) -> Result<DatabaseConnection, ConnectError> {
    require_file(path)?;
    refuse_foreign(path).await?;
    let pool = open_pool(path).await;
    let pool = pool.map_err(|error| sqlite_error(path, &error))?;
    Ok(SqlxSqliteConnector::from_sqlx_sqlite_pool(pool))
}

async fn open_pool(path: &Path) -> Result<SqlitePool, sqlx::Error> {
    let options = existing(path).pragma("query_only", "ON");
    let pool = SqlitePoolOptions::new().max_connections(1);
    pool.connect_with(options).await
}

/// Requires a file. SQLite would wait for a pipe; it reports a folder itself.
pub(super) fn require_file(path: &Path) -> Result<(), ConnectError> {
    match path.metadata() {
        Ok(metadata) if metadata.is_file() || metadata.is_dir() => Ok(()),
        Ok(_) => Err(ConnectError::NotADatabase(path.to_owned())),
        Err(_) => Err(ConnectError::Missing(path.to_owned())),
    }
}

/// Refuses a file with the tables of another program, without changing it.
pub(super) async fn refuse_foreign(path: &Path) -> Result<(), ConnectError> {
    if !path.exists() {
        return Ok(());
    }
    require_file(path)?;
    let tables = tables(path).await;
    let tables = tables.map_err(|error| sqlite_error(path, &error))?;
    let ours = tables.iter().any(|name| name == "seaql_migrations");
    match tables.is_empty() || ours {
        true => Ok(()),
        false => Err(ConnectError::Foreign(path.to_owned())),
    }
}

async fn tables(path: &Path) -> Result<Vec<String>, sqlx::Error> {
    let pool = open_pool(path).await?;
    let tables = "SELECT name FROM sqlite_schema WHERE type = 'table'";
    let tables = sqlx::query_scalar(tables).fetch_all(&pool).await;
    pool.close().await;
    tables
}

/// Options for a file that must exist.
pub(super) fn existing(path: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(path)
        .busy_timeout(BUSY)
        .disable_statement_logging()
}

#[derive(FromQueryResult)]
struct AppliedMigration {
    version: String,
}

async fn check_schema(connection: &Connection) -> Result<(), ConnectError> {
    let sql = "SELECT version FROM seaql_migrations ORDER BY version";
    let statement = Statement::from_string(connection.get_database_backend(), sql);
    let applied: Result<Vec<AppliedMigration>, DbErr> =
        AppliedMigration::find_by_statement(statement)
            .all(connection)
            .await;
    let applied = applied.map_err(|error| ConnectError::NoSchema(plain(&error)))?;
    let known = Migrator::get_migration_files();
    let unknown = applied.iter().find(|row| {
        known
            .iter()
            .all(|migration| migration.name() != row.version)
    });
    match unknown {
        Some(row) => Err(ConnectError::Newer(row.version.clone())),
        None if applied.len() < known.len() => Err(ConnectError::Older),
        None => Ok(()),
    }
}
