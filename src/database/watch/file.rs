//! Watching a SQLite database: what happened between two headers of its wal-index.

use std::path::Path;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::Duration;

use tokio::sync::Notify;

use super::super::tables::{TableSet, Tables};
use super::super::wal_index::{State, WalIndex};
use super::{History, Moment};

/// How long it is worth waiting for a commit of ours that is nearly made.
const PATIENCE: Duration = Duration::from_millis(50);

#[derive(Debug)]
pub struct WatchedFile {
    index: WalIndex,
    pub(super) tables: Tables,
    progress: RwLock<Progress>,
    /// A commit of ours has ended.
    ended: Notify,
}

#[derive(Debug)]
struct Progress {
    history: History<State>,
    /// Whether a commit of ours is being made.
    committing: bool,
}

/// A commit of ours that is being made.
#[derive(Debug, Default)]
#[must_use]
pub struct Commit(Option<State>);

/// There is a state that may be that of a commit of ours.
struct Committing;

impl WatchedFile {
    pub fn of(database: &Path, tables: Tables) -> Option<Self> {
        let index = WalIndex::of(database)?;
        let progress = Progress {
            history: History::from(index.state()),
            committing: false,
        };
        Some(Self {
            index,
            tables,
            progress: RwLock::new(progress),
            ended: Notify::new(),
        })
    }

    pub async fn moment(&self) -> Option<Moment> {
        match self.unchanged() {
            Some(moment) => Some(moment),
            // In a box, because it is rare, and larger than all the rest.
            None => Box::pin(self.next_moment()).await,
        }
    }

    /// While a commit of ours is on the disk and it is not yet known how it ended,
    /// all who come wait: otherwise each would find out everything by itself.
    async fn next_moment(&self) -> Option<Moment> {
        let moment = async {
            loop {
                let ended = self.ended.notified();
                match self.moment_unless_committing() {
                    Ok(moment) => return moment,
                    Err(Committing) => ended.await,
                }
            }
        };
        tokio::time::timeout(PATIENCE, moment).await.ok()?
    }

    fn unchanged(&self) -> Option<Moment> {
        let progress = self.progress();
        let state = self.index.state()?;
        (progress.history.state == Some(state)).then(|| progress.history.moment())
    }

    fn moment_unless_committing(&self) -> Result<Option<Moment>, Committing> {
        let mut progress = self.progress_to_write();
        let state = self.index.state();
        if progress.committing && state != progress.history.state {
            return Err(Committing);
        }
        Ok(state.map(|state| progress.history.moment_of(state)))
    }

    pub fn commit_begins(&self) -> Commit {
        let mut progress = self.progress_to_write();
        let state = self.index.state();
        if let Some(state) = state {
            progress.history.moment_of(state);
            progress.committing = true;
        }
        Commit(state)
    }

    pub fn commit_ends(&self, commit: &Commit, changed: TableSet) {
        let mut progress = self.progress_to_write();
        progress.committing = false;
        let history = &mut progress.history;
        match (commit.0, self.index.state()) {
            (Some(before), Some(after)) if before == after => {}
            (Some(before), Some(after)) if after.follows(&before) => {
                history.step_to(after, changed);
            }
            (_, Some(after)) => history.step_to(after, TableSet::ALL),
            (_, None) => history.state = None,
        }
        drop(progress);
        self.ended.notify_waiters();
    }

    fn progress(&self) -> RwLockReadGuard<'_, Progress> {
        self.progress.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn progress_to_write(&self) -> RwLockWriteGuard<'_, Progress> {
        self.progress
            .write()
            .unwrap_or_else(PoisonError::into_inner)
    }
}
