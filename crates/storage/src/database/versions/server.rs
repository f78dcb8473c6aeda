//! Versions in PostgreSQL: one statement at a time for all waiting requests. A request that
//! arrives during a statement waits for the next one, because the current one may not see
//! commits that were acknowledged before the request arrived.
//!
//! The statement also asks which server answers. If it is not the one that is recorded in the
//! database, a failover may have lost commits whose results are cached. Recording the new one
//! changes a setting, and every cached result depends on the settings.

use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use migration::aggregates::Aggregate;
use sea_orm::sqlx::postgres::{PgConnectOptions, PgConnection, PgPool, PgRow};
use sea_orm::sqlx::{self, AssertSqlSafe, ConnectOptions, Connection, Row};
use tokio::sync::oneshot;

use super::super::primary::{Primary, ServerIdentity};
use super::VersionCounts;

/// After this time a request continues without the cache.
const TIMEOUT: Duration = Duration::from_secs(1);

/// The setting that names the server.
const SETTING: &str = "database_server";

/// Returns at least one row, for the server.
fn versions_sql(primary: &Primary) -> String {
    format!(
        "SELECT server.*, version.kind, version.id, version.n
        FROM (SELECT {}, (SELECT value FROM setting WHERE key = '{SETTING}') AS recorded) AS server
        LEFT JOIN (unnest($1::BIGINT[], $2::BIGINT[]) AS wanted (kind, id)
            JOIN version ON version.kind = wanted.kind AND version.id = wanted.id) ON TRUE",
        primary.columns()
    )
}

const RECORD: &str = "INSERT INTO setting (key, value) VALUES ($1, $2)
    ON CONFLICT (key) DO UPDATE SET value = EXCLUDED.value
    WHERE setting.value <> EXCLUDED.value";

/// Clones share the connection and the queue.
#[derive(Clone, Debug)]
pub struct ServerVersions {
    /// A dedicated connection: in the shared pool all requests could wait for the slowest
    /// query.
    connection: Arc<tokio::sync::Mutex<Option<PgConnection>>>,
    options: Arc<PgConnectOptions>,
    primary: Arc<Primary>,
    sql: Arc<str>,
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
    pub fn of(common: &PgPool, primary: Arc<Primary>, counts: Arc<VersionCounts>) -> Self {
        Self {
            connection: Arc::default(),
            options: common.connect_options(),
            sql: versions_sql(&primary).into(),
            primary,
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
            if !matches!(found, Ok(Ok(_))) {
                // It may be dead, or in the middle of a statement.
                *self.connection.lock().await = None;
            }
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
        let mut connection = self.connection.lock().await;
        let mut rows = match &mut *connection {
            Some(kept) => self.fetch(kept, &kinds, &ids).await,
            None => Err(sqlx::Error::WorkerCrashed),
        };
        // The server may have closed the connection since its last use.
        if rows.is_err() {
            let opened = connection.insert(self.options.connect().await?);
            rows = self.fetch(opened, &kinds, &ids).await;
        }
        let rows = rows?;
        let mut found = HashMap::new();
        for row in &rows {
            let key: Option<(i64, i64)> = Option::zip(row.try_get("kind")?, row.try_get("id")?);
            if let Some(key) = key {
                let version: i64 = row.try_get("n")?;
                found.insert(key, version.unsigned_abs());
            }
        }
        Ok(found)
    }

    /// Reads the versions from a server that is recorded as the current one.
    async fn fetch(
        &self,
        connection: &mut PgConnection,
        kinds: &[i64],
        ids: &[i64],
    ) -> Result<Vec<PgRow>, sqlx::Error> {
        loop {
            let rows = sqlx::query(AssertSqlSafe(&*self.sql))
                .bind(kinds)
                .bind(ids)
                .fetch_all(&mut *connection)
                .await?;
            let first = rows.first().ok_or(sqlx::Error::RowNotFound)?;
            let server = self.primary.identity(first);
            let server = server.inspect_err(|_| self.primary.refuse())?;
            let recorded: Option<String> = first.try_get("recorded")?;
            if recorded == Some(server.text()) {
                return Ok(rows);
            }
            record(connection, server).await?;
        }
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub async fn close(&self) {
        if let Some(connection) = self.connection.lock().await.take() {
            drop(connection.close().await);
        }
    }
}

/// Records the server that the database is on.
async fn record(connection: &mut PgConnection, server: ServerIdentity) -> Result<(), sqlx::Error> {
    let recording = sqlx::query(RECORD).bind(SETTING).bind(server.text());
    recording.execute(connection).await.map(|_| ())
}

/// The key of an aggregate in the table `version`.
fn number(aggregate: Aggregate) -> (i64, i64) {
    (i64::from(aggregate.kind as u8), aggregate.id)
}
