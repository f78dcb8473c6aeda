//! Group commit on PostgreSQL. Changes of the same thing would wait for each other's
//! locks, with a round trip and a commit for each. The first change is written at once;
//! those that arrive meanwhile are written together, by one statement.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use sea_orm::{DbBackend, DbErr, QueryResult, RuntimeErr, Statement};
use serde::Serialize;
use serde_json::{Value, json};
use tokio::sync::oneshot;

use super::guard::{self, Stamp};
use super::{Writers, dependencies, failure};

/// How many changes a statement makes at most, and how many bytes they have together
/// (one change may have more).
const MOST_CHANGES: usize = 64;
const MOST_BYTES: usize = 1 << 20;

/// A change that can share a statement with others of its type.
pub trait Change: Serialize + Send + Sync + 'static {
    type Done: Send + 'static;

    /// What follows `WITH …` in the statement. `$1` is the id of the thing that is
    /// changed; `allowed` has a row for each change, whose `change` is the change as
    /// JSON with its `place` in the batch. The statement returns the place of each
    /// change that it made, and whatever `done` reads.
    fn sql() -> &'static str;

    /// What the statement returned for a change.
    fn done(row: &QueryResult) -> Result<Self::Done, DbErr>;

    /// Whether neither change has a say in the outcome of the other.
    fn is_independent_of(&self, other: &Self) -> bool;

    /// About how many bytes it has.
    fn size(&self) -> usize;
}

/// The changes of one type that wait to be written, by the id of what they change.
pub struct Batches<C: Change> {
    queues: Arc<Queues<C>>,
}

struct Queues<C: Change>(Mutex<HashMap<i64, VecDeque<Waiting<C>>>>);

struct Waiting<C: Change> {
    change: C,
    stamp: Stamp,
    answer: oneshot::Sender<Result<Option<C::Done>, DbErr>>,
}

impl<C: Change> Default for Batches<C> {
    fn default() -> Self {
        let queues = Arc::new(Queues(Mutex::default()));
        Self { queues }
    }
}

impl<C: Change> Batches<C> {
    /// Makes a change, together with others that wait. `None` if the statement did not
    /// make it, also because the caller may no longer do so.
    pub async fn write(
        &self,
        writers: &Writers,
        id: i64,
        change: C,
    ) -> Result<Option<C::Done>, DbErr> {
        let Some(stamp) = guard::stamp() else {
            return Ok(None);
        };
        let (answer, answered) = oneshot::channel();
        let waiting = Waiting {
            change,
            stamp,
            answer,
        };
        if self.queues.is_first(id, waiting) {
            let leader = Leader {
                queues: Arc::clone(&self.queues),
                writers: writers.clone(),
                id,
                finished: false,
            };
            // Not of this request, which may be cancelled while others wait.
            tokio::spawn(leader.write_all());
        }
        let answered = answered.await;
        dependencies::note_change();
        answered.unwrap_or_else(|_| Err(abandoned()))
    }
}

impl<C: Change> Queues<C> {
    /// Puts a change into its queue, and says whether nobody else writes that queue.
    fn is_first(&self, id: i64, waiting: Waiting<C>) -> bool {
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

    /// The next changes of a queue. A queue that has none is removed.
    fn next(&self, id: i64) -> Vec<Waiting<C>> {
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

/// Takes changes from the front, without those whose requests were cancelled, for as
/// long as they are independent of each other.
fn next_batch<C: Change>(queue: &mut VecDeque<Waiting<C>>) -> Vec<Waiting<C>> {
    let mut batch: Vec<Waiting<C>> = Vec::new();
    let mut bytes = 0;
    while let Some(next) = queue.pop_front() {
        if next.answer.is_closed() {
            continue;
        }
        bytes += next.change.size();
        let full = batch.len() >= MOST_CHANGES || bytes > MOST_BYTES;
        let independent = |other: &Waiting<C>| next.change.is_independent_of(&other.change);
        if !batch.is_empty() && (full || !batch.iter().all(independent)) {
            queue.push_front(next);
            break;
        }
        batch.push(next);
    }
    batch
}

/// Writes the changes of one queue until it is empty.
struct Leader<C: Change> {
    queues: Arc<Queues<C>>,
    writers: Writers,
    id: i64,
    finished: bool,
}

/// Whoever waits for a leader that did not finish gets an error. The queue of one that
/// did is removed, and may belong to another leader by now.
impl<C: Change> Drop for Leader<C> {
    fn drop(&mut self) {
        if !self.finished {
            self.queues.remove(self.id);
        }
    }
}

impl<C: Change> Leader<C> {
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

    async fn write(&self, batch: Vec<Waiting<C>>) {
        match self.written(&batch).await {
            Ok(done) => {
                for (waiting, done) in batch.into_iter().zip(done) {
                    let _ = waiting.answer.send(Ok(done));
                }
            }
            // One of them was refused, and nothing is written: the others are not to
            // suffer for it.
            Err(error) if batch.len() > 1 && !failure::may_pass(&error) => {
                for waiting in batch {
                    let alone = self.written(std::slice::from_ref(&waiting)).await;
                    let done = alone.map(|done| done.into_iter().next().flatten());
                    let _ = waiting.answer.send(done);
                }
            }
            Err(error) => {
                for waiting in batch {
                    let _ = waiting.answer.send(Err(error.clone()));
                }
            }
        }
    }

    /// Writes a batch, and says in its order what was done.
    async fn written(&self, batch: &[Waiting<C>]) -> Result<Vec<Option<C::Done>>, DbErr> {
        let rows = self.writers.write(statement(self.id, batch)?).await?;
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
}

/// Most callers of a batch were allowed by the same versions, which are compared once.
fn statement<C: Change>(id: i64, batch: &[Waiting<C>]) -> Result<Statement, DbErr> {
    let mut stamps: Vec<&Stamp> = Vec::new();
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
    let held: Vec<Value> = stamps.iter().enumerate().flat_map(held).collect();
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
    let [changes, held] = [Value::from(changes), Value::from(held)].map(|json| json.to_string());
    let values = [id.into(), changes.into(), held.into()];
    Ok(Statement::from_sql_and_values(
        DbBackend::Postgres,
        sql,
        values,
    ))
}

/// The versions of a stamp, as the statement reads them.
fn held((number, stamp): (usize, &&Stamp)) -> Vec<Value> {
    let held = stamp.iter().map(|(aggregate, version)| {
        let (kind, id) = (aggregate.kind as u8, aggregate.id);
        json!({"stamp": number, "kind": kind, "id": id, "n": version})
    });
    held.collect()
}

fn abandoned() -> DbErr {
    DbErr::Conn(RuntimeErr::Internal("the batch was not written".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Serialize)]
    struct Named {
        name: &'static str,
        bytes: usize,
    }

    impl Change for Named {
        type Done = ();

        fn sql() -> &'static str {
            ""
        }

        fn done(_: &QueryResult) -> Result<(), DbErr> {
            Ok(())
        }

        fn is_independent_of(&self, other: &Self) -> bool {
            self.name != other.name
        }

        fn size(&self) -> usize {
            self.bytes
        }
    }

    type Answer = oneshot::Receiver<Result<Option<()>, DbErr>>;

    fn waiting(name: &'static str, bytes: usize) -> (Waiting<Named>, Answer) {
        let (answer, answered) = oneshot::channel();
        let waiting = Waiting {
            change: Named { name, bytes },
            stamp: Stamp::new(),
            answer,
        };
        (waiting, answered)
    }

    fn batches(changes: &[(&'static str, usize)]) -> Vec<Vec<&'static str>> {
        let changes = changes.iter().map(|(name, bytes)| waiting(name, *bytes));
        let (mut queue, _answers): (VecDeque<_>, Vec<_>) = changes.unzip();
        let mut batches = Vec::new();
        while !queue.is_empty() {
            let batch = next_batch(&mut queue);
            batches.push(batch.iter().map(|one| one.change.name).collect());
        }
        batches
    }

    #[test]
    fn a_change_waits_for_one_that_it_depends_on() {
        let found = batches(&[("a", 1), ("b", 1), ("a", 1), ("c", 1)]);
        assert_eq!(found, [vec!["a", "b"], vec!["a", "c"]]);
    }

    #[test]
    fn a_batch_has_an_end_but_takes_one_change_of_any_size() {
        let found = batches(&[("a", 2 * MOST_BYTES), ("b", MOST_BYTES), ("c", 1)]);
        assert_eq!(found, [["a"], ["b"], ["c"]]);
        let names: Vec<&'static str> = (0..=MOST_CHANGES)
            .map(|number| &*number.to_string().leak())
            .collect();
        let many: Vec<_> = names.iter().map(|name| (*name, 1)).collect();
        let sizes: Vec<_> = batches(&many).iter().map(Vec::len).collect();
        assert_eq!(sizes, [MOST_CHANGES, 1]);
    }

    #[test]
    fn what_nobody_waits_for_is_not_written() {
        let (gone, _) = waiting("gone", 1);
        let (kept, _answer) = waiting("kept", 1);
        let batch = next_batch(&mut VecDeque::from([gone, kept]));
        assert_eq!(batch.len(), 1);
        assert_eq!(batch[0].change.name, "kept");
    }

    #[test]
    fn a_leader_that_does_not_finish_leaves_nobody_waiting() {
        let queues = Arc::new(Queues(Mutex::default()));
        let (first, mut answer) = waiting("first", 1);
        assert!(queues.is_first(7, first));
        let (second, mut other) = waiting("second", 1);
        assert!(!queues.is_first(7, second));
        queues.remove(7);
        assert!(
            answer
                .try_recv()
                .is_err_and(|error| error == oneshot::error::TryRecvError::Closed)
        );
        assert!(
            other
                .try_recv()
                .is_err_and(|error| error == oneshot::error::TryRecvError::Closed)
        );
        assert!(queues.is_first(7, waiting("third", 1).0));
    }
}
