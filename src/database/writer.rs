//! Writing to SQLite: those who wait at the same time share one commit, because a
//! commit waits for the disk, and the disk takes as long for one as for thirty.
//!
//! Writers take turns, in order. The first begins a transaction of SQLite, the
//! *batch*, and each of those who were waiting works in a savepoint of its own
//! within it. Behind them waits the one who commits the batch; only then does any
//! of them hear that its change was made. So:
//!
//! - A change is atomic, because its savepoint is; and it is durable once it is
//!   acknowledged, because nobody is told before the one commit is on the disk.
//! - One who fails or goes away undoes its savepoint and nothing else. After that
//!   nobody joins the batch any more.
//! - If beginning, keeping or undoing a savepoint fails, it is not known what is
//!   left of the batch: a full disk makes SQLite undo all of it by itself, and the
//!   driver counts savepoints on its own. Then the batch is *broken*: it is undone,
//!   and all who wait for it hear that they failed.
//! - Whoever joins sees what the earlier ones of its batch have done, which others
//!   see after the commit. A refusal, or the answer that there is nothing to do,
//!   may rest on that, so it must not be given before the commit: who has joined
//!   and not committed waits for the batch all the same (`settle`), and fails if
//!   the batch does.
//! - Nobody waits for more than those before it, and for one commit.
//!
//! The rule that surprises: whatever begins or ends a savepoint runs in a task of
//! its own. A caller who goes away in the middle would otherwise make the driver
//! undo one level too many, and that level is the work of others.

use std::sync::Arc;
use std::time::Duration;

use sea_orm::{ConnAcquireErr, DatabaseConnection, DatabaseTransaction, DbErr, TransactionTrait};
use tokio::runtime::Handle;
use tokio::sync::{Mutex, OwnedMutexGuard, oneshot, watch};
use tokio::task::JoinError;

use super::tables::TableSet;
use super::transaction::Transaction;
use super::watch::Watch;
use super::{footprint, writing};

/// The one way to write to a SQLite file.
#[derive(Clone, Debug)]
pub struct Writer {
    /// A pool of one connection.
    connection: DatabaseConnection,
    /// First come, first served.
    queue: Arc<Mutex<Batch>>,
    /// How long a writer waits for its turn.
    wait: Duration,
    watch: Watch,
    /// How the batches ended.
    ends: Arc<watch::Sender<Ends>>,
}

/// The last batch that is over, and the last that failed, by number.
#[derive(Debug, Clone, Copy, Default)]
struct Ends {
    over: u64,
    failed: u64,
}

/// A writer's turn.
pub type Turn = OwnedMutexGuard<Batch>;

/// What is to be committed together.
#[derive(Debug, Default)]
pub struct Batch {
    /// They are counted from 1.
    number: u64,
    begun: Option<Begun>,
    changed: TableSet,
    /// Somebody has undone something, so nobody else may join.
    ended: bool,
    /// Nobody knows what is left of it, so it must not be committed.
    broken: bool,
}

#[derive(Debug)]
struct Begun {
    whole: DatabaseTransaction,
    waiting: Vec<oneshot::Sender<Result<(), DbErr>>>,
}

impl Writer {
    pub fn new(connection: DatabaseConnection, wait: Duration, watch: Watch) -> Self {
        Self {
            connection,
            queue: Arc::default(),
            wait,
            watch,
            ends: Arc::default(),
        }
    }

    pub async fn begin(&self) -> Result<Transaction, DbErr> {
        let turn = tokio::time::timeout(self.wait, self.queue.clone().lock_owned());
        let late = |_| DbErr::ConnectionAcquire(ConnAcquireErr::Timeout);
        let joining = self.clone().join(turn.await.map_err(late)?);
        let (transaction, number) = tokio::spawn(joining).await.map_err(cut_short)??;
        footprint::note_seen(number);
        Ok(transaction)
    }

    async fn join(self, mut turn: Turn) -> Result<(Transaction, u64), DbErr> {
        if turn.ended || turn.broken {
            self.commit(&mut turn).await;
        }
        if turn.begun.is_none() {
            let whole = self.connection.begin_with_options(writing()).await?;
            let waiting = Vec::new();
            turn.number += 1;
            turn.begun = Some(Begun { whole, waiting });
            let writer = self.clone();
            tokio::spawn(async move {
                let mut turn = writer.queue.clone().lock_owned().await;
                writer.commit(&mut turn).await;
            });
        }
        let number = turn.number;
        let begun = turn.begun.as_ref().ok_or_else(lost)?;
        match begun.whole.begin().await {
            Ok(savepoint) => {
                let transaction = Transaction::in_turn(savepoint, turn, self.watch);
                Ok((transaction, number))
            }
            Err(error) => {
                turn.broken = true;
                Err(error)
            }
        }
    }

    /// Waits until a batch is over. Fails if it failed: what was seen in it never
    /// came to be.
    pub async fn settle(&self, number: u64) -> Result<(), DbErr> {
        let mut ends = self.ends.subscribe();
        let ends = ends.wait_for(|ends| ends.over >= number).await;
        match ends {
            // Batches fail rarely, and an error too many is no wrong answer.
            Ok(ends) if ends.failed < number => Ok(()),
            _ => Err(lost()),
        }
    }

    /// Commits a batch and tells all who wait for it. The next one may begin.
    async fn commit(&self, batch: &mut Batch) {
        let Some(begun) = batch.begun.take() else {
            return;
        };
        let changed = std::mem::take(&mut batch.changed);
        batch.ended = false;
        let outcome = if std::mem::take(&mut batch.broken) {
            drop(begun.whole);
            Err(lost())
        } else {
            let commit = self.watch.commit_begins();
            let outcome = begun.whole.commit().await;
            self.watch.commit_ends(&commit, changed);
            outcome
        };
        for waiting in begun.waiting {
            let told = match &outcome {
                Ok(()) => Ok(()),
                Err(error) => Err(DbErr::Custom(format!("the commit failed: {error}"))),
            };
            let _ = waiting.send(told);
        }
        self.ends.send_modify(|ends| {
            ends.over = batch.number;
            if outcome.is_err() {
                ends.failed = batch.number;
            }
        });
    }

    pub fn connection(&self) -> &DatabaseConnection {
        &self.connection
    }
}

/// Ends a turn with a change, and waits until it is durable.
pub async fn keep(
    savepoint: DatabaseTransaction,
    mut turn: Turn,
    changed: TableSet,
) -> Result<(), DbErr> {
    let (tell, told) = oneshot::channel();
    tokio::spawn(async move {
        turn.changed = turn.changed.and(changed);
        match (savepoint.commit().await, turn.begun.as_mut()) {
            (Ok(()), Some(begun)) => begun.waiting.push(tell),
            (outcome, _) => {
                turn.broken = true;
                // One who has gone away does not want to know.
                let _ = tell.send(outcome.and_then(|()| Err(lost())));
            }
        }
    });
    let outcome = told.await.map_err(|_| lost())?;
    footprint::note_finished();
    outcome
}

/// Ends a turn without a change, and waits until it is undone.
pub async fn undo(savepoint: DatabaseTransaction, turn: Turn) -> Result<(), DbErr> {
    tokio::spawn(undone(savepoint, turn))
        .await
        .map_err(cut_short)?
}

/// Ends a turn of one who has gone away. Without a runtime there is nobody who
/// could commit the batch either.
pub fn abandon(savepoint: DatabaseTransaction, mut turn: Turn) {
    match Handle::try_current() {
        Ok(runtime) => drop(runtime.spawn(undone(savepoint, turn))),
        Err(_) => turn.broken = true,
    }
}

async fn undone(savepoint: DatabaseTransaction, mut turn: Turn) -> Result<(), DbErr> {
    turn.ended = true;
    let outcome = savepoint.rollback().await;
    turn.broken |= outcome.is_err();
    outcome
}

fn lost() -> DbErr {
    DbErr::Custom("the transaction was lost".to_owned())
}

fn cut_short(error: JoinError) -> DbErr {
    DbErr::Custom(format!("the transaction was cut short: {error}"))
}
