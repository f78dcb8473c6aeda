//! A write transaction. Dropping it rolls back.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use async_trait::async_trait;
use sea_orm::{
    ConnectionTrait, DatabaseTransaction, DbBackend, DbErr, ExecResult, QueryResult, Statement,
};
use tokio::sync::{Notify, OwnedSemaphorePermit};
use tracing::Instrument;

use super::reads::query_span;
use super::writer::{self, BatchGuard};
use super::{Versions, dependencies, guard};

/// On SQLite a savepoint within a group commit (`writer.rs`), on PostgreSQL a transaction
/// of its own.
#[derive(Debug)]
pub struct Transaction {
    inner: Option<Inner>,
    backend: DbBackend,
    /// One of its statements failed.
    failed: AtomicBool,
    /// Checks the caller's permissions again before the commit.
    versions: Option<Versions>,
    /// Woken after the commit.
    wake: OnceLock<Arc<Notify>>,
}

#[derive(Debug)]
enum Inner {
    Postgres(PostgresTransaction),
    Sqlite(BatchGuard),
}

#[derive(Debug)]
struct PostgresTransaction {
    inner: DatabaseTransaction,
    /// Dropped last, after its connection is free.
    _permit: OwnedSemaphorePermit,
}

impl Transaction {
    pub(super) fn own(inner: DatabaseTransaction, permit: OwnedSemaphorePermit) -> Self {
        let own = PostgresTransaction {
            inner,
            _permit: permit,
        };
        Self::new(Inner::Postgres(own), DbBackend::Postgres)
    }

    pub(super) fn in_batch(batch: BatchGuard) -> Self {
        Self::new(Inner::Sqlite(batch), DbBackend::Sqlite)
    }

    fn new(inner: Inner, backend: DbBackend) -> Self {
        Self {
            inner: Some(inner),
            backend,
            failed: AtomicBool::new(false),
            versions: None,
            wake: OnceLock::new(),
        }
    }

    pub(super) fn checked_with(mut self, versions: &Versions) -> Self {
        self.versions = Some(versions.clone());
        self
    }

    /// Commits, and returns when the changes are durable.
    pub async fn commit(mut self) -> Result<(), DbErr> {
        if let Some(versions) = &self.versions {
            guard::check(versions).await?;
        }
        let failed = self.failed.load(Ordering::Relaxed);
        let outcome = match self.inner.take().ok_or_else(ended)? {
            Inner::Postgres(own) => own.inner.commit().await,
            Inner::Sqlite(batch) => writer::commit(batch, failed).await,
        };
        dependencies::record_write();
        if let (Ok(()), Some(wake)) = (&outcome, self.wake.get()) {
            wake.notify_one();
        }
        outcome
    }

    /// Wakes a background task once the changes are durable.
    pub fn wake_after_commit(&self, wake: Arc<Notify>) {
        // All callers pass the same signal, so setting it twice is harmless.
        let _ = self.wake.set(wake);
    }

    /// Rolls back, and returns when that is done.
    pub async fn rollback(mut self) -> Result<(), DbErr> {
        match self.inner.take().ok_or_else(ended)? {
            Inner::Postgres(own) => own.inner.rollback().await,
            Inner::Sqlite(batch) => writer::rollback(batch).await,
        }
    }

    fn inner(&self) -> Result<&DatabaseTransaction, DbErr> {
        match self.inner.as_ref().ok_or_else(ended)? {
            Inner::Postgres(own) => Ok(&own.inner),
            Inner::Sqlite(batch) => batch.connection(),
        }
    }

    fn record_failure<T>(&self, outcome: Result<T, DbErr>) -> Result<T, DbErr> {
        if outcome.is_err() {
            self.failed.store(true, Ordering::Relaxed);
        }
        outcome
    }
}

impl Drop for Transaction {
    fn drop(&mut self) {
        if let Some(Inner::Sqlite(batch)) = self.inner.take() {
            writer::rollback_in_background(batch);
        }
    }
}

fn ended() -> DbErr {
    DbErr::Custom("the transaction has ended".to_owned())
}

#[async_trait]
impl ConnectionTrait for Transaction {
    fn get_database_backend(&self) -> DbBackend {
        self.backend
    }

    async fn execute_raw(&self, statement: Statement) -> Result<ExecResult, DbErr> {
        let span = query_span(&statement.sql);
        let outcome = self.inner()?.execute_raw(statement).instrument(span).await;
        self.record_failure(outcome)
    }

    async fn execute_unprepared(&self, sql: &str) -> Result<ExecResult, DbErr> {
        let query = self.inner()?.execute_unprepared(sql);
        self.record_failure(query.instrument(query_span(sql)).await)
    }

    async fn query_one_raw(&self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
        let span = query_span(&statement.sql);
        let outcome = self
            .inner()?
            .query_one_raw(statement)
            .instrument(span)
            .await;
        self.record_failure(outcome)
    }

    async fn query_all_raw(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        let span = query_span(&statement.sql);
        let outcome = self
            .inner()?
            .query_all_raw(statement)
            .instrument(span)
            .await;
        self.record_failure(outcome)
    }
}
