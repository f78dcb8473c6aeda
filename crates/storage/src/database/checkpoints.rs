//! Checkpoints of a SQLite file, in the background: they copy committed pages from the
//! write-ahead log into the file (<https://www.sqlite.org/wal.html#ckpt>). By default SQLite
//! does so within a commit, and its writers would wait for two more flushes of the disk and for
//! each page of a large push.
//!
//! The writer still makes a checkpoint when the log has grown long, which bounds the log.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::Connection;
use tokio::sync::watch;

use super::writer::Outcomes;
use super::{ConnectError, sqlite};

/// The pages in the log that trigger a checkpoint, as by SQLite's default.
const PAGES: i64 = 1000;

/// Never waits for a lock: a checkpoint that cannot be made now is made later.
const BUSY: Duration = Duration::ZERO;

/// The pause after each check of the log.
const PAUSE: Duration = Duration::from_millis(50);

/// The background task. Clones share the connection.
#[derive(Clone, Debug)]
pub struct Checkpoints(Arc<Mutex<Option<Connection>>>);

impl Checkpoints {
    /// Starts the task. It ends when it is closed, or when the writer is dropped.
    pub fn start(
        path: &Path,
        mut commits: watch::Receiver<Outcomes>,
    ) -> Result<Self, ConnectError> {
        let connection = sqlite::open_beside(path, BUSY).map_err(|error| ConnectError::Sqlite {
            path: path.to_owned(),
            reason: error.to_string(),
        })?;
        let checkpoints = Self(Arc::new(Mutex::new(Some(connection))));
        let running = checkpoints.clone();
        tokio::spawn(async move {
            while commits.changed().await.is_ok() {
                let task = running.clone();
                let open = tokio::task::spawn_blocking(move || task.check());
                if !open.await.unwrap_or(false) {
                    return;
                }
                tokio::time::sleep(PAUSE).await;
            }
        });
        Ok(checkpoints)
    }

    /// Makes a checkpoint if the log is long enough. Returns false once it is closed.
    fn check(&self) -> bool {
        let connection = self.connection();
        let Some(connection) = &*connection else {
            return false;
        };
        let outcome = pending_pages(connection).and_then(|pages| match pages < PAGES {
            true => Ok(()),
            false => connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(())),
        });
        if let Err(error) = outcome {
            tracing::warn!(%error, "cannot move the write-ahead log into the database file");
        }
        true
    }

    /// Closes the connection, after a checkpoint in progress.
    pub async fn close(&self) {
        let closed = self.clone();
        let closed = tokio::task::spawn_blocking(move || drop(closed.connection().take()));
        if let Err(error) = closed.await {
            tracing::warn!(%error, "cannot close the connection for checkpoints");
        }
    }

    fn connection(&self) -> MutexGuard<'_, Option<Connection>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Pages of the log that are not in the file yet.
fn pending_pages(connection: &Connection) -> rusqlite::Result<i64> {
    connection.query_row("PRAGMA wal_checkpoint(NOOP)", [], |row| {
        let (logged, copied): (i64, i64) = (row.get(1)?, row.get(2)?);
        Ok(logged - copied)
    })
}
