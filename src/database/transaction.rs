//! A transaction that may write. Dropping it undoes it.

use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use sea_orm::{
    ConnectionTrait, DatabaseTransaction, DbBackend, DbErr, ExecResult, QueryResult, Statement,
};
use tokio::sync::OwnedSemaphorePermit;
use tracing::Instrument;

use super::reads::query_span;
use super::writer::{self, Turn};
use super::{Versions, dependencies, guard};

/// On SQLite a turn within a group commit (`writer.rs`), on PostgreSQL a transaction
/// of its own.
#[derive(Debug)]
pub struct Transaction {
    way: Option<Way>,
    backend: DbBackend,
    /// One of its statements failed.
    failed: AtomicBool,
    /// Whether the caller may still is asked here before the commit.
    versions: Option<Versions>,
}

#[derive(Debug)]
enum Way {
    Alone(Alone),
    InTurn(Turn),
}

#[derive(Debug)]
struct Alone {
    inner: DatabaseTransaction,
    /// Goes last, when its connection is free.
    _place: OwnedSemaphorePermit,
}

impl Transaction {
    pub(super) fn alone(inner: DatabaseTransaction, place: OwnedSemaphorePermit) -> Self {
        let alone = Alone {
            inner,
            _place: place,
        };
        Self::new(Way::Alone(alone), DbBackend::Postgres)
    }

    pub(super) fn in_turn(turn: Turn) -> Self {
        Self::new(Way::InTurn(turn), DbBackend::Sqlite)
    }

    fn new(way: Way, backend: DbBackend) -> Self {
        Self {
            way: Some(way),
            backend,
            failed: AtomicBool::new(false),
            versions: None,
        }
    }

    pub(super) fn checked_with(mut self, versions: &Versions) -> Self {
        self.versions = Some(versions.clone());
        self
    }

    /// Makes the changes durable; when it returns, they are.
    pub async fn commit(mut self) -> Result<(), DbErr> {
        if let Some(versions) = &self.versions {
            guard::check(versions).await?;
        }
        let failed = self.failed.load(Ordering::Relaxed);
        let outcome = match self.way.take().ok_or_else(over)? {
            Way::Alone(alone) => alone.inner.commit().await,
            Way::InTurn(turn) => writer::keep(turn, failed).await,
        };
        dependencies::note_change();
        outcome
    }

    /// Undoes the changes, and waits until that is done.
    pub async fn rollback(mut self) -> Result<(), DbErr> {
        match self.way.take().ok_or_else(over)? {
            Way::Alone(alone) => alone.inner.rollback().await,
            Way::InTurn(turn) => writer::undo(turn).await,
        }
    }

    fn inner(&self) -> Result<&DatabaseTransaction, DbErr> {
        match self.way.as_ref().ok_or_else(over)? {
            Way::Alone(alone) => Ok(&alone.inner),
            Way::InTurn(turn) => turn.connection(),
        }
    }

    fn noting_failure<T>(&self, outcome: Result<T, DbErr>) -> Result<T, DbErr> {
        if outcome.is_err() {
            self.failed.store(true, Ordering::Relaxed);
        }
        outcome
    }
}

impl Drop for Transaction {
    fn drop(&mut self) {
        if let Some(Way::InTurn(turn)) = self.way.take() {
            writer::abandon(turn);
        }
    }
}

fn over() -> DbErr {
    DbErr::Custom("the transaction is over".to_owned())
}

#[async_trait]
impl ConnectionTrait for Transaction {
    fn get_database_backend(&self) -> DbBackend {
        self.backend
    }

    async fn execute_raw(&self, statement: Statement) -> Result<ExecResult, DbErr> {
        let span = query_span(&statement.sql);
        let outcome = self.inner()?.execute_raw(statement).instrument(span).await;
        self.noting_failure(outcome)
    }

    async fn execute_unprepared(&self, sql: &str) -> Result<ExecResult, DbErr> {
        let query = self.inner()?.execute_unprepared(sql);
        self.noting_failure(query.instrument(query_span(sql)).await)
    }

    async fn query_one_raw(&self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
        let span = query_span(&statement.sql);
        let outcome = self
            .inner()?
            .query_one_raw(statement)
            .instrument(span)
            .await;
        self.noting_failure(outcome)
    }

    async fn query_all_raw(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        let span = query_span(&statement.sql);
        let outcome = self
            .inner()?
            .query_all_raw(statement)
            .instrument(span)
            .await;
        self.noting_failure(outcome)
    }
}
