//! Versions in PostgreSQL: one statement at a time for all waiting requests. A request that
//! arrives during a statement waits for the next one, because the current one may not see
//! commits that were acknowledged before the request arrived.

use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use migration::aggregates::Aggregate;
use sea_orm::sqlx::postgres::{PgPool, PgPoolOptions};
use sea_orm::sqlx::{self, Row};
use tokio::sync::oneshot;

use super::VersionCounts;

/// After this time a request continues without the cache.
const TIMEOUT: Duration = Duration::from_secs(1);

const VERSIONS: &str = "SELECT version.kind, version.id, version.n
    FROM unnest($1::BIGINT[], $2::BIGINT[]) AS wanted (kind, id)
    JOIN version ON version.kind = wanted.kind AND version.id = wanted.id";

/// Clones share the connection and the queue.
#[derive(Clone, Debug)]
pub struct ServerVersions {
    /// A dedicated connection: in the shared pool all requests could wait for the slowest
    /// query.
    pool: PgPool,
    queue: Arc<Mutex<Queue>>,
    counts: Arc<VersionCounts>,
}

#[derive(Debug, Default)]
struct Queue {
    waiting: Vec<QueuedRead>,
    /// Whether a statement is in progress. Its leader also sends the next one.
    busy: bool,
}

#[derive(Debug)]
struct QueuedRead {
    wanted: Vec<Aggregate>,
    reply: oneshot::Sender<Option<Vec<(Aggregate, u64)>>>,
}

impl Queue {
    /// Queues for the next statement. Returns true if the caller becomes the leader.
    fn join(&mut self, waiting: QueuedRead) -> bool {
        self.waiting.push(waiting);
        !std::mem::replace(&mut self.busy, true)
    }

    /// Takes all queued requests; `None`, and no longer busy, if there are none.
    fn next(&mut self) -> Option<Vec<QueuedRead>> {
        let waiting = std::mem::take(&mut self.waiting);
        self.busy = !waiting.is_empty();
        self.busy.then_some(waiting)
    }
}

impl ServerVersions {
    pub fn of(common: &PgPool, counts: Arc<VersionCounts>) -> Self {
        let server = common.connect_options();
        let pool = PgPoolOptions::new()
            .max_connections(1)
            .acquire_timeout(TIMEOUT)
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
        if self.queue().join(QueuedRead { wanted, reply }) {
            let versions = self.clone();
            tokio::spawn(async move { versions.answer_all().await });
        }
        let replied = tokio::time::timeout(TIMEOUT, replied).await;
        replied.ok()?.ok()?
    }

    async fn answer_all(&self) {
        loop {
            let Some(waiting) = self.queue().next() else {
                return;
            };
            let wanted: BTreeSet<_> = waiting.iter().flat_map(|one| &one.wanted).collect();
            let found = tokio::time::timeout(TIMEOUT, self.query(wanted)).await;
            let found = match found {
                Ok(Ok(found)) => Some(found),
                Ok(Err(error)) => {
                    tracing::warn!(%error, "cannot read versions; the cache is not used");
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
                // The request may have been cancelled.
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

/// The key of an aggregate in the table `version`.
fn number(aggregate: Aggregate) -> (i64, i64) {
    (i64::from(aggregate.kind as u8), aggregate.id)
}
