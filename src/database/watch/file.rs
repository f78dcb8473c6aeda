//! Watching a SQLite database: what happened between two headers of its wal-index.

use std::path::Path;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use super::super::tables::{TableSet, Tables};
use super::super::wal_index::{State, WalIndex};
use super::{History, Moment};

#[derive(Debug)]
pub struct WatchedFile {
    index: WalIndex,
    pub(super) tables: Tables,
    progress: RwLock<Progress>,
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
        })
    }

    pub fn moment(&self) -> Option<Moment> {
        let progress = self.progress();
        let state = self.index.state()?;
        if progress.history.state == Some(state) {
            return Some(progress.history.moment());
        }
        drop(progress);
        let mut progress = self.progress_to_write();
        if progress.committing {
            return None;
        }
        let state = self.index.state()?;
        Some(progress.history.moment_of(state))
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
