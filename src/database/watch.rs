//! Which tables of a SQLite database have changed since something was learnt
//! from it, so that what was learnt can be relied on without asking again.
//!
//! The state of the whole database is one small value (`wal_index.rs`). Between
//! two states of it there are two kinds of commits:
//!
//! - *Ours*, through the one writer of this process, which knows the tables that
//!   it may have changed. Such a commit begins and ends with the database's write
//!   lock in its hands. If the state after it is one commit further than the
//!   state before, then there was no other in between, and only those tables
//!   have changed.
//! - *Of others*: every other step. Then all tables count as changed.
//!
//! What is read at a moment is compared with the state under one lock, so a
//! moment is never older than the last commit that anybody has been told of:
//! the writer tells after it has ended here. While a commit of ours is being
//! made, between the old state and our knowledge of the new one, there is no
//! moment, and nothing is relied on.
//!
//! PostgreSQL has nothing of the kind; there a watch sees nothing.

use std::path::Path;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use super::tables::{TableSet, Tables};
use super::wal_index::{State, WalIndex};

/// Watches one database. Clones watch together.
#[derive(Debug, Clone, Default)]
pub struct Watch(Option<Arc<Watched>>);

#[derive(Debug)]
struct Watched {
    index: WalIndex,
    tables: Tables,
    history: RwLock<History>,
}

#[derive(Debug)]
struct History {
    state: Option<State>,
    changes: Arc<Changes>,
    committing: bool,
}

/// When what was changed, in steps that are counted by this process.
#[derive(Debug, Clone)]
struct Changes {
    step: u64,
    /// The last step of each table.
    of_tables: [u64; 64],
}

/// A moment, with what is known about the changes until then.
#[derive(Debug, Clone)]
pub struct Moment(Arc<Changes>);

/// Since when something is known, and what it rests on.
#[derive(Debug, Clone, Copy)]
pub struct Learnt {
    step: u64,
    read: TableSet,
}

/// A commit of ours that is being made.
#[derive(Debug)]
#[must_use]
pub struct Commit(Option<State>);

impl Watch {
    /// Watches the database in this file. Where that is not possible, nothing is
    /// seen.
    pub(super) fn over(database: &Path, tables: Option<Tables>) -> Self {
        let watched = WalIndex::of(database)
            .zip(tables)
            .map(|(index, tables)| Watched {
                history: RwLock::new(History {
                    state: index.state(),
                    changes: Arc::new(Changes {
                        step: 0,
                        of_tables: [0; 64],
                    }),
                    committing: false,
                }),
                index,
                tables,
            });
        Self(watched.map(Arc::new))
    }

    pub(super) fn tables(&self) -> Option<&Tables> {
        self.0.as_deref().map(|watched| &watched.tables)
    }

    /// This moment. None: nothing that was learnt earlier may be relied on.
    #[must_use]
    pub fn moment(&self) -> Option<Moment> {
        let watched = self.0.as_deref()?;
        let history = watched.history();
        let state = watched.index.state()?;
        if history.state == Some(state) {
            return Some(Moment(history.changes.clone()));
        }
        drop(history);
        let mut history = watched.history_to_write();
        if history.committing {
            return None;
        }
        let state = watched.index.state()?;
        if history.state != Some(state) {
            history.step_to(state, TableSet::ALL);
        }
        Some(Moment(history.changes.clone()))
    }

    /// What was learnt since that moment from these tables, if it still holds.
    #[must_use]
    pub fn learnt(&self, since: &Moment, read: TableSet) -> Option<Learnt> {
        let learnt = since.learnt(read);
        let holds = !read.is_empty() && self.moment()?.confirms(&learnt);
        holds.then_some(learnt)
    }

    /// To be called with the database's write lock in hand.
    pub(super) fn commit_begins(&self) -> Commit {
        Commit(self.0.as_deref().and_then(|watched| {
            let mut history = watched.history_to_write();
            let state = watched.index.state()?;
            if history.state != Some(state) {
                history.step_to(state, TableSet::ALL);
            }
            history.committing = true;
            Some(state)
        }))
    }

    /// To be called before anybody is told that the commit was made.
    pub(super) fn commit_ends(&self, commit: &Commit, changed: TableSet) {
        let Some(watched) = self.0.as_deref() else {
            return;
        };
        let mut history = watched.history_to_write();
        history.committing = false;
        match (commit.0, watched.index.state()) {
            (Some(before), Some(after)) if before == after => {}
            (Some(before), Some(after)) if after.follows(&before) => {
                history.step_to(after, changed);
            }
            (_, Some(after)) => history.step_to(after, TableSet::ALL),
            (_, None) => history.state = None,
        }
    }
}

impl Watched {
    fn history(&self) -> RwLockReadGuard<'_, History> {
        self.history.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn history_to_write(&self) -> RwLockWriteGuard<'_, History> {
        self.history.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl History {
    fn step_to(&mut self, state: State, changed: TableSet) {
        self.state = Some(state);
        let changes = Arc::make_mut(&mut self.changes);
        changes.step += 1;
        for place in changed.places() {
            changes.of_tables[place] = changes.step;
        }
    }
}

impl Moment {
    /// What is read from these tables from this moment on.
    #[must_use]
    pub fn learnt(&self, read: TableSet) -> Learnt {
        Learnt {
            step: self.0.step,
            read,
        }
    }

    /// Whether something still holds at this moment.
    #[must_use]
    pub fn confirms(&self, learnt: &Learnt) -> bool {
        learnt
            .read
            .places()
            .all(|place| self.0.of_tables[place] <= learnt.step)
    }
}

impl Learnt {
    pub fn read(&self) -> TableSet {
        self.read
    }
}

#[cfg(test)]
impl Moment {
    /// A moment at which everything has just changed.
    pub fn of_test(step: u64) -> Self {
        Self(Arc::new(Changes {
            step,
            of_tables: [step; 64],
        }))
    }
}

#[cfg(test)]
impl Learnt {
    /// Learnt at that step, from some table.
    pub fn of_test(step: u64) -> Self {
        Self {
            step,
            read: TableSet::ALL,
        }
    }
}
