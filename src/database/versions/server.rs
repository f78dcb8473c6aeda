//! Versions in PostgreSQL: one ordinary statement at a time for all requests that
//! wait. A request that arrives while one is under way waits for the next, because
//! the one under way may not have seen what was committed before the request came.

use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use migration::aggregates::Aggregate;
use sea_orm::sqlx::postgres::{PgPool, PgPoolOptions};
use sea_orm::sqlx::{self, Row};
use tokio::sync::oneshot;

use super::Counts;

/// A request that does not hear within this time goes on without the cache.
const PATIENCE: Duration = Duration::from_secs(1);

const VERSIONS: &str = "SELECT version.kind, version.id, version.n
    FROM unnest($1::BIGINT[], $2::BIGINT[]) AS wanted (kind, id)
    JOIN version ON version.kind = wanted.kind AND version.id = wanted.id";

/// Clones share the connection and the queue.
#[derive(Clone, Debug)]
pub struct ServerVersions {
    /// One connection of its own: waiting for one of the common pool would make all
    /// requests wait for the slowest query.
    pool: PgPool,
    queue: Arc<Mutex<Queue>>,
    counts: Arc<Counts>,
}

#[derive(Debug, Default)]
struct Queue {
    waiting: Vec<Waiting>,
    /// Whether a statement is under way; whoever sent it sends the next.
    busy: bool,
}

#[derive(Debug)]
struct Waiting {
    wanted: Vec<Aggregate>,
    reply: oneshot::Sender<Option<Vec<(Aggregate, u64)>>>,
}

impl Queue {
    /// Waits for the next statement. True if somebody has to send it.
    fn join(&mut self, waiting: Waiting) -> bool {
        self.waiting.push(waiting);
        !std::mem::replace(&mut self.busy, true)
    }

    /// All who wait now; `None`, and no longer busy, if nobody does.
    fn next(&mut self) -> Option<Vec<Waiting>> {
        let waiting = std::mem::take(&mut self.waiting);
        self.busy = !waiting.is_empty();
        self.busy.then_some(waiting)
    }
}

impl ServerVersions {
    pub fn of(common: &PgPool, counts: Arc<Counts>) -> Self {
        let server = common.connect_options();
        let pool = PgPoolOptions::new()
            .max_connections(1)
            .acquire_timeout(PATIENCE)
            .test_before_acquire(false)
            .connect_lazy_with(server.as_ref().clone());
        Self {
            pool,
            queue: Arc::default(),
            counts,
        }
    }

    pub async fn read(&self, wanted: Vec<Aggregate>) -> Option<Vec<(Aggregate, u64)>> {
        let (reply, replied) = oneshot::channel();
        if self.queue().join(Waiting { wanted, reply }) {
            let versions = self.clone();
            tokio::spawn(async move { versions.answer_all().await });
        }
        let replied = tokio::time::timeout(PATIENCE, replied).await;
        replied.ok()?.ok()?
    }

    async fn answer_all(&self) {
        loop {
            let Some(waiting) = self.queue().next() else {
                return;
            };
            let wanted: BTreeSet<_> = waiting.iter().flat_map(|one| &one.wanted).collect();
            let found = tokio::time::timeout(PATIENCE, self.query(wanted)).await;
            let found = match found {
                Ok(Ok(found)) => Some(found),
                Ok(Err(error)) => {
                    tracing::warn!(%error, "the versions of cached values cannot be read");
                    None
                }
                Err(_) => None,
            };
            for one in waiting {
                let versions = found.as_ref().map(|found| {
                    let version = |part: &Aggregate| found.get(&number(*part)).copied();
                    let wanted = one.wanted.iter();
                    wanted
                        .map(|part| (*part, version(part).unwrap_or_default()))
                        .collect()
                });
                // A request that has gone away does not want to know.
                let _ = one.reply.send(versions);
            }
        }
    }

    async fn query(
        &self,
        wanted: BTreeSet<&Aggregate>,
    ) -> Result<HashMap<(i64, i64), u64>, sqlx::Error> {
        self.counts.queries.fetch_add(1, Ordering::Relaxed);
        let (kinds, ids): (Vec<i64>, Vec<i64>) =
            wanted.into_iter().map(|part| number(*part)).unzip();
        let rows = sqlx::query(VERSIONS)
            .bind(kinds)
            .bind(ids)
            .fetch_all(&self.pool)
            .await?;
        rows.iter()
            .map(|row| {
                let version: i64 = row.try_get(2)?;
                Ok(((row.try_get(0)?, row.try_get(1)?), version.unsigned_abs()))
            })
            .collect()
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub async fn close(&self) {
        self.pool.close().await;
    }
}

/// An aggregate as the table has it.
fn number(aggregate: Aggregate) -> (i64, i64) {
    (i64::from(aggregate.kind as u8), aggregate.id)
}
