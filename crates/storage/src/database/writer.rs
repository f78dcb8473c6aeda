//! Group commit for SQLite. A commit waits for the disk, which takes as long for thirty
//! changes as for one, so concurrent writers share a commit.
//!
//! Writers queue in order. The first one begins a SQLite transaction, the *batch*, and
//! spawns a leader that queues behind the current writers. Each writer works within its own
//! savepoint. When the leader's turn comes, it commits the batch, and only then
//! acknowledges the changes. Properties:
//!
//! - Atomic: a writer that fails or is cancelled rolls back to its savepoint. Durable: no
//!   change is acknowledged before the commit is on disk.
//! - A savepoint is released by the statement that sets the next one, or by the commit. A
//!   separate call would cost a thread switch. Without a release, SQLite would keep each
//!   page once per writer.
//! - A writer whose statements are known beforehand sends them as a script, in one call with
//!   its savepoint (`batches.rs`). If it fails by anything but a constraint, the batch is
//!   broken.
//! - If the disk is full or fails, SQLite may roll back the whole batch. Then a statement
//!   fails. So after a failed statement the writer checks its savepoint, by rolling back to
//!   it or releasing it. If the savepoint is gone, the batch is *broken*: it is rolled
//!   back, and all its writers fail, and may try again.
//! - A writer sees the uncommitted changes of earlier writers in its batch. A refusal may
//!   depend on them. So a request that joined a batch without committing waits for the
//!   batch (`wait_for_commit`), and fails if the batch fails.
//! - A writer waits only for earlier writers and for one commit.

use std::sync::Arc;
use std::time::Duration;

use sea_orm::{
    ConnAcquireErr, ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbErr, QueryResult,
    RuntimeErr, Statement, TransactionTrait,
};
use tokio::runtime::Handle;
use tokio::sync::{Mutex, OwnedMutexGuard, oneshot, watch};
use tokio::task::JoinError;
use tracing::Instrument;

use super::connection::query_span;
use super::transaction::Transaction;
use super::{dependencies, sqlite};
use contract::problem::database::is_constraint;

/// The single writer of a SQLite file.
#[derive(Clone, Debug)]
pub struct SqliteWriter {
    /// A pool of one connection.
    connection: DatabaseConnection,
    /// FIFO.
    queue: Arc<Mutex<Batch>>,
    /// How long a writer waits in the queue.
    wait: Duration,
    /// The outcomes of the batches.
    outcomes: Arc<watch::Sender<Outcomes>>,
}

/// The numbers of the last batch that ended and of the last that failed.
#[derive(Debug, Clone, Copy, Default)]
pub struct Outcomes {
    ended: u64,
    failed: u64,
}

/// Exclusive use of the batch.
pub type BatchGuard = OwnedMutexGuard<Batch>;

/// The changes of one group commit.
#[derive(Debug, Default)]
pub struct Batch {
    /// Counted from 1.
    number: u64,
    open: Option<OpenBatch>,
    /// The savepoint of the previous writer is not released yet.
    has_savepoint: bool,
    /// The contents are unknown, so the batch must not be committed.
    broken: bool,
}

#[derive(Debug)]
struct OpenBatch {
    transaction: DatabaseTransaction,
    waiting: Vec<oneshot::Sender<Result<(), DbErr>>>,
}

impl Batch {
    /// The transaction to write to.
    pub fn connection(&self) -> Result<&DatabaseTransaction, DbErr> {
        self.open
            .as_ref()
            .map(|open| &open.transaction)
            .ok_or_else(lost)
    }

    /// Runs a script: several statements in one call, all or none. Returns their rows.
    pub async fn run(&mut self, script: Statement) -> Result<Vec<QueryResult>, DbErr> {
        if self.broken {
            return Err(lost());
        }
        let span = query_span(&script.sql);
        let sql = format!("{}; {}", self.next_savepoint(), script.sql);
        let connection = &self.open.as_ref().ok_or_else(lost)?.transaction;
        // Until the outcome of the script is known.
        self.broken = true;
        let script = Statement { sql, ..script };
        let outcome = connection.query_all_raw(script).instrument(span).await;
        if let Err(error) = &outcome {
            // After any other error the savepoint may not be set, and a rollback could undo the
            // previous writer.
            if !is_constraint(error) {
                return outcome;
            }
            connection.execute_unprepared("ROLLBACK TO writer").await?;
        }
        self.broken = false;
        // A savepoint still exists after a rollback to it.
        self.has_savepoint = true;
        outcome
    }

    /// The SQL that sets the savepoint of the next writer.
    fn next_savepoint(&mut self) -> &'static str {
        match std::mem::take(&mut self.has_savepoint) {
            true => "RELEASE writer; SAVEPOINT writer",
            false => "SAVEPOINT writer",
        }
    }

    /// Runs a statement on savepoints. If it fails, the batch is broken.
    async fn execute_or_break(&mut self, sql: &str) -> Result<(), DbErr> {
        let outcome = self.connection()?.execute_unprepared(sql).await;
        self.broken |= outcome.is_err();
        outcome.map(|_| ())
    }
}

impl SqliteWriter {
    pub fn new(connection: DatabaseConnection, wait: Duration) -> Self {
        Self {
            connection,
            queue: Arc::default(),
            wait,
            outcomes: Arc::default(),
        }
    }

    pub async fn begin(&self) -> Result<Transaction, DbErr> {
        let mut batch = self.join().await?;
        // A savepoint left by a cancelled writer is harmless.
        let savepoint = batch.next_savepoint();
        batch.execute_or_break(savepoint).await?;
        batch.has_savepoint = true;
        dependencies::record_batch(Some(batch.number));
        Ok(Transaction::in_batch(batch))
    }

    /// Waits for a turn in the current batch, or begins one.
    pub async fn join(&self) -> Result<BatchGuard, DbErr> {
        let batch = tokio::time::timeout(self.wait, self.queue.clone().lock_owned());
        let late = |_| DbErr::ConnectionAcquire(ConnAcquireErr::Timeout);
        let mut batch = batch.await.map_err(late)?;
        if batch.broken {
            batch = self.end_uncancelled(batch).await?;
        }
        if batch.open.is_none() {
            let transaction = self
                .connection
                .begin_with_options(sqlite::immediate())
                .await?;
            let waiting = Vec::new();
            batch.number += 1;
            batch.has_savepoint = false;
            batch.open = Some(OpenBatch {
                transaction,
                waiting,
            });
            let writer = self.clone();
            tokio::spawn(async move {
                let batch = writer.queue.clone().lock_owned().await;
                writer.end(batch).await;
            });
        }
        Ok(batch)
    }

    /// Ends the current batch and keeps others from beginning one, for work on the file by
    /// another connection.
    pub async fn exclusive(&self) -> Result<BatchGuard, DbErr> {
        let batch = tokio::time::timeout(self.wait, self.queue.clone().lock_owned());
        let late = |_| DbErr::ConnectionAcquire(ConnAcquireErr::Timeout);
        self.end_uncancelled(batch.await.map_err(late)?).await
    }

    /// Waits until a batch has ended. Fails if it was rolled back.
    pub async fn wait_for_commit(&self, number: u64) -> Result<(), DbErr> {
        let mut outcomes = self.outcomes.subscribe();
        let outcomes = outcomes.wait_for(|outcomes| outcomes.ended >= number).await;
        match outcomes {
            // A later batch may have failed instead. That is rare, and a spurious error is
            // safe.
            Ok(outcomes) if outcomes.failed < number => Ok(()),
            _ => Err(lost()),
        }
    }

    /// Ends a batch even if the caller is cancelled meanwhile.
    async fn end_uncancelled(&self, batch: BatchGuard) -> Result<BatchGuard, DbErr> {
        let writer = self.clone();
        let ending = tokio::spawn(async move { writer.end(batch).await });
        ending.await.map_err(aborted)
    }

    /// Commits a batch, or rolls it back if it is broken, and sends the outcome to its
    /// writers.
    async fn end(&self, mut batch: BatchGuard) -> BatchGuard {
        let Some(open) = batch.open.take() else {
            return batch;
        };
        let outcome = if std::mem::take(&mut batch.broken) {
            drop(open.transaction);
            Err(lost())
        } else {
            open.transaction.commit().await
        };
        for waiting in open.waiting {
            let sent = match &outcome {
                Ok(()) => Ok(()),
                Err(error) => Err(failed(&format!("the commit failed: {error}"))),
            };
            // The writer may have been cancelled.
            let _ = waiting.send(sent);
        }
        self.outcomes.send_modify(|outcomes| {
            outcomes.ended = batch.number;
            if outcome.is_err() {
                outcomes.failed = batch.number;
            }
        });
        batch
    }

    pub fn connection(&self) -> &DatabaseConnection {
        &self.connection
    }

    /// Receives the outcome of every batch.
    pub fn outcomes(&self) -> watch::Receiver<Outcomes> {
        self.outcomes.subscribe()
    }
}

/// Ends a writer's part with its change, and waits until it is durable. `doubtful` if one of its
/// statements failed.
pub async fn commit(mut batch: BatchGuard, doubtful: bool) -> Result<(), DbErr> {
    if doubtful {
        batch.has_savepoint = false;
        batch.execute_or_break("RELEASE writer").await?;
    }
    let (sender, receiver) = oneshot::channel();
    let open = batch.open.as_mut().ok_or_else(lost)?;
    open.waiting.push(sender);
    drop(batch);
    let outcome = receiver.await.map_err(|_| lost())?;
    dependencies::record_batch(None);
    outcome
}

/// Ends a writer's part without its change, and waits for the rollback.
pub async fn rollback(mut batch: BatchGuard) -> Result<(), DbErr> {
    let rollback = tokio::spawn(async move { batch.execute_or_break("ROLLBACK TO writer").await });
    rollback.await.map_err(aborted)?
}

/// Rolls back a cancelled writer. Without a runtime nothing can commit the batch either, so
/// it is broken.
pub fn rollback_in_background(mut batch: BatchGuard) {
    match Handle::try_current() {
        Ok(runtime) => {
            runtime.spawn(async move { batch.execute_or_break("ROLLBACK TO writer").await });
        }
        Err(_) => batch.broken = true,
    }
}

fn lost() -> DbErr {
    failed("the transaction was lost")
}

#[expect(clippy::needless_pass_by_value, reason = "it is given to map_err")]
fn aborted(error: JoinError) -> DbErr {
    failed(&format!("the transaction was aborted: {error}"))
}

/// A temporary error: the disk or another writer of the batch caused it, and a retry may
/// succeed.
fn failed(why: &str) -> DbErr {
    DbErr::Conn(RuntimeErr::Internal(why.to_owned()))
}
