//! What queries run on.

use std::fmt::Debug;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use sea_orm::{
    ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbBackend, DbErr, ExecResult,
    QueryResult, Statement,
};
use tokio::sync::OwnedSemaphorePermit;
use tracing::Span;
use tracing::instrument::Instrument;

use super::primary::Primary;
use super::writer::BatchGuard;

/// A connection for queries: the pool for reads, a snapshot, or a write transaction. One type, so
/// that a function that queries is compiled once.
#[derive(Debug)]
pub struct Connection {
    pub(super) kind: Kind,
    /// `None` on SQLite, and for connections that were opened elsewhere.
    pub(super) session: Option<Session>,
}

/// The server that the statements of a connection are for.
#[derive(Debug)]
pub(super) struct Session {
    primary: Arc<Primary>,
    /// For a transaction: the generation of the server in which it began.
    begun: Option<u64>,
    unlimited: AtomicBool,
}

impl Session {
    /// For statements that each have a connection of their own.
    pub fn of_pool(primary: Arc<Primary>) -> Self {
        Self {
            primary,
            begun: None,
            unlimited: AtomicBool::new(false),
        }
    }

    pub fn of_transaction(primary: Arc<Primary>) -> Self {
        let begun = Some(primary.generation());
        Self {
            begun,
            ..Self::of_pool(primary)
        }
    }

    /// Runs a statement while the server is the same.
    pub async fn run<T>(
        &self,
        statement: impl Future<Output = Result<T, DbErr>>,
    ) -> Result<T, DbErr> {
        let generation = self.begun.unwrap_or_else(|| self.primary.generation());
        let limited = !self.unlimited.load(Ordering::Relaxed);
        self.primary.run(generation, limited, statement).await
    }
}

#[derive(Debug)]
pub(super) enum Kind {
    /// The pool for reads. Debug builds check its queries (`check.rs`).
    Reads(DatabaseConnection),
    /// A pool whose queries are not checked.
    Unchecked(DatabaseConnection),
    Snapshot(DatabaseTransaction),
    Transaction(OpenTransaction),
    Custom(Arc<dyn QueryRunner>),
}

/// Runs queries in a way of its own: tests count them, or ask for their plans.
#[async_trait]
pub trait QueryRunner: Debug + Send + Sync {
    fn backend(&self) -> DbBackend;

    async fn execute(&self, statement: Statement) -> Result<ExecResult, DbErr>;

    async fn execute_unprepared(&self, sql: &str) -> Result<ExecResult, DbErr>;

    async fn query_one(&self, statement: Statement) -> Result<Option<QueryResult>, DbErr>;

    async fn query_all(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr>;
}

/// A write transaction and whether it may be committed as it is.
#[derive(Debug)]
pub(super) struct OpenTransaction {
    /// None once it has ended.
    pub inner: Option<Inner>,
    pub backend: DbBackend,
    /// One of its statements failed.
    pub failed: AtomicBool,
}

#[derive(Debug)]
pub(super) enum Inner {
    Postgres(PostgresTransaction),
    Sqlite(BatchGuard),
}

#[derive(Debug)]
pub(super) struct PostgresTransaction {
    pub inner: DatabaseTransaction,
    /// Dropped last, after its connection is free.
    pub _permit: OwnedSemaphorePermit,
}

impl OpenTransaction {
    fn inner(&self) -> Result<&DatabaseTransaction, DbErr> {
        match self.inner.as_ref().ok_or_else(ended)? {
            Inner::Postgres(own) => Ok(&own.inner),
            Inner::Sqlite(batch) => batch.connection(),
        }
    }
}

/// SeaORM's own connection below ours.
enum Target<'a> {
    Pool(&'a DatabaseConnection),
    Transaction(&'a DatabaseTransaction),
    Custom(&'a dyn QueryRunner),
}

impl Connection {
    fn without_session(kind: Kind) -> Self {
        Self {
            kind,
            session: None,
        }
    }

    pub(super) fn for_reads(pool: DatabaseConnection, primary: Option<Arc<Primary>>) -> Self {
        Self {
            kind: Kind::Reads(pool),
            session: primary.map(Session::of_pool),
        }
    }

    /// Lets the statements of this transaction take any time.
    pub(super) fn lift_time_limit(&self) {
        if let Some(session) = &self.session {
            session.unlimited.store(true, Ordering::Relaxed);
        }
    }

    /// Closes a pool. A snapshot or a transaction ends when it is dropped.
    pub async fn close(self) -> Result<(), DbErr> {
        match self.kind {
            Kind::Reads(pool) | Kind::Unchecked(pool) => pool.close().await,
            Kind::Snapshot(_) | Kind::Transaction(_) | Kind::Custom(_) => Ok(()),
        }
    }

    fn target(&self) -> Result<Target<'_>, DbErr> {
        match &self.kind {
            Kind::Reads(pool) | Kind::Unchecked(pool) => Ok(Target::Pool(pool)),
            Kind::Snapshot(snapshot) => Ok(Target::Transaction(snapshot)),
            Kind::Transaction(open) => open.inner().map(Target::Transaction),
            Kind::Custom(queries) => Ok(Target::Custom(&**queries)),
        }
    }

    /// Notes the query for the checks of debug builds.
    #[cfg(debug_assertions)]
    fn record_query(&self, sql: &str) {
        if matches!(self.kind, Kind::Reads(_)) {
            super::dependencies::record_query(sql);
        }
    }

    #[cfg(not(debug_assertions))]
    fn record_query(&self, _: &str) {}

    /// Awaits a statement, or the end of a transaction.
    pub(super) async fn run<T>(
        &self,
        statement: impl Future<Output = Result<T, DbErr>>,
    ) -> Result<T, DbErr> {
        let outcome = match &self.session {
            Some(session) => session.run(statement).await,
            None => statement.await,
        };
        if let (Kind::Transaction(open), Err(_)) = (&self.kind, &outcome) {
            open.failed.store(true, Ordering::Relaxed);
        }
        outcome
    }
}

/// A read-only view of one moment. Its queries are not checked (`check.rs`), so no cached
/// result may use them.
#[derive(Debug)]
pub struct ReadSnapshot(Connection);

impl Deref for ReadSnapshot {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        &self.0
    }
}

impl ReadSnapshot {
    pub(super) fn of(begun: DatabaseTransaction, session: Option<Session>) -> Self {
        Self(Connection {
            kind: Kind::Snapshot(begun),
            session,
        })
    }
}

impl From<Arc<dyn QueryRunner>> for Connection {
    fn from(queries: Arc<dyn QueryRunner>) -> Self {
        Self::without_session(Kind::Custom(queries))
    }
}

impl From<DatabaseTransaction> for ReadSnapshot {
    fn from(begun: DatabaseTransaction) -> Self {
        Self(Connection::without_session(Kind::Snapshot(begun)))
    }
}

impl From<DatabaseConnection> for Connection {
    /// Its queries are not checked, so no cached result may use them.
    fn from(pool: DatabaseConnection) -> Self {
        Self::without_session(Kind::Unchecked(pool))
    }
}

/// The span of a query. Its SQL has placeholders, no values.
pub(super) fn query_span(sql: &str) -> Span {
    tracing::debug_span!("query", sql)
}

pub(super) fn ended() -> DbErr {
    DbErr::Custom("the transaction has ended".to_owned())
}

#[async_trait]
impl ConnectionTrait for Connection {
    fn get_database_backend(&self) -> DbBackend {
        match &self.kind {
            Kind::Reads(pool) | Kind::Unchecked(pool) => pool.get_database_backend(),
            Kind::Snapshot(snapshot) => snapshot.get_database_backend(),
            Kind::Transaction(open) => open.backend,
            Kind::Custom(queries) => queries.backend(),
        }
    }

    async fn execute_raw(&self, statement: Statement) -> Result<ExecResult, DbErr> {
        self.record_query(&statement.sql);
        let span = query_span(&statement.sql);
        let query = match self.target()? {
            Target::Pool(pool) => pool.execute_raw(statement),
            Target::Transaction(transaction) => transaction.execute_raw(statement),
            Target::Custom(queries) => queries.execute(statement),
        };
        self.run(query.instrument(span)).await
    }

    async fn execute_unprepared(&self, sql: &str) -> Result<ExecResult, DbErr> {
        self.record_query(sql);
        let query = match self.target()? {
            Target::Pool(pool) => pool.execute_unprepared(sql),
            Target::Transaction(transaction) => transaction.execute_unprepared(sql),
            Target::Custom(queries) => queries.execute_unprepared(sql),
        };
        self.run(query.instrument(query_span(sql))).await
    }

    async fn query_one_raw(&self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
        self.record_query(&statement.sql);
        let span = query_span(&statement.sql);
        let query = match self.target()? {
            Target::Pool(pool) => pool.query_one_raw(statement),
            Target::Transaction(transaction) => transaction.query_one_raw(statement),
            Target::Custom(queries) => queries.query_one(statement),
        };
        self.run(query.instrument(span)).await
    }

    async fn query_all_raw(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        self.record_query(&statement.sql);
        let span = query_span(&statement.sql);
        let query = match self.target()? {
            Target::Pool(pool) => pool.query_all_raw(statement),
            Target::Transaction(transaction) => transaction.query_all_raw(statement),
            Target::Custom(queries) => queries.query_all(statement),
        };
        self.run(query.instrument(span)).await
    }
}
