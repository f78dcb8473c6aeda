//! Writing to SQLite: those who wait at the same time share one commit, because a
//! commit waits for the disk, and the disk takes as long for one as for thirty.
//!
//! Writers take turns, in order. The first begins a transaction of SQLite, the
//! *batch*, and each of those who were waiting works behind a savepoint of its own
//! within it. Behind them waits the one who commits the batch; only then does any
//! of them hear that its change was made. So:
//!
//! - A change is atomic: whoever fails or goes away goes back to its savepoint. And
//!   it is durable once it is acknowledged, because nobody is told before the one
//!   commit is on the disk.
//! - A savepoint is released with the call that sets the next one, or by the commit:
//!   a call of its own would be one more change of threads, and if none were
//!   released, SQLite would keep each page once for every writer of the batch.
//! - When the disk is full or fails, SQLite may undo the whole batch by itself. That
//!   shows as a statement that fails. So after a failed statement the savepoint is
//!   asked for again, to go back to it or to release it; if it is gone, the batch is
//!   *broken*: it is undone, and all who wait for it hear that they failed.
//! - Whoever joins sees what the earlier ones of its batch have done, which others
//!   see after the commit. A refusal, or the answer that there is nothing to do,
//!   may rest on that, so it must not be given before the commit: who has joined
//!   and not committed waits for the batch all the same (`settle`), and fails if
//!   the batch does.
//! - Nobody waits for more than those before it, and for one commit.

use std::sync::Arc;
use std::time::Duration;

use sea_orm::{
    ConnAcquireErr, ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbErr, RuntimeErr,
    TransactionTrait,
};
use tokio::runtime::Handle;
use tokio::sync::{Mutex, OwnedMutexGuard, oneshot, watch};
use tokio::task::JoinError;

use super::transaction::Transaction;
use super::{dependencies, writing};

/// The one way to write to a SQLite file.
#[derive(Clone, Debug)]
pub struct Writer {
    /// A pool of one connection.
    connection: DatabaseConnection,
    /// First come, first served.
    queue: Arc<Mutex<Batch>>,
    /// How long a writer waits for its turn.
    wait: Duration,
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
    /// The savepoint of the turn before is still there.
    marked: bool,
    /// Nobody knows what is left of it, so it must not be committed.
    broken: bool,
}

#[derive(Debug)]
struct Begun {
    whole: DatabaseTransaction,
    waiting: Vec<oneshot::Sender<Result<(), DbErr>>>,
}

impl Batch {
    /// What a turn works on.
    pub fn connection(&self) -> Result<&DatabaseTransaction, DbErr> {
        self.begun
            .as_ref()
            .map(|begun| &begun.whole)
            .ok_or_else(lost)
    }

    /// Runs a statement without which nobody knows what there is in the batch.
    async fn vital(&mut self, sql: &str) -> Result<(), DbErr> {
        let outcome = self.connection()?.execute_unprepared(sql).await;
        self.broken |= outcome.is_err();
        outcome.map(|_| ())
    }
}

impl Writer {
    pub fn new(connection: DatabaseConnection, wait: Duration) -> Self {
        Self {
            connection,
            queue: Arc::default(),
            wait,
            ends: Arc::default(),
        }
    }

    pub async fn begin(&self) -> Result<Transaction, DbErr> {
        let turn = tokio::time::timeout(self.wait, self.queue.clone().lock_owned());
        let late = |_| DbErr::ConnectionAcquire(ConnAcquireErr::Timeout);
        let mut turn = turn.await.map_err(late)?;
        if turn.broken {
            turn = self.ended(turn).await?;
        }
        if turn.begun.is_none() {
            let whole = self.connection.begin_with_options(writing()).await?;
            let waiting = Vec::new();
            turn.number += 1;
            turn.marked = false;
            turn.begun = Some(Begun { whole, waiting });
            let writer = self.clone();
            tokio::spawn(async move {
                let turn = writer.queue.clone().lock_owned().await;
                writer.end(turn).await;
            });
        }
        // A savepoint that nobody uses, because its writer went away, does no harm.
        let marking = match std::mem::take(&mut turn.marked) {
            true => "RELEASE turn; SAVEPOINT turn",
            false => "SAVEPOINT turn",
        };
        turn.vital(marking).await?;
        turn.marked = true;
        dependencies::note_batch(Some(turn.number));
        Ok(Transaction::in_turn(turn))
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

    /// Ends a batch, whoever goes away meanwhile.
    async fn ended(&self, turn: Turn) -> Result<Turn, DbErr> {
        let writer = self.clone();
        let ending = tokio::spawn(async move { writer.end(turn).await });
        ending.await.map_err(cut_short)
    }

    /// Commits a batch, or undoes it, and tells all who wait for it. The next one
    /// may begin.
    async fn end(&self, mut batch: Turn) -> Turn {
        let Some(begun) = batch.begun.take() else {
            return batch;
        };
        let outcome = if std::mem::take(&mut batch.broken) {
            drop(begun.whole);
            Err(lost())
        } else {
            begun.whole.commit().await
        };
        for waiting in begun.waiting {
            let told = match &outcome {
                Ok(()) => Ok(()),
                Err(error) => Err(failed(&format!("the commit failed: {error}"))),
            };
            // One who has gone away does not want to know.
            let _ = waiting.send(told);
        }
        self.ends.send_modify(|ends| {
            ends.over = batch.number;
            if outcome.is_err() {
                ends.failed = batch.number;
            }
        });
        batch
    }

    pub fn connection(&self) -> &DatabaseConnection {
        &self.connection
    }
}

/// Ends a turn with a change, and waits until it is durable. `doubtful`: one of its
/// statements failed.
pub async fn keep(mut turn: Turn, doubtful: bool) -> Result<(), DbErr> {
    if doubtful {
        turn.marked = false;
        turn.vital("RELEASE turn").await?;
    }
    let (tell, told) = oneshot::channel();
    let begun = turn.begun.as_mut().ok_or_else(lost)?;
    begun.waiting.push(tell);
    drop(turn);
    let outcome = told.await.map_err(|_| lost())?;
    dependencies::note_batch(None);
    outcome
}

/// Ends a turn without a change, and waits until it is undone.
pub async fn undo(mut turn: Turn) -> Result<(), DbErr> {
    let undoing = tokio::spawn(async move { turn.vital("ROLLBACK TO turn").await });
    undoing.await.map_err(cut_short)?
}

/// Ends a turn of one who has gone away. Without a runtime there is nobody who
/// could commit the batch either.
pub fn abandon(mut turn: Turn) {
    match Handle::try_current() {
        Ok(runtime) => {
            runtime.spawn(async move { turn.vital("ROLLBACK TO turn").await });
        }
        Err(_) => turn.broken = true,
    }
}

fn lost() -> DbErr {
    failed("the transaction was lost")
}

#[expect(clippy::needless_pass_by_value, reason = "it is given to map_err")]
fn cut_short(error: JoinError) -> DbErr {
    failed(&format!("the transaction was cut short: {error}"))
}

/// What is lost with a batch is the fault of the disk, or of those who had it
/// before, and may well work the next time.
fn failed(why: &str) -> DbErr {
    DbErr::Conn(RuntimeErr::Internal(why.to_owned()))
}
