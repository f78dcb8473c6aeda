//! Connection pools of SQLite: many readers, one writer.

use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};
use sea_orm::sqlx::sqlite::{
    SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous,
};
use sea_orm::sqlx::{self, Connection as _, SqlitePool};
use sea_orm::{DatabaseConnection, SqliteTransactionMode, SqlxSqliteConnector, TransactionOptions};

use super::connect_error::sqlite_error;
use super::{ConnectError, Options, STATEMENTS};
use crate::files::make_private_folder;

/// How long SQLite waits for another process's lock.
pub const BUSY: Duration = Duration::from_secs(5);

/// How long a migration waits for that of another process, whose commit may be slow on a
/// busy disk.
pub const MIGRATION_BUSY: Duration = Duration::from_secs(20);

/// The size to which SQLite truncates its write-ahead log after a burst.
const LOG_LIMIT_BYTES: &str = "67108864";

/// The same size in pages. At this size a commit makes the checkpoint itself, if
/// `checkpoints.rs` has not.
const LOG_LIMIT_PAGES: &str = "16384";

/// Rows that a connection's thread reads ahead. It sleeps when there are more.
const ROWS_AHEAD: usize = 200;

/// The page cache of a connection to an ephemeral database, in KiB.
const EPHEMERAL_CACHE: &str = "-256";

/// A pool of read-only connections.
pub async fn open_readers(
    path: &Path,
    options: Options,
) -> Result<DatabaseConnection, ConnectError> {
    let reader = sqlite_options(path, BUSY).pragma("query_only", "ON");
    let pool = SqlitePoolOptions::new()
        .max_connections(options.pool_size())
        .acquire_timeout(options.wait)
        .test_before_acquire(false);
    let pool = open(pool, reader, options).await;
    let pool = pool.map_err(|error| sqlite_error(path, &error))?;
    if !options.ephemeral {
        warn_about_compile_options(&pool).await;
    }
    Ok(SqlxSqliteConnector::from_sqlx_sqlite_pool(pool))
}

/// Connects immediately, or on first use for an ephemeral database. Connections have no idle
/// timeout.
async fn open(
    pool: SqlitePoolOptions,
    connection: SqliteConnectOptions,
    options: Options,
) -> Result<SqlitePool, sqlx::Error> {
    let pool = pool.max_lifetime(None).idle_timeout(None);
    if !options.ephemeral {
        return pool.connect_with(connection).await;
    }
    let connection = connection
        .synchronous(SqliteSynchronous::Off)
        .pragma("cache_size", EPHEMERAL_CACHE);
    Ok(pool.connect_lazy_with(connection))
}

/// A pool of the single write connection. A connection that returns inside a transaction is
/// replaced, so that the next writer does not inherit it.
pub async fn open_writer(
    path: &Path,
    options: Options,
    busy: Duration,
) -> Result<DatabaseConnection, ConnectError> {
    make_folder(path)?;
    make_file(path);
    let mut writer = sqlite_options(path, busy)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .pragma("journal_size_limit", LOG_LIMIT_BYTES);
    if !options.ephemeral {
        writer = writer.pragma("wal_autocheckpoint", LOG_LIMIT_PAGES);
    }
    let pool = SqlitePoolOptions::new()
        .max_connections(1)
        .acquire_timeout(options.wait)
        .test_before_acquire(false)
        .after_release(|connection, _| {
            Box::pin(async move {
                // The ping completes after the rollback that a drop has queued.
                connection.ping().await?;
                Ok(!connection.is_in_transaction())
            })
        });
    let pool = open(pool, writer, options).await;
    let pool = pool.map_err(|error| sqlite_error(path, &error))?;
    Ok(SqlxSqliteConnector::from_sqlx_sqlite_pool(pool))
}

/// A connection beside the pools, for work on the calling thread. It is writable, because
/// reading a write-ahead log requires that.
pub fn open_beside(path: &Path, busy: Duration) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(busy)?;
    Ok(connection)
}

/// Closes the idle connections of a pool.
pub async fn close_idle(pool: &DatabaseConnection) {
    let pool = pool.get_sqlite_connection_pool();
    while let Some(connection) = pool.try_acquire() {
        if let Err(error) = connection.close().await {
            tracing::warn!(%error, "cannot close an idle connection");
        }
    }
}

/// IMMEDIATE takes SQLite's write lock when the transaction begins. A transaction that
/// reads first and upgrades later fails if another process wrote in between.
pub fn immediate() -> TransactionOptions {
    TransactionOptions {
        sqlite_transaction_mode: Some(SqliteTransactionMode::Immediate),
        ..TransactionOptions::default()
    }
}

fn sqlite_options(path: &Path, busy: Duration) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(path)
        .foreign_keys(true)
        .busy_timeout(busy)
        .row_buffer_size(ROWS_AHEAD)
        .statement_cache_capacity(STATEMENTS)
}

pub fn make_folder(path: &Path) -> Result<(), ConnectError> {
    let folder = path.parent().unwrap_or(Path::new(""));
    if folder.as_os_str().is_empty() {
        return Ok(());
    }
    make_private_folder(folder).map_err(|error| ConnectError::Folder {
        path: folder.to_owned(),
        reason: error.to_string(),
    })
}

/// Creates the file with mode 600 before SQLite does: it holds private repositories. SQLite
/// gives its other files the same mode. On failure, for example because the file exists,
/// SQLite continues without.
pub fn make_file(path: &Path) {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let _ = options.open(path);
}

/// Without QPSG, SQLite prepares every statement with a bound LIMIT anew, which is three
/// times slower.
async fn warn_about_compile_options(pool: &SqlitePool) {
    let options: Result<Vec<String>, _> = sqlx::query_scalar("PRAGMA compile_options")
        .fetch_all(pool)
        .await;
    if !options.is_ok_and(|options| options.iter().any(|option| option == "ENABLE_QPSG")) {
        tracing::warn!("SQLite was compiled without ENABLE_QPSG; queries will be slower");
    }
}
