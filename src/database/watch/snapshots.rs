//! The snapshot of a PostgreSQL database, which is another one after every commit,
//! whoever made it: this process, another server, or somebody with a shell.
//!
//! Why that can be relied on: a snapshot *is* what tells a statement which
//! transactions it sees (postgresql.org, "Transaction ID and Snapshot Information
//! Functions"): those below its upper bound that it does not list as in progress. A
//! commit is in every snapshot that is taken after it was acknowledged, and a
//! transaction that is over is over for ever. So if the snapshot is the same before
//! and after some statements, all of them saw one state of the database, and what
//! they found holds for as long as the snapshot is the same. Numbers of transactions
//! do not come back, except when another server takes over that had not heard of the
//! last ones; so the moment at which the server started belongs to it.
//!
//! What lies between two snapshots is known too: the numbers of the transactions that
//! were not over in the one and are in the other. Those of this process say what they
//! change before they commit. If there was any other, everything counts as changed.
//!
//! Asking takes a round trip, which all share who want to know at the same time: one
//! look is under way, and whoever comes meanwhile waits for the next one, because
//! this one may have been taken before they came.
//!
//! The rule that surprises: engines that only speak PostgreSQL's language may have
//! no such snapshots, or those of one node of many, and a replica leaves transactions
//! out of them. Therefore each connection is tried first: the server must be the one
//! that it says it is, and a transaction must show.

mod state;

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex as Lock, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use sea_orm::sqlx::postgres::{PgConnectOptions, PgConnection, PgPool};
use sea_orm::sqlx::{self, ConnectOptions, Row};
use sea_orm::{ConnectionTrait, DbBackend, DbErr, Statement};
use tokio::sync::Mutex;

use super::super::tables::TableSet;
use super::{History, Moment};
use state::State;

/// Who does not hear within this time relies on nothing, and asks for what it wants.
const PATIENCE: Duration = Duration::from_secs(1);

/// After a failure nobody tries again for so long.
const PAUSE: Duration = Duration::from_secs(1);

/// And for so long where the database turned out to be of another kind.
const LONG_PAUSE: Duration = Duration::from_secs(10);

/// Announcements that are kept until they are seen; when nobody looks, they go.
const ANNOUNCED: usize = 10_000;

const SNAPSHOT: &str =
    "SELECT pg_current_snapshot()::text || ' since ' || pg_postmaster_start_time()::text";

const TRANSACTION: &str = "SELECT pg_current_xact_id()::text";

const REPLICA: &str = "SELECT pg_is_in_recovery()::text";

const VERSION: &str = "SELECT version()";

/// Looks at the snapshots of one server, through a connection of its own: waiting
/// for one of the pool would make all wait for the slowest.
#[derive(Debug)]
pub struct Snapshots {
    server: Arc<PgConnectOptions>,
    begun: AtomicU64,
    looker: Mutex<Looker>,
    /// Whether they have turned out to be reliable.
    proven: AtomicBool,
    /// What transactions of this process change, by their numbers.
    announced: Lock<HashMap<u64, TableSet>>,
}

#[derive(Debug)]
struct Looker {
    connection: Option<PgConnection>,
    /// The last look that has ended, and what it saw.
    ended: u64,
    seen: Option<Moment>,
    history: History<State>,
    /// No look is tried before that.
    pausing_until: Option<Instant>,
    /// Whether the log says already that there is nothing to look at.
    told: bool,
}

impl Snapshots {
    pub fn of(pool: &PgPool) -> Self {
        Self {
            server: pool.connect_options(),
            begun: AtomicU64::default(),
            proven: AtomicBool::default(),
            announced: Lock::default(),
            looker: Mutex::new(Looker {
                connection: None,
                ended: 0,
                seen: None,
                history: History::from(None),
                pausing_until: None,
                told: false,
            }),
        }
    }

    pub async fn moment(&self) -> Option<Moment> {
        let earlier = self.begun.load(Ordering::SeqCst);
        let mut looker = self.looker.lock().await;
        if looker.ended <= earlier {
            let number = self.begun.fetch_add(1, Ordering::SeqCst) + 1;
            let state = looker.look(&self.server).await;
            self.proven.fetch_or(state.is_some(), Ordering::Relaxed);
            looker.seen = state.map(|state| self.step(&mut looker.history, state));
            looker.ended = number;
        }
        looker.seen.clone()
    }

    fn step(&self, history: &mut History<State>, state: State) -> Moment {
        if history.state.as_ref() != Some(&state) {
            let mut announced = self.announced();
            let changed = state.changed_since(history.state.as_ref(), &announced);
            announced.retain(|number, _| !state.has_ended(*number));
            drop(announced);
            history.step_to(state, changed);
        }
        history.moment()
    }

    /// The number of a transaction, if anybody wants to know what is in it.
    pub async fn number(&self, transaction: &impl ConnectionTrait) -> Result<Option<u64>, DbErr> {
        if !self.proven.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let statement = Statement::from_string(DbBackend::Postgres, TRANSACTION);
        let row = transaction.query_one_raw(statement).await?;
        let number = row
            .map(|row| row.try_get_by_index::<String>(0))
            .transpose()?;
        Ok(number.and_then(|number| number.parse().ok()))
    }

    /// Says what a transaction changes, before it commits.
    pub fn announce(&self, number: u64, changed: TableSet) {
        let mut announced = self.announced();
        if announced.len() >= ANNOUNCED {
            announced.clear();
        }
        announced.insert(number, changed);
    }

    fn announced(&self) -> MutexGuard<'_, HashMap<u64, TableSet>> {
        self.announced
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    pub async fn close(&self) {
        self.looker.lock().await.connection = None;
    }
}

impl Looker {
    async fn look(&mut self, server: &PgConnectOptions) -> Option<State> {
        if self.pausing_until.is_some_and(|end| Instant::now() < end) {
            return None;
        }
        // If this future is dropped or fails, so is the connection: an answer that
        // comes too late must not be taken for that of the next look.
        let known = self.connection.take();
        let reconnecting = known.is_none();
        let look = async {
            let mut connection = match known {
                Some(connection) => connection,
                None => proven(server).await?,
            };
            let state = snapshot(&mut connection).await?;
            Ok((connection, state))
        };
        match tokio::time::timeout(PATIENCE, look).await {
            Ok(Ok((connection, state))) => {
                // A server that has fallen may have forgotten what was not durable.
                if reconnecting {
                    self.history.state = None;
                }
                self.connection = Some(connection);
                self.pausing_until = None;
                return Some(state);
            }
            Ok(Err(error)) if is_for_good(&error) => {
                self.pausing_until = Some(Instant::now() + LONG_PAUSE);
                if !std::mem::replace(&mut self.told, true) {
                    tracing::warn!(%error, "nothing is remembered between requests");
                }
            }
            Ok(Err(_)) | Err(_) => self.pausing_until = Some(Instant::now() + PAUSE),
        }
        None
    }
}

async fn snapshot(connection: &mut PgConnection) -> Result<State, sqlx::Error> {
    let text = text(connection, SNAPSHOT).await?;
    State::read(&text).ok_or_else(|| unreliable("a snapshot of an unknown form"))
}

fn unreliable(reason: &'static str) -> sqlx::Error {
    sqlx::Error::Configuration(reason.into())
}

/// A connection to a server whose snapshots can be relied on.
async fn proven(server: &PgConnectOptions) -> Result<PgConnection, sqlx::Error> {
    let mut connection = server.connect().await?;
    let before = snapshot(&mut connection).await?;
    text(&mut connection, TRANSACTION).await?;
    let after = snapshot(&mut connection).await?;
    let genuine = is_genuine(&text(&mut connection, VERSION).await?);
    if !genuine || before == after || text(&mut connection, REPLICA).await? != "false" {
        return Err(unreliable(
            "the snapshots of this database do not tell what was committed",
        ));
    }
    Ok(connection)
}

/// Relatives put a name of their own behind the number: `PostgreSQL 15.2-YB-2.25`.
fn is_genuine(version: &str) -> bool {
    let number = version.strip_prefix("PostgreSQL ");
    let number = number.and_then(|rest| rest.split(' ').next());
    number.is_some_and(|number| !number.contains('-'))
}

/// Whether it is not the way to the database that failed, but what it was asked.
fn is_for_good(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Configuration(_) => true,
        // Class 42: it does not know such functions, or does not let us use them.
        sqlx::Error::Database(error) => error.code().is_some_and(|code| code.starts_with("42")),
        _ => false,
    }
}

/// The one value of a statement, in one round trip: nothing is prepared, so that a
/// pooler may stand between.
async fn text(connection: &mut PgConnection, sql: &'static str) -> Result<String, sqlx::Error> {
    let row = sqlx::raw_sql(sql).fetch_one(connection).await?;
    row.try_get(0)
}

#[cfg(test)]
mod tests {
    use super::is_genuine;

    #[test]
    fn relatives_of_postgresql_are_told_by_their_version() {
        for genuine in [
            "PostgreSQL 15.18 (Debian 15.18-0+deb12u1) on x86_64-pc-linux-gnu, compiled by gcc",
            "PostgreSQL 18beta2 on aarch64-unknown-linux-gnu",
        ] {
            assert!(is_genuine(genuine), "{genuine}");
        }
        for relative in [
            "PostgreSQL 15.2-YB-2.25.1.0-b0 on x86_64-pc-linux-gnu",
            "CockroachDB CCL v24.1.0 (x86_64-pc-linux-gnu)",
            "",
        ] {
            assert!(!is_genuine(relative), "{relative}");
        }
    }
}
