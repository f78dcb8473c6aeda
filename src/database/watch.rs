//! Which tables of a database have changed since something was learnt from it, so
//! that what was learnt can be relied on without asking again.
//!
//! The state of the whole database is one small value (`wal_index.rs` for SQLite,
//! `watch/snapshots.rs` for PostgreSQL). Between two states there are two kinds of
//! commits: *ours*, of which the tables are known that they may have changed, and
//! those *of others*, by which all tables count as changed.
//!
//! On SQLite ours go through the one writer of this process. Such a commit begins
//! and ends with the database's write lock in its hands, and the writer sees to it
//! that one that changes anything is counted by SQLite. So if it was made, and the
//! state after it is one commit further than the state before, then there was no
//! other in between. What is read at a moment is compared with the state under one
//! lock, so a moment is never older than the last commit that anybody has been told
//! of: the writer tells after it has ended here. Between the new state and our
//! knowledge of how it came about, who asks for a moment waits, and if that takes
//! long, there is none, and nothing is relied on. If a commit fails, what follows may
//! be anybody's.
//!
//! On PostgreSQL many write at a time, so each of our transactions has a number and
//! announces under it what it changes; a number that was not announced is of others.
//! There a moment is a round trip, which all share who ask for one at the same time.

mod file;
mod snapshots;

use std::path::Path;
use std::sync::Arc;

use sea_orm::sqlx::postgres::PgPool;
use sea_orm::{ConnectionTrait, DbErr};

use super::tables::{TableSet, Tables, Touched};
use file::WatchedFile;
use snapshots::Snapshots;

pub(super) use file::Commit;

/// Watches one database. Clones watch together.
#[derive(Debug, Clone, Default)]
pub struct Watch(Option<Arc<Watched>>);

#[derive(Debug)]
enum Watched {
    File(WatchedFile),
    Server {
        snapshots: Snapshots,
        /// None before there are any.
        tables: Option<Tables>,
    },
}

/// The last state that was seen, and the way there.
#[derive(Debug)]
struct History<State> {
    state: Option<State>,
    changes: Arc<Changes>,
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

impl Watch {
    /// Watches the database in this file. Where that is not possible, nothing is
    /// seen.
    pub(super) fn over_file(database: &Path, tables: Option<Tables>) -> Self {
        let watched = tables.and_then(|tables| WatchedFile::of(database, tables));
        Self(watched.map(|watched| Arc::new(Watched::File(watched))))
    }

    /// Watches the database that this pool is connected to.
    pub(super) fn over_server(pool: &PgPool, tables: Option<Tables>) -> Self {
        Self(Some(Arc::new(Watched::Server {
            snapshots: Snapshots::of(pool),
            tables,
        })))
    }

    /// This moment: not before the call. None: nothing that was learnt earlier may
    /// be relied on.
    pub async fn moment(&self) -> Option<Moment> {
        match self.0.as_deref()? {
            Watched::File(watched) => watched.moment().await,
            Watched::Server { snapshots, .. } => snapshots.moment().await,
        }
    }

    /// What was learnt since that moment from these tables, if it still holds.
    pub async fn learnt(&self, since: &Moment, read: TableSet) -> Option<Learnt> {
        let learnt = since.learnt(read);
        let holds = !read.is_empty() && self.moment().await?.confirms(&learnt);
        holds.then_some(learnt)
    }

    /// The tables that a statement may read, and those that it may change.
    pub(super) fn touched_by(&self, sql: &str) -> Touched {
        match self.0.as_deref() {
            None => Touched::NOTHING,
            Some(Watched::File(watched)) => watched.tables.touched_by(sql),
            Some(Watched::Server { tables, .. }) => tables
                .as_ref()
                .map_or(Touched::ANYTHING, |tables| tables.touched_by(sql)),
        }
    }

    /// The number of a transaction on PostgreSQL, under which to announce it.
    pub(super) async fn number(
        &self,
        transaction: &impl ConnectionTrait,
    ) -> Result<Option<u64>, DbErr> {
        match self.0.as_deref() {
            Some(Watched::Server { snapshots, .. }) => snapshots.number(transaction).await,
            _ => Ok(None),
        }
    }

    /// To be called before a transaction on PostgreSQL ends.
    pub(super) fn announce(&self, number: Option<u64>, changed: TableSet) {
        if let (Some(Watched::Server { snapshots, .. }), Some(number)) = (self.0.as_deref(), number)
        {
            snapshots.announce(number, changed);
        }
    }

    /// To be called with the write lock of a SQLite database in hand.
    pub(super) fn commit_begins(&self) -> Commit {
        self.file()
            .map_or_else(Commit::default, WatchedFile::commit_begins)
    }

    /// To be called before anybody is told that the commit was made.
    pub(super) fn commit_ends(&self, commit: &Commit, changed: TableSet) {
        if let Some(watched) = self.file() {
            watched.commit_ends(commit, changed);
        }
    }

    pub(super) async fn close(&self) {
        if let Some(Watched::Server { snapshots, .. }) = self.0.as_deref() {
            snapshots.close().await;
        }
    }

    fn file(&self) -> Option<&WatchedFile> {
        match self.0.as_deref()? {
            Watched::File(watched) => Some(watched),
            Watched::Server { .. } => None,
        }
    }
}

impl<State: PartialEq> History<State> {
    fn from(state: Option<State>) -> Self {
        let changes = Changes {
            step: 0,
            of_tables: [0; 64],
        };
        Self {
            state,
            changes: Arc::new(changes),
        }
    }

    fn step_to(&mut self, state: State, changed: TableSet) {
        self.state = Some(state);
        let changes = Arc::make_mut(&mut self.changes);
        changes.step += 1;
        for place in changed.places() {
            changes.of_tables[place] = changes.step;
        }
    }

    /// The moment of a state, however it came about.
    fn moment_of(&mut self, state: State) -> Moment {
        if self.state.as_ref() != Some(&state) {
            self.step_to(state, TableSet::ALL);
        }
        self.moment()
    }

    fn moment(&self) -> Moment {
        Moment(self.changes.clone())
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
