//! The way to the database: connect, migrate, begin. No table is named here
//! except the list of migrations, and what went wrong is said in one line.
//!
//! SQLite has one write connection by design: writers queue in the service, in
//! order (`writer.rs`), instead of failing in the file, and readers never wait for
//! them. PostgreSQL has one pool for both.

/// Copies of a SQLite database.
pub mod backup;
pub mod batches;
#[cfg(debug_assertions)]
mod check;
mod connect_error;
pub mod dependencies;
mod failure;
pub mod guard;
mod inspection;
mod postgres;
mod reads;
mod rows;
mod source;
mod sqlite;
mod time_limits;
mod transaction;
mod versions;
mod writer;
mod writers;

use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::time::Duration;

use migration::aggregates::Aggregate;
use migration::{Migrator, MigratorTrait};
use sea_orm::sqlx::postgres::PgConnectOptions;
use sea_orm::sqlx::sqlite::SqliteConnectOptions;
use sea_orm::{
    ConnectionTrait, DatabaseConnection, DbBackend, DbErr, SqliteTransactionMode,
    TransactionOptions, TransactionTrait,
};

pub use connect_error::{ConnectError, plain};
pub use inspection::inspect;
use inspection::refuse_foreign;
pub use reads::Reads;
pub use rows::rows_with;
pub use source::Source;
pub use time_limits::without_time_limits;
pub use transaction::Transaction;
pub use versions::Versions;
pub use writers::Writers;

use connect_error::url_error;
use postgres::connect_postgres;
use writer::Writer;

/// Prepared statements that each connection keeps; more than the service has.
const STATEMENTS: usize = 256;

/// How often a row is looked for whose name passes from one row to another.
const RESOLVING: usize = 3;

/// Names the lock under which one process at a time migrates a PostgreSQL
/// database. Any constant will do, as long as it never changes.
const MIGRATION_LOCK: i64 = 0x666f_7267_6577;

/// A connected database. Clones share its connections.
#[derive(Clone, Debug)]
pub struct Database {
    reads: Reads,
    writes: Writes,
    versions: Versions,
    heavy: u32,
}

/// How one writes.
#[derive(Clone, Debug)]
enum Writes {
    InTurn(Writer),
    AtOnce(Writers),
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

impl Options {
    /// Connections for heavy work, beside the others: as many as keep the processors
    /// busy, and a quarter of the others at most, but two: one is never left to one caller.
    fn heavy(self) -> u32 {
        let processors = std::thread::available_parallelism().map_or(1, NonZero::get);
        let processors = u32::try_from(processors).unwrap_or(u32::MAX);
        (self.connections / 4).min(processors).max(2)
    }
}

impl Database {
    /// Connects, and makes the SQLite file if it is missing. It does not migrate.
    pub async fn connect(url: &str, options: Options) -> Result<Self, ConnectError> {
        match DatabaseLocation::parse(url)? {
            DatabaseLocation::File(path) => connect_sqlite(&path, options).await,
            DatabaseLocation::Server(server) => {
                let pool = connect_postgres(&server, options).await?;
                let heavy = postgres::for_heavy_work(&pool, options);
                Ok(Self {
                    versions: Versions::of_server(pool.get_postgres_connection_pool()),
                    reads: Reads::new(pool.clone(), heavy),
                    heavy: options.heavy(),
                    writes: Writes::AtOnce(Writers::new(pool, options)),
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
        let place = DatabaseLocation::parse(url)?;
        let connection = match &place {
            DatabaseLocation::File(path) => {
                refuse_foreign(path).await?;
                sqlite::open_writer(path, one, sqlite::MIGRATION_BUSY).await?
            }
            DatabaseLocation::Server(server) => connect_postgres(server, one).await?,
        };
        let outcome = apply_migrations(&connection).await;
        connection.close().await?;
        match (outcome, place) {
            (Err(error), DatabaseLocation::File(path)) => Err(error.naming_lock_of(&path)),
            (outcome, _) => outcome,
        }
    }

    /// For queries that change nothing. On SQLite a write through it fails. What is
    /// cached comes from `reading` instead.
    pub fn reads(&self) -> &Reads {
        &self.reads
    }

    /// For queries about these aggregates. A cached result that is computed from them
    /// holds until one of them changes.
    pub async fn reading(&self, aggregates: &[Aggregate]) -> &Reads {
        if dependencies::is_tracking() {
            self.learn_versions(aggregates.iter().copied()).await;
            dependencies::depend_on(aggregates.iter().copied());
        }
        &self.reads
    }

    /// A row that is found by a name, and the aggregates that it belongs to, which
    /// only the row tells. Their versions must be read before the row, so unless they
    /// are known, the row is read once more.
    pub async fn resolve<T, Finding>(
        &self,
        find: impl Fn(Reads) -> Finding,
        aggregates: impl Fn(&T) -> Vec<Aggregate>,
    ) -> Result<Option<T>, DbErr>
    where
        Finding: Future<Output = Result<Option<T>, DbErr>>,
    {
        for _ in 0..RESOLVING {
            let Some(row) = find(self.reads.clone()).await? else {
                return Ok(None);
            };
            if !dependencies::is_tracking() {
                return Ok(Some(row));
            }
            let found = aggregates(&row);
            if dependencies::unseen(found.iter().copied()).is_empty() {
                dependencies::depend_on(found);
                return Ok(Some(row));
            }
            self.learn_versions(found).await;
        }
        dependencies::taint();
        find(self.reads.clone()).await
    }

    /// Reads the versions of aggregates, unless this request has done so.
    pub async fn learn_versions(&self, aggregates: impl IntoIterator<Item = Aggregate>) {
        let unseen = dependencies::unseen(aggregates);
        if !unseen.is_empty() {
            self.read_versions(unseen).await;
        }
    }

    /// Reads the versions of aggregates as they are now.
    pub async fn read_versions(&self, aggregates: Vec<Aggregate>) {
        match self.versions.read(aggregates).await {
            Some(versions) => dependencies::note_versions(versions),
            None => dependencies::taint(),
        }
    }

    /// Begins a transaction that may write. Dropping it undoes it.
    pub async fn begin(&self) -> Result<Transaction, DbErr> {
        guard::note_grants();
        let begun = match &self.writes {
            Writes::InTurn(writer) => {
                let begun = writer.begin().await;
                begun.map(|begun| begun.checked_with(&self.versions))
            }
            Writes::AtOnce(writers) => {
                let (begun, allowed) = tokio::join!(writers.begin(), guard::check(&self.versions));
                allowed.and(begun)
            }
        };
        dependencies::note_change();
        begun
    }

    /// Fails if what decided about the request is not as it was.
    pub async fn check_guard(&self) -> Result<(), DbErr> {
        guard::check(&self.versions).await
    }

    /// For changes that share a statement, on PostgreSQL (`batches.rs`). `None` on
    /// SQLite, where one writer has the whole file.
    pub fn at_once(&self) -> Option<&Writers> {
        guard::note_grants();
        match &self.writes {
            Writes::InTurn(_) => None,
            Writes::AtOnce(writers) => Some(writers),
        }
    }

    /// Waits until the group commit whose changes this request may have seen is
    /// durable. Before that, nothing may be answered that depends on it.
    pub async fn settle(&self) -> Result<(), DbErr> {
        match (&self.writes, dependencies::batch()) {
            (Writes::InTurn(writer), Some(batch)) => writer.settle(batch).await,
            _ => Ok(()),
        }
    }

    /// How much heavy work has connections at a time.
    pub fn heavy(&self) -> usize {
        self.heavy as usize
    }

    /// The current versions of aggregates.
    pub fn versions(&self) -> &Versions {
        &self.versions
    }

    /// Fails unless the database answers and has a schema.
    pub async fn ping(&self) -> Result<(), DbErr> {
        let probe = "SELECT version FROM seaql_migrations LIMIT 1";
        self.reads.execute_unprepared(probe).await.map(|_| ())
    }

    /// Closes every connection. The writer goes last: SQLite then folds its
    /// write-ahead log into the file.
    pub async fn close(&self) -> Result<(), DbErr> {
        self.versions.close().await;
        self.reads.close().await?;
        match &self.writes {
            Writes::InTurn(writer) => writer.connection().close_by_ref().await,
            Writes::AtOnce(writers) => writers.connection().close_by_ref().await,
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
enum DatabaseLocation {
    File(PathBuf),
    Server(Box<PgConnectOptions>),
}

impl DatabaseLocation {
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
    let writes = sqlite::open_writer(path, options, sqlite::BUSY).await?;
    let reads = sqlite::open_readers(path, options).await?;
    let heavy = sqlite::for_heavy_work(path, options);
    Ok(Database {
        versions: Versions::of_file(path)?,
        reads: Reads::new(reads, heavy),
        heavy: options.heavy(),
        writes: Writes::InTurn(Writer::new(writes, options.wait)),
    })
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
