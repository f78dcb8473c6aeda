//! A transaction that may write. Dropping it undoes it.

use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use sea_orm::{
    ConnectionTrait, DatabaseTransaction, DbBackend, DbErr, ExecResult, QueryResult, Statement,
};
use tokio::sync::OwnedSemaphorePermit;

use super::footprint;
use super::tables::TableSet;
use super::watch::Watch;
use super::writer::{self, Turn};

/// On SQLite a turn within a batch (`writer.rs`), on PostgreSQL a transaction of
/// its own.
#[derive(Debug)]
pub struct Transaction {
    way: Option<Way>,
    backend: DbBackend,
    watch: Watch,
    done: Mutex<Done>,
}

#[derive(Debug)]
enum Way {
    Alone(Alone),
    InTurn(Turn),
}

#[derive(Debug)]
struct Alone {
    inner: DatabaseTransaction,
    /// If others want to know what it changes.
    number: Option<u64>,
    /// Goes last, when its connection is free.
    _place: OwnedSemaphorePermit,
}

/// What has happened in it.
#[derive(Debug, Default, Clone, Copy)]
struct Done {
    changed: TableSet,
    failed: bool,
}

impl Transaction {
    pub(super) async fn alone(
        inner: DatabaseTransaction,
        place: OwnedSemaphorePermit,
        watch: Watch,
    ) -> Result<Self, DbErr> {
        let alone = Alone {
            number: watch.number(&inner).await?,
            inner,
            _place: place,
        };
        Ok(Self {
            way: Some(Way::Alone(alone)),
            backend: DbBackend::Postgres,
            watch,
            done: Mutex::default(),
        })
    }

    pub(super) fn in_turn(turn: Turn, watch: Watch) -> Self {
        Self {
            way: Some(Way::InTurn(turn)),
            backend: DbBackend::Sqlite,
            watch,
            done: Mutex::default(),
        }
    }

    /// Makes the changes durable; when it returns, they are.
    pub async fn commit(mut self) -> Result<(), DbErr> {
        let Done { changed, failed } = *self.done();
        let outcome = match self.way.take().ok_or_else(over)? {
            Way::Alone(alone) => {
                self.watch.announce(alone.number, changed);
                alone.inner.commit().await
            }
            Way::InTurn(turn) => writer::keep(turn, changed, failed).await,
        };
        footprint::note_moment(None);
        outcome
    }

    /// Undoes the changes, and waits until that is done.
    pub async fn rollback(mut self) -> Result<(), DbErr> {
        match self.way.take().ok_or_else(over)? {
            Way::Alone(alone) => {
                self.watch.announce(alone.number, TableSet::NONE);
                alone.inner.rollback().await
            }
            Way::InTurn(turn) => writer::undo(turn).await,
        }
    }

    fn inner(&self) -> Result<&DatabaseTransaction, DbErr> {
        match self.way.as_ref().ok_or_else(over)? {
            Way::Alone(alone) => Ok(&alone.inner),
            Way::InTurn(turn) => turn.connection(),
        }
    }

    /// Notes what a statement may read, and says what it may change.
    fn note_read(&self, sql: &str) -> TableSet {
        let touched = self.watch.touched_by(sql);
        footprint::note_read(touched.read);
        touched.changed
    }

    fn note_changed(&self, tables: TableSet) {
        let mut done = self.done();
        done.changed = done.changed.and(tables);
    }

    fn note_failure(&self, _: &DbErr) {
        self.done().failed = true;
    }

    fn done(&self) -> MutexGuard<'_, Done> {
        self.done.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Transaction {
    fn drop(&mut self) {
        match self.way.take() {
            Some(Way::InTurn(turn)) => writer::abandon(turn),
            Some(Way::Alone(alone)) => self.watch.announce(alone.number, TableSet::NONE),
            None => {}
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
        let changed = self.note_read(&statement.sql);
        let result = self.inner()?.execute_raw(statement).await;
        let result = result.inspect_err(|error| self.note_failure(error))?;
        // One that finds no row to change does not change those of others either.
        if result.rows_affected() > 0 {
            self.note_changed(changed);
        }
        Ok(result)
    }

    async fn execute_unprepared(&self, sql: &str) -> Result<ExecResult, DbErr> {
        self.note_changed(self.note_read(sql));
        let result = self.inner()?.execute_unprepared(sql).await;
        result.inspect_err(|error| self.note_failure(error))
    }

    async fn query_one_raw(&self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
        self.note_changed(self.note_read(&statement.sql));
        let result = self.inner()?.query_one_raw(statement).await;
        result.inspect_err(|error| self.note_failure(error))
    }

    async fn query_all_raw(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        self.note_changed(self.note_read(&statement.sql));
        let result = self.inner()?.query_all_raw(statement).await;
        result.inspect_err(|error| self.note_failure(error))
    }
}
