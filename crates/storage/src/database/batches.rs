//! Batches of changes. Changes of the same row would wait for each other, each for several
//! calls of the database. The first change becomes the leader and is written immediately.
//! Changes that arrive in the meantime are written next, in one transaction:
//! on PostgreSQL by one statement, on SQLite by one call each, within a group commit
//! (`writer.rs`).

use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use sea_orm::{DbBackend, DbErr, QueryResult, RuntimeErr, Statement};
use serde::Serialize;
use serde_json::{Value, json};
use tokio::sync::oneshot;

use super::guard::{self, GrantVersions};
use super::writer::{self, SqliteWriter};
use super::{Database, PostgresWriters, Writes, dependencies};
use contract::problem::database::{is_constraint, is_transient};

/// The most changes of a batch, and its most bytes (a single change may have more).
const MOST_CHANGES: usize = 64;
const MOST_BYTES: usize = 1 << 20;

/// A change that can share a transaction with others of its type.
pub trait BatchedChange: Serialize + Send + Sync + 'static {
    type Done: Send + 'static;

    /// For SQLite: the statements that change the row with this id. The first row that they
    /// return is for `done`.
    fn script(&self, id: i64) -> Statement;

    /// For PostgreSQL: the SQL after `WITH …`. `$1` is the id of the changed row. `allowed`
    /// has a row for each change, whose `change` is the change as JSON with its `place` in
    /// the batch. The statement returns the place of each change that it made, and the
    /// columns that `done` reads.
    fn sql() -> &'static str;

    /// Parses the row that was returned for a change.
    fn done(row: &QueryResult) -> Result<Self::Done, DbErr>;

    /// Whether neither change affects the outcome of the other.
    fn is_independent_of(&self, other: &Self) -> bool;

    /// Its approximate size in bytes.
    fn size(&self) -> usize;

    /// Runs once the change is durable, even if its request was cancelled.
    fn after_commit(&self) {}
}

/// The queued changes of one type, by the id of the row they change.
pub struct Batches<C: BatchedChange> {
    queues: Arc<Queues<C>>,
}

struct Queues<C: BatchedChange>(Mutex<HashMap<i64, VecDeque<QueuedChange<C>>>>);

struct QueuedChange<C: BatchedChange> {
    change: C,
    stamp: GrantVersions,
    answer: oneshot::Sender<Result<Option<C::Done>, DbErr>>,
}

impl<C: BatchedChange> QueuedChange<C> {
    /// Answers the request, which may have been cancelled.
    fn answer(self, outcome: Result<Option<C::Done>, DbErr>) {
        if matches!(outcome, Ok(Some(_))) {
            self.change.after_commit();
        }
        let _ = self.answer.send(outcome);
    }
}

impl<C: BatchedChange> Default for Batches<C> {
    fn default() -> Self {
        let queues = Arc::new(Queues(Mutex::default()));
        Self { queues }
    }
}

impl<C: BatchedChange> Batches<C> {
    /// Writes a change, batched with other queued changes, and returns when it is durable.
    /// `None` if it was not made: the caller lost its permission, the row is no longer as the
    /// change expects it, or a constraint is violated.
    pub async fn write(&self, db: &Database, id: i64, change: C) -> Result<Option<C::Done>, DbErr> {
        guard::record_grants();
        let Some(stamp) = guard::grant_versions() else {
            return Ok(None);
        };
        let (answer, answered) = oneshot::channel();
        let waiting = QueuedChange {
            change,
            stamp,
            answer,
        };
        if self.queues.is_first(id, waiting) {
            let leader = Leader {
                queues: Arc::clone(&self.queues),
                db: db.clone(),
                id,
                finished: false,
            };
            // In its own task: this request may be cancelled while others wait.
            tokio::spawn(leader.write_all());
        }
        let answered = answered.await;
        dependencies::record_write();
        answered.unwrap_or_else(|_| Err(abandoned()))
    }
}

impl<C: BatchedChange> Queues<C> {
    /// Queues a change, and returns whether its queue has no leader yet.
    fn is_first(&self, id: i64, waiting: QueuedChange<C>) -> bool {
        let mut queues = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match queues.entry(id) {
            Entry::Occupied(mut queue) => {
                queue.get_mut().push_back(waiting);
                false
            }
            Entry::Vacant(queue) => {
                queue.insert(VecDeque::from([waiting]));
                true
            }
        }
    }

    /// The next batch of a queue. Removes an empty queue.
    fn next(&self, id: i64) -> Vec<QueuedChange<C>> {
        let mut queues = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let batch = queues.get_mut(&id).map(next_batch).unwrap_or_default();
        if batch.is_empty() {
            queues.remove(&id);
        }
        batch
    }

    fn remove(&self, id: i64) {
        let mut queues = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        queues.remove(&id);
    }
}

/// Takes changes from the front while they are independent of each other, skipping
/// cancelled requests.
fn next_batch<C: BatchedChange>(queue: &mut VecDeque<QueuedChange<C>>) -> Vec<QueuedChange<C>> {
    let mut batch: Vec<QueuedChange<C>> = Vec::new();
    let mut bytes = 0;
    while let Some(next) = queue.pop_front() {
        if next.answer.is_closed() {
            continue;
        }
        bytes += next.change.size();
        let full = batch.len() >= MOST_CHANGES || bytes > MOST_BYTES;
        let independent = |other: &QueuedChange<C>| next.change.is_independent_of(&other.change);
        if !batch.is_empty() && (full || !batch.iter().all(independent)) {
            queue.push_front(next);
            break;
        }
        batch.push(next);
    }
    batch
}

/// Writes the changes of one queue until it is empty.
struct Leader<C: BatchedChange> {
    queues: Arc<Queues<C>>,
    db: Database,
    id: i64,
    finished: bool,
}

/// A leader that did not finish drops its queue, so the waiting requests get an error.
/// After a leader has finished, the queue of this id may belong to another leader.
impl<C: BatchedChange> Drop for Leader<C> {
    fn drop(&mut self) {
        if !self.finished {
            self.queues.remove(self.id);
        }
    }
}

impl<C: BatchedChange> Leader<C> {
    async fn write_all(mut self) {
        loop {
            let batch = self.queues.next(self.id);
            if batch.is_empty() {
                self.finished = true;
                return;
            }
            self.write(batch).await;
        }
    }

    async fn write(&self, batch: Vec<QueuedChange<C>>) {
        match &self.db.writes {
            Writes::SingleWriter(writer) => self.write_in_turn(writer, batch).await,
            Writes::ConcurrentWriters(writers) => self.write_at_once(writers, batch).await,
        }
    }

    /// Writes a batch by one statement.
    async fn write_at_once(&self, writers: &PostgresWriters, batch: Vec<QueuedChange<C>>) {
        match self.write_statement(writers, &batch).await {
            Ok(done) => {
                for (waiting, done) in batch.into_iter().zip(done) {
                    waiting.answer(Ok(done));
                }
            }
            // The database rejected one change and wrote none: write each one alone.
            Err(error) if batch.len() > 1 && !is_transient(&error) => {
                for waiting in batch {
                    let alone = self
                        .write_statement(writers, std::slice::from_ref(&waiting))
                        .await;
                    let done = alone.map(|done| done.into_iter().next().flatten());
                    waiting.answer(unless_constrained(done));
                }
            }
            Err(error) => refuse(batch, &error),
        }
    }

    /// Runs the statement for a batch, and returns the outcome of each change in order.
    async fn write_statement(
        &self,
        writers: &PostgresWriters,
        batch: &[QueuedChange<C>],
    ) -> Result<Vec<Option<C::Done>>, DbErr> {
        let rows = writers.write(statement(self.id, batch)?).await?;
        let mut done: Vec<Option<C::Done>> = batch.iter().map(|_| None).collect();
        for row in &rows {
            let place: i32 = row.try_get("", "place")?;
            let place = usize::try_from(place).ok();
            if let Some(done) = place.and_then(|place| done.get_mut(place)) {
                *done = Some(C::done(row)?);
            }
        }
        Ok(done)
    }

    /// Writes a batch by one script for each change. While nobody else can write, the
    /// permissions of a caller are compared once.
    async fn write_in_turn(&self, writer: &SqliteWriter, batch: Vec<QueuedChange<C>>) {
        let mut group = match writer.join().await {
            Ok(group) => group,
            Err(error) => return refuse(batch, &error),
        };
        let mut outcomes = Vec::with_capacity(batch.len());
        let mut compared: Option<(&GrantVersions, bool)> = None;
        for waiting in &batch {
            let allowed = match compared {
                Some((stamp, allowed)) if *stamp == waiting.stamp => allowed,
                _ => guard::are_current(&self.db.versions, &waiting.stamp).await,
            };
            compared = Some((&waiting.stamp, allowed));
            outcomes.push(match allowed {
                true => {
                    let rows = group.run(waiting.change.script(self.id)).await;
                    unless_constrained(rows.and_then(|rows| rows.first().map(C::done).transpose()))
                }
                false => Ok(None),
            });
        }
        let durable = writer::commit(group, false).await;
        for (waiting, outcome) in batch.into_iter().zip(outcomes) {
            waiting.answer(durable.clone().and(outcome));
        }
    }
}

/// Answers every change of a batch that was not written.
fn refuse<C: BatchedChange>(batch: Vec<QueuedChange<C>>, error: &DbErr) {
    for waiting in batch {
        waiting.answer(unless_constrained(Err(error.clone())));
    }
}

/// A change that violates a constraint is not made.
fn unless_constrained<Done>(outcome: Result<Option<Done>, DbErr>) -> Result<Option<Done>, DbErr> {
    match outcome {
        Err(error) if is_constraint(&error) => Ok(None),
        outcome => outcome,
    }
}

/// Most callers of a batch hold the same versions, so each distinct set is compared once.
fn statement<C: BatchedChange>(id: i64, batch: &[QueuedChange<C>]) -> Result<Statement, DbErr> {
    let mut stamps: Vec<&GrantVersions> = Vec::new();
    let mut changes = Vec::with_capacity(batch.len());
    for (place, waiting) in batch.iter().enumerate() {
        let same = stamps.iter().position(|stamp| **stamp == waiting.stamp);
        let stamp = same.unwrap_or_else(|| {
            stamps.push(&waiting.stamp);
            stamps.len() - 1
        });
        let mut change = serde_json::to_value(&waiting.change).map_err(|error| {
            DbErr::Custom(format!("a change cannot be written as JSON: {error}"))
        })?;
        change["place"] = place.into();
        change["stamp"] = stamp.into();
        changes.push(change);
    }
    let versions: Vec<Value> = stamps.iter().enumerate().flat_map(versions_json).collect();
    let sql = format!(
        "WITH lost AS (
            SELECT stamp FROM json_to_recordset(CAST($3::TEXT AS JSON))
                AS held (stamp INT, kind BIGINT, id BIGINT, n BIGINT)
            WHERE held.n <> COALESCE((SELECT version.n FROM version
                WHERE version.kind = held.kind AND version.id = held.id), 0)
        ), allowed AS (
            SELECT change FROM json_array_elements(CAST($2::TEXT AS JSON)) AS given (change)
            WHERE CAST(change ->> 'stamp' AS INT) NOT IN (SELECT stamp FROM lost)
        ) {}",
        C::sql()
    );
    let [changes, versions] =
        [Value::from(changes), Value::from(versions)].map(|json| json.to_string());
    let values = [id.into(), changes.into(), versions.into()];
    Ok(Statement::from_sql_and_values(
        DbBackend::Postgres,
        sql,
        values,
    ))
}

/// The versions of a caller, as the statement reads them.
fn versions_json((number, stamp): (usize, &&GrantVersions)) -> Vec<Value> {
    let versions = stamp.iter().map(|(aggregate, version)| {
        let (kind, id) = (aggregate.kind as u8, aggregate.id);
        json!({"stamp": number, "kind": kind, "id": id, "n": version})
    });
    versions.collect()
}

fn abandoned() -> DbErr {
    DbErr::Conn(RuntimeErr::Internal("the batch was not written".to_owned()))
}

#[cfg(test)]
mod tests;
