//! Applies migrations.

use migration::{Migrator, MigratorTrait};
use sea_orm::{ConnectionTrait, DatabaseConnection, DbBackend, TransactionTrait};

use super::inspection::refuse_foreign;
use super::location::DatabaseLocation;
use super::postgres::connect_postgres;
use super::time_limits::NO_TIME_LIMITS;
use super::{ConnectError, Database, Options, sqlite};

/// The advisory lock that serializes migrations on PostgreSQL. Any constant works, as long
/// as it never changes.
const MIGRATION_LOCK: i64 = 0x666f_7267_6577;

impl Database {
    /// Applies pending migrations in one transaction, and returns how many it applied.
    ///
    /// Uses a separate connection and closes it: a SQLite connection that has read the
    /// schema before does not see an index created by another one, and would reject its
    /// first upsert.
    pub async fn migrate(url: &str) -> Result<usize, ConnectError> {
        let one = Options {
            connections: 1,
            ..Options::default()
        };
        let location = DatabaseLocation::parse(url)?;
        let connection = match &location {
            DatabaseLocation::File(path) => {
                refuse_foreign(path).await?;
                sqlite::open_writer(path, one, sqlite::MIGRATION_BUSY).await?
            }
            DatabaseLocation::Server(server) => connect_postgres(server, one).await?.0,
        };
        let outcome = apply_migrations(&connection).await;
        connection.close().await?;
        match (outcome, location) {
            (Err(error), DatabaseLocation::File(path)) => Err(error.naming_lock_of(&path)),
            (outcome, _) => outcome,
        }
    }
}

async fn apply_migrations(connection: &DatabaseConnection) -> Result<usize, ConnectError> {
    let transaction = connection.begin_with_options(sqlite::immediate()).await?;
    if transaction.get_database_backend() == DbBackend::Postgres {
        transaction.execute_unprepared(NO_TIME_LIMITS).await?;
        let lock = format!("SELECT pg_advisory_xact_lock({MIGRATION_LOCK})");
        transaction.execute_unprepared(&lock).await?;
    }
    let known = Migrator::get_migration_files();
    let applied = Migrator::get_migration_models(&transaction).await?;
    let unknown = applied.iter().find(|row| {
        known
            .iter()
            .all(|migration| migration.name() != row.version)
    });
    if let Some(row) = unknown {
        return Err(ConnectError::Newer(row.version.clone()));
    }
    Migrator::up(&transaction, None).await?;
    transaction.commit().await?;
    Ok(known.len() - applied.len())
}
