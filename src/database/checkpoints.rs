//! Checkpoints of a SQLite file: what was committed moves from the write-ahead log into the
//! file. SQLite does it within a commit, whose writers would wait for two more flushes of
//! the disk and for a page of the file for each page of a large push. So it is done beside
//! the commits (<https://www.sqlite.org/wal.html#ckpt>).
//!
//! The writer itself still does it when the log has grown long, which bounds the log.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::Connection;
use tokio::sync::watch;

use super::writer::Outcomes;
use super::{ConnectError, sqlite};

/// Pages that a checkpoint moves at least, as in SQLite.
const PAGES: i64 = 1000;

/// Never waits for a lock: a checkpoint that cannot be made now is made later.
const BUSY: Duration = Duration::ZERO;

/// How long commits are left alone after a look at the log.
const PAUSE: Duration = Duration::from_millis(50);

/// Moves pages in the background. Clones share the connection.
#[derive(Clone, Debug)]
pub struct Checkpoints(Arc<Mutex<Option<Connection>>>);

impl Checkpoints {
    /// Begins. Ends when it is closed, or when nobody can commit any more.
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
                let checked = running.clone();
                let checked = tokio::task::spawn_blocking(move || checked.check());
                if !checked.await.unwrap_or(false) {
                    return;
                }
                tokio::time::sleep(PAUSE).await;
            }
        });
        Ok(checkpoints)
    }

    /// Moves what there is, if it is much. Returns false once it is closed.
    fn check(&self) -> bool {
        let connection = self.connection();
        let Some(connection) = &*connection else {
            return false;
        };
        let moved = waiting(connection).and_then(|pages| match pages < PAGES {
            true => Ok(()),
            false => connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(())),
        });
        if let Err(error) = moved {
            tracing::warn!(%error, "cannot move the write-ahead log into the database file");
        }
        true
    }

    /// Waits for a checkpoint that is under way.
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
fn waiting(connection: &Connection) -> rusqlite::Result<i64> {
    connection.query_row("PRAGMA wal_checkpoint(NOOP)", [], |row| {
        let (logged, moved): (i64, i64) = (row.get(1)?, row.get(2)?);
        Ok(logged - moved)
    })
}
