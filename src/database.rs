//! The way to the database: connect, migrate, begin. No table is named here
//! except the list of migrations, and what went wrong is said in one line.
//!
//! SQLite has one write connection by design: writers queue in the service, in
//! order (`writer.rs`), instead of failing in the file, and readers never wait for
//! them.
//! PostgreSQL has one pool for both.

/// Copies of a SQLite database.
pub mod backup;
mod connect_error;
mod failure;
pub mod footprint;
mod inspection;
mod reads;
mod tables;
mod time_limits;
mod transaction;
mod wal_index;
mod watch;
mod writer;

use std::path::{Path, PathBuf};
use std::time::Duration;

use migration::{Migrator, MigratorTrait};
use sea_orm::sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sea_orm::sqlx::sqlite::{
    SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous,
};
use sea_orm::sqlx::{self, ConnectOptions, Connection, SqlitePool};
use sea_orm::{
    ConnectionTrait, DatabaseConnection, DbBackend, DbErr, SqliteTransactionMode,
    SqlxPostgresConnector, SqlxSqliteConnector, TransactionOptions, TransactionTrait,
};

pub use connect_error::ConnectError;
pub use inspection::inspect;
pub use time_limits::without_time_limits;

use connect_error::{postgres_error, server_name, sqlite_error, url_error};
pub use reads::Reads;
pub use tables::TableSet;
use tables::Tables;
pub use transaction::Transaction;
pub use watch::{Learnt, Moment, Watch};
use writer::Writer;

/// How long SQLite waits for a lock that another process holds.
const BUSY: Duration = Duration::from_secs(5);

/// How long to wait for the first answer of a PostgreSQL server.
const FIRST_ANSWER: Duration = Duration::from_secs(10);

/// Prepared statements that each connection keeps; more than the service has.
const STATEMENTS: usize = 256;

/// The size to which SQLite cuts its write-ahead log back after a burst.
const LOG_LIMIT_BYTES: &str = "67108864";

/// Names the lock under which one process at a time migrates a PostgreSQL
/// database. Any constant will do, as long as it never changes.
const MIGRATION_LOCK: i64 = 0x666f_7267_6577;

/// A connected database. Clones share its connections.
#[derive(Clone, Debug)]
pub struct Database {
    reads: Reads,
    writes: Writes,
    /// Goes last, because the connections need what it holds open.
    watch: Watch,
}

/// How one writes.
#[derive(Clone, Debug)]
enum Writes {
    InTurn(Writer),
    AtOnce(DatabaseConnection),
}

/// What an operator may choose about the connections.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Connections for reading; on PostgreSQL, for everything.
    pub connections: u32,
    /// How long a request waits for its turn at a connection before it fails.
    pub wait: Duration,
    /// How long a request may take in all, for a server that answers some. Others
    /// take the time they need.
    pub patience: Option<Duration>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            connections: 8,
            wait: Duration::from_secs(5),
            patience: None,
        }
    }
}

impl Database {
    /// Connects, and makes the SQLite file if it is missing. It does not migrate.
    pub async fn connect(url: &str, options: Options) -> Result<Self, ConnectError> {
        match Place::parse(url)? {
            Place::File(path) => connect_sqlite(&path, options).await,
            Place::Server(server) => {
                let pool = connect_postgres(&server, options).await?;
                Ok(Self {
                    reads: Reads::new(pool.clone(), Watch::default()),
                    writes: Writes::AtOnce(pool),
                    watch: Watch::default(),
                })
            }
        }
    }

    /// Brings the schema up to date, all or nothing, and says how many
    /// migrations it took.
    ///
    /// It uses a connection of its own and closes it: a SQLite connection that
    /// has read the schema before does not see an index made by another one,
    /// and would refuse its first upsert.
    pub async fn migrate(url: &str) -> Result<usize, ConnectError> {
        let one = Options {
            connections: 1,
            ..Options::default()
        };
        let place = Place::parse(url)?;
        let connection = match &place {
            Place::File(path) => open_writer(path, one).await?,
            Place::Server(server) => connect_postgres(server, one).await?,
        };
        let outcome = apply_migrations(&connection).await;
        connection.close().await?;
        match (outcome, place) {
            (Err(error), Place::File(path)) => Err(error.naming_lock_of(&path)),
            (outcome, _) => outcome,
        }
    }

    /// For queries that change nothing. On SQLite a write through it fails.
    pub fn reads(&self) -> &Reads {
        &self.reads
    }

    /// Begins a transaction that may write. Dropping it undoes it.
    pub async fn begin(&self) -> Result<Transaction, DbErr> {
        match &self.writes {
            Writes::InTurn(writer) => writer.begin().await,
            Writes::AtOnce(pool) => Ok(Transaction::alone(pool.begin().await?)),
        }
    }

    /// Waits until all is durable that the work under way may have seen
    /// (`footprint.rs`). Before that, nothing may be answered that rests on it.
    pub async fn settle(&self) -> Result<(), DbErr> {
        match (&self.writes, footprint::unfinished()) {
            (Writes::InTurn(writer), Some(batch)) => writer.settle(batch).await,
            _ => Ok(()),
        }
    }

    /// Sees what changes in a SQLite database.
    pub fn watch(&self) -> &Watch {
        &self.watch
    }

    /// Fails unless the database answers and has a schema.
    pub async fn ping(&self) -> Result<(), DbErr> {
        let probe = "SELECT version FROM seaql_migrations LIMIT 1";
        self.reads.execute_unprepared(probe).await.map(|_| ())
    }

    /// Closes every connection. The writer goes last: SQLite then folds its
    /// write-ahead log into the file.
    pub async fn close(&self) -> Result<(), DbErr> {
        self.reads.unnoted().close_by_ref().await?;
        match &self.writes {
            Writes::InTurn(writer) => writer.connection().close_by_ref().await,
            Writes::AtOnce(pool) => pool.close_by_ref().await,
        }
    }
}

/// Lets the ids that PostgreSQL assigns continue after those that were given
/// explicitly. SQLite does so by itself. Call it in the transaction that
/// inserted them.
pub async fn continue_ids(
    connection: &impl ConnectionTrait,
    table: &'static str,
) -> Result<(), DbErr> {
    if connection.get_database_backend() == DbBackend::Postgres {
        let sequence = format!("pg_get_serial_sequence('{table}', 'id')");
        let sql = format!(
            "SELECT setval({sequence}, MAX(id)) FROM {table}
             HAVING MAX(id) > COALESCE(pg_sequence_last_value({sequence}::regclass), 0)"
        );
        connection.execute_unprepared(&sql).await?;
    }
    Ok(())
}

/// What a database URL names.
enum Place {
    File(PathBuf),
    Server(Box<PgConnectOptions>),
}

impl Place {
    fn parse(url: &str) -> Result<Self, ConnectError> {
        let scheme = url.split_once(':').map_or(url, |(scheme, _)| scheme);
        match scheme {
            "sqlite" => {
                let options: SqliteConnectOptions =
                    url.parse().map_err(|error| url_error(&error))?;
                let path = options.get_filename();
                let in_memory = url.contains(":memory:") || url.contains("mode=memory");
                if in_memory || path.as_os_str().is_empty() {
                    return Err(ConnectError::NoFile);
                }
                Ok(Self::File(path.to_path_buf()))
            }
            "postgres" | "postgresql" => Ok(Self::Server(Box::new(
                url.parse().map_err(|error| url_error(&error))?,
            ))),
            other => Err(ConnectError::Scheme(other.to_owned())),
        }
    }
}

/// IMMEDIATE takes SQLite's write lock at once. A transaction that reads first
/// and asks for the lock later fails when another process wrote in between.
fn writing() -> TransactionOptions {
    TransactionOptions {
        sqlite_transaction_mode: Some(SqliteTransactionMode::Immediate),
        ..TransactionOptions::default()
    }
}

async fn connect_sqlite(path: &Path, options: Options) -> Result<Database, ConnectError> {
    let writes = open_writer(path, options).await?;
    let readers = SqlitePoolOptions::new()
        .max_connections(options.connections)
        .acquire_timeout(options.wait)
        .idle_timeout(None)
        .max_lifetime(None)
        .test_before_acquire(false)
        .connect_with(sqlite_options(path).pragma("query_only", "ON"))
        .await
        .map_err(|error| sqlite_error(path, &error))?;
    warn_about_compile_options(&readers).await;
    let reads = SqlxSqliteConnector::from_sqlx_sqlite_pool(readers);
    let watch = Watch::over(path, Tables::of(&reads).await?);
    Ok(Database {
        reads: Reads::new(reads, watch.clone()),
        writes: Writes::InTurn(Writer::new(writes, options.wait, watch.clone())),
        watch,
    })
}

/// A pool of the one connection that may write, which stays open. If it comes
/// back inside a transaction that could not be undone, it is replaced: the
/// next writer must not inherit it.
async fn open_writer(path: &Path, options: Options) -> Result<DatabaseConnection, ConnectError> {
    make_folder(path)?;
    make_file(path);
    let writer = sqlite_options(path)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .pragma("journal_size_limit", LOG_LIMIT_BYTES);
    let pool = SqlitePoolOptions::new()
        .max_connections(1)
        .acquire_timeout(options.wait)
        .idle_timeout(None)
        .max_lifetime(None)
        .test_before_acquire(false)
        .after_release(|connection, _| {
            Box::pin(async move {
                // Its answer comes after the rollback that a drop has queued.
                connection.ping().await?;
                Ok(!connection.is_in_transaction())
            })
        })
        .connect_with(writer)
        .await
        .map_err(|error| sqlite_error(path, &error))?;
    Ok(SqlxSqliteConnector::from_sqlx_sqlite_pool(pool))
}

fn sqlite_options(path: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(path)
        .foreign_keys(true)
        .busy_timeout(BUSY)
        .statement_cache_capacity(STATEMENTS)
}

fn make_folder(path: &Path) -> Result<(), ConnectError> {
    let folder = path.parent().unwrap_or(Path::new(""));
    if folder.as_os_str().is_empty() {
        return Ok(());
    }
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
        .create(folder)
        .map_err(|error| ConnectError::Folder {
            path: folder.to_owned(),
            reason: error.to_string(),
        })
}

/// Makes the file before SQLite would, so that nobody else on this machine can read
/// it: private repositories are in it. SQLite gives its other files the same mode.
/// If this fails, because the file is there or for any other reason, SQLite goes on.
fn make_file(path: &Path) {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let _ = options.open(path);
}

/// Without QPSG, SQLite prepares every statement with a bound LIMIT anew: right
/// answers, at a third of the speed.
async fn warn_about_compile_options(pool: &SqlitePool) {
    let found: Result<Vec<String>, _> = sqlx::query_scalar("PRAGMA compile_options")
        .fetch_all(pool)
        .await;
    if !found.is_ok_and(|options| options.iter().any(|option| option == "ENABLE_QPSG")) {
        tracing::warn!("SQLite was compiled without ENABLE_QPSG; queries will be slower");
    }
}

/// The server is asked once before the pool opens, because a pool that is
/// refused tries again until its time is up and then says only that.
async fn connect_postgres(
    server: &PgConnectOptions,
    options: Options,
) -> Result<DatabaseConnection, ConnectError> {
    let unlimited = server.clone().statement_cache_capacity(STATEMENTS);
    let mut server = match options.patience {
        Some(patience) => time_limits::limited(unlimited.clone(), patience),
        None => unlimited.clone(),
    };
    match tokio::time::timeout(FIRST_ANSWER, server.connect()).await {
        Err(_) => {
            return Err(ConnectError::Unreachable {
                server: server_name(&server),
                reason: "no answer".to_owned(),
            });
        }
        Ok(Err(error)) if time_limits::are_refused(&error) => {
            tracing::warn!("the pooler takes no limits of time; give them to the role");
            server = unlimited;
        }
        Ok(Err(error)) => return Err(postgres_error(&server, &error)),
        Ok(Ok(probe)) => drop(probe.close().await),
    }
    let pool = PgPoolOptions::new()
        .max_connections(options.connections)
        .acquire_timeout(options.wait)
        .connect_with(server.clone())
        .await
        .map_err(|error| postgres_error(&server, &error))?;
    Ok(SqlxPostgresConnector::from_sqlx_postgres_pool(pool))
}

async fn apply_migrations(connection: &DatabaseConnection) -> Result<usize, ConnectError> {
    let transaction = connection.begin_with_options(writing()).await?;
    without_time_limits(&transaction).await?;
    if transaction.get_database_backend() == DbBackend::Postgres {
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
