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
//!   nobody joins the batch any more: an error may be one at which SQLite has
//!   undone everything, and then the batch must not go on as if it had not.
//! - That is noticed by the savepoint that every batch begins with: when it is
//!   gone at the end, so is the work, and all of the batch hear that it failed.
//! - Whoever joins sees what the earlier ones of its batch have done, which others
//!   see after the commit. A refusal may rest on that; it is wrong only if the
//!   commit then fails, which is when the disk does.
//! - Nobody waits for more than those before it, and for one commit.
//!
//! What must not be cut short by a caller who goes away runs in tasks of its own.

use std::sync::Arc;
use std::time::Duration;

use sea_orm::{ConnAcquireErr, DatabaseConnection, DatabaseTransaction, DbErr, TransactionTrait};
use tokio::sync::{Mutex, OwnedMutexGuard, oneshot};

use super::transaction::Transaction;
use super::writing;

/// The one way to write to a SQLite file.
#[derive(Clone, Debug)]
pub struct Writer {
    /// A pool of one connection.
    connection: DatabaseConnection,
    /// First come, first served.
    queue: Arc<Mutex<Batch>>,
    /// How long a writer waits for its turn.
    wait: Duration,
}

/// A writer's turn.
pub type Turn = OwnedMutexGuard<Batch>;

/// What is to be committed together.
#[derive(Debug, Default)]
pub struct Batch {
    begun: Option<Begun>,
    /// Somebody has undone something, so nobody else may join.
    ended: bool,
}

/// Dropped from the inside out, in the order of the fields.
#[derive(Debug)]
struct Begun {
    first_savepoint: DatabaseTransaction,
    whole: DatabaseTransaction,
    waiting: Vec<oneshot::Sender<Result<(), DbErr>>>,
}

impl Writer {
    pub fn new(connection: DatabaseConnection, wait: Duration) -> Self {
        Self {
            connection,
            queue: Arc::default(),
            wait,
        }
    }

    pub async fn begin(&self) -> Result<Transaction, DbErr> {
        let turn = tokio::time::timeout(self.wait, self.queue.clone().lock_owned());
        let late = |_| DbErr::ConnectionAcquire(ConnAcquireErr::Timeout);
        let mut turn = turn.await.map_err(late)?;
        if turn.ended {
            turn = finished(tokio::spawn(committed(turn)).await)?;
        }
        if turn.begun.is_none() {
            let whole = self.connection.begin_with_options(writing()).await?;
            turn.begun = Some(Begun {
                first_savepoint: whole.begin().await?,
                whole,
                waiting: Vec::new(),
            });
            let queue = self.queue.clone();
            tokio::spawn(async move { committed(queue.lock_owned().await).await });
        }
        let begun = turn.begun.as_ref().ok_or_else(lost)?;
        let savepoint = begun.first_savepoint.begin().await?;
        Ok(Transaction::in_turn(savepoint, turn))
    }

    pub fn connection(&self) -> &DatabaseConnection {
        &self.connection
    }
}

impl Batch {
    /// Lets nobody else join.
    pub fn end(&mut self) {
        self.ended = true;
    }
}

/// Ends a turn with a change, and waits until it is durable.
pub async fn keep(savepoint: DatabaseTransaction, mut turn: Turn) -> Result<(), DbErr> {
    let (tell, told) = oneshot::channel();
    tokio::spawn(async move {
        match (savepoint.commit().await, turn.begun.as_mut()) {
            (Ok(()), Some(begun)) => begun.waiting.push(tell),
            (outcome, _) => {
                turn.end();
                let _ = tell.send(outcome.and_then(|()| Err(lost())));
            }
        }
    });
    told.await.map_err(|_| lost())?
}

/// Commits a batch and tells all who wait for it. The next one may begin.
async fn committed(mut turn: Turn) -> Turn {
    turn.ended = false;
    let Some(batch) = turn.begun.take() else {
        return turn;
    };
    let outcome = match batch.first_savepoint.commit().await {
        Ok(()) => batch.whole.commit().await,
        Err(error) => {
            drop(batch.whole);
            Err(error)
        }
    };
    for waiting in batch.waiting {
        let told = match &outcome {
            Ok(()) => Ok(()),
            Err(error) => Err(DbErr::Custom(format!("the commit failed: {error}"))),
        };
        // One who has gone away does not want to know.
        let _ = waiting.send(told);
    }
    turn
}

fn finished(outcome: Result<Turn, tokio::task::JoinError>) -> Result<Turn, DbErr> {
    outcome.map_err(|error| DbErr::Custom(format!("the commit was cut short: {error}")))
}

fn lost() -> DbErr {
    DbErr::Custom("the transaction was lost".to_owned())
}
