//! A transaction that may write. Dropping it undoes it.

use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use sea_orm::{
    ConnectionTrait, DatabaseTransaction, DbBackend, DbErr, ExecResult, QueryResult, Statement,
};

use super::footprint;
use super::tables::TableSet;
use super::watch::Watch;
use super::writer::{self, Turn};

/// On SQLite a savepoint within a batch (`writer.rs`), on PostgreSQL a transaction
/// of its own.
#[derive(Debug)]
pub struct Transaction {
    inner: Option<DatabaseTransaction>,
    turn: Option<Turn>,
    backend: DbBackend,
    watch: Watch,
    changed: Mutex<TableSet>,
}

impl Transaction {
    pub(super) fn alone(inner: DatabaseTransaction) -> Self {
        Self {
            backend: inner.get_database_backend(),
            inner: Some(inner),
            turn: None,
            watch: Watch::default(),
            changed: Mutex::default(),
        }
    }

    pub(super) fn in_turn(inner: DatabaseTransaction, turn: Turn, watch: Watch) -> Self {
        let mut transaction = Self::alone(inner);
        transaction.turn = Some(turn);
        transaction.watch = watch;
        transaction
    }

    /// Makes the changes durable; when it returns, they are.
    pub async fn commit(mut self) -> Result<(), DbErr> {
        let inner = self.inner.take().ok_or_else(over)?;
        let changed = *self.changed();
        match self.turn.take() {
            Some(turn) => writer::keep(inner, turn, changed).await,
            None => inner.commit().await,
        }
    }

    /// Undoes the changes, and waits until that is done.
    pub async fn rollback(mut self) -> Result<(), DbErr> {
        let inner = self.inner.take().ok_or_else(over)?;
        match self.turn.take() {
            Some(turn) => writer::undo(inner, turn).await,
            None => inner.rollback().await,
        }
    }

    /// What does the work of a statement, which is noted.
    fn inner(&self, sql: &str) -> Result<&DatabaseTransaction, DbErr> {
        if let Some(tables) = self.watch.tables() {
            let mut changed = self.changed();
            *changed = changed.and(tables.changed_by(sql));
            footprint::note_read(tables.read_by(sql));
        }
        self.inner.as_ref().ok_or_else(over)
    }

    fn changed(&self) -> MutexGuard<'_, TableSet> {
        self.changed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Transaction {
    fn drop(&mut self) {
        if let Some((inner, turn)) = self.inner.take().zip(self.turn.take()) {
            writer::abandon(inner, turn);
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
        self.inner(&statement.sql)?.execute_raw(statement).await
    }

    async fn execute_unprepared(&self, sql: &str) -> Result<ExecResult, DbErr> {
        self.inner(sql)?.execute_unprepared(sql).await
    }

    async fn query_one_raw(&self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
        self.inner(&statement.sql)?.query_one_raw(statement).await
    }

    async fn query_all_raw(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        self.inner(&statement.sql)?.query_all_raw(statement).await
    }
}
