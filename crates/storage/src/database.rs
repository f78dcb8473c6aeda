//! Database access: connecting, migrating, and beginning transactions.
//!
//! SQLite has a single write connection: writers queue in the service (`writer.rs`) instead
//! of failing on a locked file, and never block readers. PostgreSQL has one pool for both.

/// Backups of a SQLite database.
pub mod backup;
pub mod batches;
#[cfg(debug_assertions)]
mod check;
mod checkpoints;
mod connect_error;
mod connection;
pub mod counted;
pub mod dependencies;
pub mod guard;
mod inspection;
mod location;
mod migrations;
mod options;
mod postgres;
mod primary;
mod rows;
mod sequences;
mod snapshots;
mod source;
mod sqlite;
mod time_limits;
mod transaction;
mod versions;
pub mod window;
mod writer;
mod writers;

use std::path::Path;
use std::sync::Arc;

use migration::aggregates::Aggregate;
use sea_orm::{
    AccessMode, ConnectionTrait, DatabaseConnection, DbErr, IsolationLevel, RuntimeErr,
    TransactionTrait,
};

pub use connect_error::{ConnectError, plain};
pub use connection::{Connection, QueryRunner, ReadSnapshot};
pub use inspection::inspect;
pub use options::Options;
pub use rows::rows_with;
pub use sequences::{reserve_ids, skip_ids};
pub use snapshots::{Restoration, SnapshotError, StoredSnapshot};
pub use source::ReadSource;
pub use time_limits::without_time_limits;
pub use transaction::Transaction;
pub use versions::Versions;

use checkpoints::Checkpoints;
use connection::Session;
use location::DatabaseLocation;
use postgres::connect_postgres;
use primary::Primary;
use snapshots::SnapshotFiles;
use writer::SqliteWriter;
use writers::PostgresWriters;

/// Prepared statements that each connection caches; more than the service uses.
const STATEMENTS: usize = 256;

/// How often to retry looking up a row whose name moves to another row meanwhile.
const RESOLVING: usize = 3;

/// A connected database. Clones share its connections.
#[derive(Clone, Debug)]
pub struct Database {
    pool: DatabaseConnection,
    reads: Arc<Connection>,
    writes: Writes,
    versions: Versions,
    /// `None` on SQLite.
    primary: Option<Arc<Primary>>,
    heavy: u32,
    /// The SQLite file with its snapshots; `None` for a PostgreSQL server.
    file: Option<Arc<SnapshotFiles>>,
    /// Only for a SQLite file that is not ephemeral.
    checkpoints: Option<Checkpoints>,
}

/// The write path of each backend.
#[derive(Clone, Debug)]
enum Writes {
    SingleWriter(SqliteWriter),
    ConcurrentWriters(PostgresWriters),
}

impl Database {
    /// Connects, and creates the SQLite file if it is missing. Does not migrate.
    pub async fn connect(url: &str, options: Options) -> Result<Self, ConnectError> {
        match DatabaseLocation::parse(url)? {
            DatabaseLocation::File(path) => connect_sqlite(&path, options).await,
            DatabaseLocation::Server(server) => {
                let (pool, primary) = connect_postgres(&server, options).await?;
                let common = pool.get_postgres_connection_pool();
                Ok(Self {
                    versions: Versions::of_server(common, Arc::clone(&primary)),
                    reads: Arc::new(Connection::for_reads(
                        pool.clone(),
                        Some(Arc::clone(&primary)),
                    )),
                    primary: Some(Arc::clone(&primary)),
                    pool: pool.clone(),
                    heavy: options.heavy(),
                    file: None,
                    checkpoints: None,
                    writes: Writes::ConcurrentWriters(PostgresWriters::new(pool, primary, options)),
                })
            }
        }
    }

    /// For read-only queries. On SQLite a write through it fails. Cached computations use
    /// `reading` instead.
    pub fn reads(&self) -> &Connection {
        &self.reads
    }

    /// For queries on these aggregates. A cached result computed from them is valid until
    /// one of them changes.
    pub async fn reading(&self, aggregates: &[Aggregate]) -> &Connection {
        if dependencies::is_tracking() {
            self.load_versions(aggregates.iter().copied()).await;
            dependencies::depend_on(aggregates.iter().copied());
        }
        &self.reads
    }

    /// SeaORM's own connection, for APIs that require it. Its queries are not checked
    /// (`check.rs`), so no cached result may use them.
    pub fn untracked(&self) -> &DatabaseConnection {
        &self.pool
    }

    /// Begins a read-only snapshot.
    pub async fn snapshot(&self) -> Result<ReadSnapshot, DbErr> {
        let pool = self.untracked();
        let Some(primary) = &self.primary else {
            return pool.begin().await.map(ReadSnapshot::from);
        };
        let session = Session::of_transaction(Arc::clone(primary));
        let (level, mode) = (IsolationLevel::RepeatableRead, AccessMode::ReadOnly);
        let begun = pool.begin_with_config(Some(level), Some(mode));
        let begun = session.run(begun).await?;
        Ok(ReadSnapshot::of(begun, Some(session)))
    }

    /// Finds a row by a name when only the row tells which aggregates it belongs to.
    /// Versions must be read before the row, so the row is read again if its versions were
    /// not known.
    pub async fn resolve<T, Lookup>(
        &self,
        find: impl Fn(Arc<Connection>) -> Lookup,
        aggregates: impl Fn(&T) -> Vec<Aggregate>,
    ) -> Result<Option<T>, DbErr>
    where
        Lookup: Future<Output = Result<Option<T>, DbErr>>,
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
            self.load_versions(found).await;
        }
        dependencies::forbid_caching();
        find(self.reads.clone()).await
    }

    /// Reads the versions of aggregates that this request has not read yet.
    pub async fn load_versions(&self, aggregates: impl IntoIterator<Item = Aggregate>) {
        let unseen = dependencies::unseen(aggregates);
        if !unseen.is_empty() {
            self.read_versions(unseen).await;
        }
    }

    /// Reads the current versions of aggregates.
    pub async fn read_versions(&self, aggregates: Vec<Aggregate>) {
        match self.versions.read(aggregates).await {
            Some(versions) => dependencies::record_versions(versions),
            None => dependencies::forbid_caching(),
        }
    }

    /// Begins a write transaction. Dropping it rolls back.
    pub async fn begin(&self) -> Result<Transaction, DbErr> {
        guard::record_grants();
        let begun = match &self.writes {
            Writes::SingleWriter(writer) => {
                let begun = writer.begin().await;
                begun.map(|begun| begun.checked_with(&self.versions))
            }
            Writes::ConcurrentWriters(writers) => {
                let (begun, allowed) = tokio::join!(writers.begin(), guard::check(&self.versions));
                allowed.and(begun)
            }
        };
        dependencies::record_write();
        begun
    }

    /// Waits until the group commit whose changes this request may have seen is durable.
    /// The service must not send a response before that.
    pub async fn wait_for_group_commit(&self) -> Result<(), DbErr> {
        match (&self.writes, dependencies::batch()) {
            (Writes::SingleWriter(writer), Some(batch)) => writer.wait_for_commit(batch).await,
            _ => Ok(()),
        }
    }

    /// How many heavy computations have a connection at the same time.
    pub fn heavy(&self) -> usize {
        self.heavy as usize
    }

    /// The current versions of aggregates.
    pub fn versions(&self) -> &Versions {
        &self.versions
    }

    /// Fails unless the database answers and has a schema.
    pub async fn ping(&self) -> Result<(), DbErr> {
        if self.primary.is_some() && self.versions.read(Vec::new()).await.is_none() {
            return Err(DbErr::Conn(RuntimeErr::Internal(
                "the primary of PostgreSQL does not answer".to_owned(),
            )));
        }
        let probe = "SELECT version FROM seaql_migrations LIMIT 1";
        self.reads.execute_unprepared(probe).await.map(|_| ())
    }

    /// Closes idle connections. They open again when they are needed.
    pub async fn close_idle(&self) {
        if let Writes::SingleWriter(writer) = &self.writes {
            self.versions.close().await;
            for pool in [self.untracked(), writer.connection()] {
                sqlite::close_idle(pool).await;
            }
        }
    }

    /// Closes every connection. The writer closes last, so that SQLite checkpoints its
    /// write-ahead log.
    pub async fn close(&self) -> Result<(), DbErr> {
        if let Some(checkpoints) = &self.checkpoints {
            checkpoints.close().await;
        }
        self.versions.close().await;
        self.untracked().close_by_ref().await?;
        match &self.writes {
            Writes::SingleWriter(writer) => writer.connection().close_by_ref().await,
            Writes::ConcurrentWriters(writers) => writers.connection().close_by_ref().await,
        }
    }
}

async fn connect_sqlite(path: &Path, options: Options) -> Result<Database, ConnectError> {
    let writes = sqlite::open_writer(path, options, sqlite::BUSY).await?;
    let reads = sqlite::open_readers(path, options).await?;
    let writer = SqliteWriter::new(writes, options.wait);
    let checkpoints = match options.ephemeral {
        true => None,
        false => Some(Checkpoints::start(path, writer.outcomes())?),
    };
    Ok(Database {
        versions: Versions::of_file(path, options),
        primary: None,
        reads: Arc::new(Connection::for_reads(reads.clone(), None)),
        pool: reads,
        heavy: options.heavy(),
        file: Some(Arc::new(SnapshotFiles {
            path: path.to_owned(),
            durable: !options.ephemeral,
        })),
        writes: Writes::SingleWriter(writer),
        checkpoints,
    })
}
