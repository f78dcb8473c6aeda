//! Which PostgreSQL server answers. After a failover another one does, while the old one may
//! still answer on connections that were opened before, or not at all.
//!
//! A server process accepts only a writable primary, and none whose timeline is older than
//! one it has seen. Once a connection reaches another primary, or the same one after a
//! restart, the earlier connections are closed and their statements fail.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use sea_orm::sqlx::pool::PoolConnectionMetadata;
use sea_orm::sqlx::postgres::{PgConnection, PgPoolOptions, PgRow};
use sea_orm::sqlx::{self, Connection, Executor, Row};
use sea_orm::{DbErr, RuntimeErr};
use tokio::sync::watch;
use tokio::time::timeout;

/// A connection that was idle for this long may be dead, so it is tested before use.
const LONG_IDLE: Duration = Duration::from_secs(1);

/// How long a test of a connection may take before use.
const TEST: Duration = Duration::from_secs(1);

/// How long a released connection may take to finish an abandoned statement.
const RELEASE: Duration = Duration::from_secs(5);

/// How long statements fail after a server answered that is not to be used. Each request asks
/// again.
const REFUSAL: Duration = Duration::from_secs(1);

/// For this long after a statement was abandoned, connections are tested when they are
/// released: one of them may be dead, and sqlx would wait for it without a limit.
const DOUBT: Duration = Duration::from_secs(60);

/// Whether the server is a writable primary.
const IS_WRITABLE: &str =
    "NOT pg_is_in_recovery() AND current_setting('transaction_read_only') = 'off'";

/// The timeline, which each promotion increases. `pg_control_checkpoint` shows it too late.
const TIMELINE: &str = "CASE WHEN pg_is_in_recovery() THEN 0 ELSE CAST(CAST('x' ||
    lpad(left(pg_walfile_name(pg_current_wal_lsn()), 8), 16, '0') AS BIT(64)) AS BIGINT) END";

const STARTED: &str = "CAST(EXTRACT(EPOCH FROM pg_postmaster_start_time()) * 1000000 AS BIGINT)";

/// A server between a start, or its promotion, and its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServerIdentity {
    /// 0 if the server does not tell.
    timeline: i64,
    /// When it was started, in microseconds.
    started: i64,
}

impl ServerIdentity {
    /// As it is recorded in the database.
    pub fn text(self) -> String {
        format!("{}/{}", self.timeline, self.started)
    }
}

/// The server that a process uses. The connections of a process share it.
#[derive(Debug)]
pub struct Primary {
    /// The columns that `identity` reads.
    columns: String,
    /// Whether only a writable primary will do. Commands also read from a standby.
    strict: bool,
    /// The longest time for a statement.
    limit: Option<Duration>,
    state: watch::Sender<CurrentServer>,
    /// When a statement was last abandoned, in milliseconds after `begun`; 0: never.
    abandoned: AtomicU64,
    begun: Instant,
}

#[derive(Debug, Default)]
struct CurrentServer {
    server: Option<ServerIdentity>,
    /// Increases with each change of the server.
    generation: u64,
    /// Connections opened before are to another server.
    since: Option<Instant>,
    /// When a server answered that is not to be used, unless the primary has answered since.
    refused: Option<Instant>,
}

impl Primary {
    pub async fn of(
        connection: &mut PgConnection,
        strict: bool,
        limit: Option<Duration>,
    ) -> Result<Self, sqlx::Error> {
        let mut primary = Self {
            columns: format!(
                "{IS_WRITABLE} AS writable, {TIMELINE} AS timeline, {STARTED} AS started"
            ),
            strict,
            limit,
            state: watch::Sender::default(),
            abandoned: AtomicU64::new(0),
            begun: Instant::now(),
        };
        // Some providers do not let a role ask for the timeline.
        let mut row = primary.ask(connection).await;
        if let Err(sqlx::Error::Database(error)) = &row {
            tracing::debug!(%error, "the server does not tell its timeline");
            primary.columns =
                format!("{IS_WRITABLE} AS writable, 0::BIGINT AS timeline, {STARTED} AS started");
            row = primary.ask(connection).await;
        }
        if strict {
            primary.identity(&row?)?;
        }
        Ok(primary)
    }

    /// The columns of a query that `identity` reads.
    pub fn columns(&self) -> &str {
        &self.columns
    }

    async fn ask(&self, connection: &mut PgConnection) -> Result<PgRow, sqlx::Error> {
        let sql = sqlx::AssertSqlSafe(format!("SELECT {}", self.columns));
        connection.fetch_one(sql).await
    }

    /// The identity of the server that returned a row, unless it is not to be used.
    pub fn identity(&self, row: &PgRow) -> Result<ServerIdentity, sqlx::Error> {
        let writable: bool = row.try_get("writable")?;
        let server = ServerIdentity {
            timeline: row.try_get("timeline")?,
            started: row.try_get("started")?,
        };
        let accepted = match writable {
            true => self.accept(server),
            false => Err("it is a standby, or read-only".to_owned()),
        };
        match accepted {
            Ok(()) => Ok(server),
            Err(reason) => Err(unusable(format!("the server is not the primary: {reason}"))),
        }
    }

    /// Fails all statements for a while. A pooler may lead every connection to a server that
    /// must not be used.
    pub fn refuse(&self) {
        self.state
            .send_modify(|state| state.refused = Some(Instant::now()));
    }

    fn is_refused(&self) -> bool {
        let refused = self.state.borrow().refused;
        self.strict && refused.is_some_and(|refused| refused.elapsed() < REFUSAL)
    }

    fn accept(&self, server: ServerIdentity) -> Result<(), String> {
        let mut accepted = Ok(());
        self.state.send_if_modified(|state| {
            let known = state.server.map_or(0, |known| known.timeline);
            if server.timeline < known {
                let own = server.timeline;
                accepted = Err(format!(
                    "its timeline is {own}, and this process has seen {known}; if it replaces that server, restart this process"
                ));
                return false;
            }
            state.refused = None;
            let replaced = state.server.is_some_and(|known| known != server);
            state.server = Some(server);
            if replaced {
                tracing::warn!(timeline = server.timeline, "PostgreSQL was restarted or replaced");
                state.generation += 1;
                state.since = Some(Instant::now());
            }
            replaced
        });
        accepted
    }

    /// Changes whenever the server does.
    pub fn generation(&self) -> u64 {
        self.state.borrow().generation
    }

    /// Runs a statement of a transaction that began in a generation. It fails when the server
    /// has changed, or if there is no answer in time.
    pub async fn run<T>(
        &self,
        generation: u64,
        limited: bool,
        statement: impl Future<Output = Result<T, DbErr>>,
    ) -> Result<T, DbErr> {
        let mut state = self.state.subscribe();
        if self.is_refused() {
            return Err(lost("the server is not the primary"));
        }
        let abandoned = Abandoned(Some(self));
        let limit = self.limit.filter(|_| limited);
        let late = async {
            match limit {
                Some(limit) => tokio::time::sleep(limit).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            _ = state.wait_for(|state| state.generation != generation) => {
                Err(lost("the server was restarted or replaced"))
            }
            outcome = statement => {
                abandoned.disarm();
                outcome
            }
            () = late => Err(lost("no answer")),
        }
    }

    /// Notes that a connection may be in the middle of a statement.
    fn note_abandoned(&self) {
        let millis = u64::try_from(self.begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.abandoned.store(millis.max(1), Ordering::Relaxed);
    }

    fn is_in_doubt(&self) -> bool {
        match self.abandoned.load(Ordering::Relaxed) {
            0 => false,
            millis => self.begun.elapsed() < Duration::from_millis(millis) + DOUBT,
        }
    }

    /// Waits until the server has changed.
    async fn replaced(&self) {
        let generation = self.generation();
        let mut state = self.state.subscribe();
        // The sender lives as long as this.
        let _ = state.wait_for(|state| state.generation != generation).await;
    }

    fn is_outdated(&self, about: &PoolConnectionMetadata) -> bool {
        let since = self.state.borrow().since;
        since.is_some_and(|since| about.age > since.elapsed())
    }
}

/// Makes a pool check its connections, each when it is opened, and the doubtful ones when they
/// are used and released. Testing every connection would double the round trips.
pub fn checked(options: PgPoolOptions, primary: &Arc<Primary>) -> PgPoolOptions {
    let (opened, used, released) = (primary.clone(), primary.clone(), primary.clone());
    let options = match primary.strict {
        false => options,
        true => options.after_connect(move |connection, _| {
            let primary = opened.clone();
            Box::pin(async move {
                let row = primary.ask(connection).await?;
                primary.identity(&row).map(|_| ())
            })
        }),
    };
    options
        .test_before_acquire(false)
        .before_acquire(move |connection, about| {
            let outdated = used.is_outdated(&about);
            Box::pin(async move {
                if outdated {
                    return Ok(false);
                }
                if about.idle_for > LONG_IDLE {
                    test(connection, TEST).await?;
                }
                Ok(true)
            })
        })
        .after_release(move |connection, about| {
            let primary = released.clone();
            Box::pin(async move {
                if primary.is_outdated(&about) {
                    return Ok(false);
                }
                // Without a limit, sqlx sends what was not sent, such as ROLLBACK.
                if !primary.is_in_doubt() && !connection.should_flush() {
                    return Ok(true);
                }
                tokio::select! {
                    () = primary.replaced() => Ok(false),
                    tested = test(connection, RELEASE) => tested.map(|()| true),
                }
            })
        })
}

async fn test(connection: &mut PgConnection, limit: Duration) -> Result<(), sqlx::Error> {
    let tested = timeout(limit, connection.ping()).await;
    tested.unwrap_or_else(|_| Err(unusable("no answer".to_owned())))
}

/// Notes that a statement was dropped before its end.
struct Abandoned<'a>(Option<&'a Primary>);

impl Abandoned<'_> {
    fn disarm(mut self) {
        self.0 = None;
    }
}

impl Drop for Abandoned<'_> {
    fn drop(&mut self) {
        if let Some(primary) = self.0 {
            primary.note_abandoned();
        }
    }
}

fn unusable(reason: String) -> sqlx::Error {
    sqlx::Error::Io(std::io::Error::other(reason))
}

fn lost(reason: &str) -> DbErr {
    DbErr::Conn(RuntimeErr::Internal(format!(
        "the connection to PostgreSQL is lost: {reason}"
    )))
}
