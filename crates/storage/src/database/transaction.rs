//! A write transaction. Dropping it rolls back.

use std::ops::Deref;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use sea_orm::{DatabaseTransaction, DbBackend, DbErr};
use tokio::sync::{Notify, OwnedSemaphorePermit};

use super::connection::{
    Connection, Inner, Kind, OpenTransaction, PostgresTransaction, Session, ended,
};
use super::writer::{self, BatchGuard};
use super::{Versions, dependencies, guard};

/// On SQLite a savepoint within a group commit (`writer.rs`), on PostgreSQL a transaction
/// of its own.
#[derive(Debug)]
pub struct Transaction {
    connection: Connection,
    /// Checks the caller's permissions again before the commit.
    versions: Option<Versions>,
    /// Woken after the commit.
    wake: OnceLock<Arc<Notify>>,
}

impl Transaction {
    pub(super) fn own(
        inner: DatabaseTransaction,
        session: Session,
        permit: OwnedSemaphorePermit,
    ) -> Self {
        let own = PostgresTransaction {
            inner,
            _permit: permit,
        };
        Self::new(Inner::Postgres(own), DbBackend::Postgres, Some(session))
    }

    pub(super) fn in_batch(batch: BatchGuard) -> Self {
        Self::new(Inner::Sqlite(batch), DbBackend::Sqlite, None)
    }

    fn new(inner: Inner, backend: DbBackend, session: Option<Session>) -> Self {
        Self {
            connection: Connection {
                kind: Kind::Transaction(OpenTransaction {
                    inner: Some(inner),
                    backend,
                    failed: AtomicBool::new(false),
                }),
                session,
            },
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
        let (inner, failed) = self.end().ok_or_else(ended)?;
        let outcome = match inner {
            Inner::Postgres(own) => self.connection.run(own.inner.commit()).await,
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
        match self.end().ok_or_else(ended)? {
            (Inner::Postgres(own), _) => self.connection.run(own.inner.rollback()).await,
            (Inner::Sqlite(batch), _) => writer::rollback(batch).await,
        }
    }

    /// Takes the open transaction, and whether one of its statements failed.
    fn end(&mut self) -> Option<(Inner, bool)> {
        match &mut self.connection.kind {
            Kind::Transaction(open) => {
                let failed = open.failed.load(Ordering::Relaxed);
                Some((open.inner.take()?, failed))
            }
            _ => None,
        }
    }
}

impl Deref for Transaction {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        &self.connection
    }
}

impl Drop for Transaction {
    fn drop(&mut self) {
        if let Some((Inner::Sqlite(batch), _)) = self.end() {
            writer::rollback_in_background(batch);
        }
    }
}
