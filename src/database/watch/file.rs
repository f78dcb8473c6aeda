//! Watching a SQLite database: what happened between two headers of its wal-index.

use std::path::Path;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, timeout_at};

use super::super::tables::{TableSet, Tables};
use super::super::wal_index::{State, WalIndex};
use super::{History, Moment};

/// How long it is worth waiting for a commit of ours that is nearly made, for all who
/// come meanwhile together. A checkpoint on a slow disk may take longer.
const PATIENCE: Duration = Duration::from_millis(50);

/// Commits that one waits for, if they come without a pause.
const ENDS: usize = 3;

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
    /// Until when its end is waited for, once somebody does.
    awaited: Option<Instant>,
}

/// A commit of ours that is being made.
#[derive(Debug, Default)]
#[must_use]
pub struct Commit(Option<State>);

/// There is a state that may be that of a commit of ours, whose end is waited for
/// until then.
struct Committing {
    awaited: Instant,
}

impl WatchedFile {
    pub fn of(database: &Path, tables: Tables) -> Option<Self> {
        let index = WalIndex::of(database)?;
        let progress = Progress {
            history: History::from(index.state()),
            committing: false,
            awaited: None,
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

    /// From when the header has moved until it is known how, all who come wait:
    /// otherwise each would find out everything by itself.
    async fn next_moment(&self) -> Option<Moment> {
        for _ in 0..ENDS {
            let ended = self.ended.notified();
            match self.moment_unless_committing() {
                Ok(moment) => return moment,
                Err(Committing { awaited }) => timeout_at(awaited, ended).await.ok()?,
            }
        }
        None
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
            let until = Instant::now() + PATIENCE;
            let awaited = *progress.awaited.get_or_insert(until);
            return Err(Committing { awaited });
        }
        Ok(state.map(|state| progress.history.moment_of(state)))
    }

    pub fn commit_begins(&self) -> Commit {
        let mut progress = self.progress_to_write();
        let state = self.index.state();
        if let Some(state) = state {
            progress.history.moment_of(state);
            progress.committing = true;
            progress.awaited = None;
        }
        Commit(state)
    }

    /// A commit that changed nothing leaves no state, so one that follows is of others.
    pub fn commit_ends(&self, commit: &Commit, changed: TableSet) {
        let mut progress = self.progress_to_write();
        progress.committing = false;
        let history = &mut progress.history;
        match (commit.0, self.index.state()) {
            (Some(before), Some(after)) if before == after => {}
            (Some(before), Some(after)) if after.follows(&before) && !changed.is_empty() => {
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use sea_orm::{ConnectionTrait, DatabaseConnection};

    use super::*;

    /// A database with two tables.
    async fn database(folder: &Path) -> (DatabaseConnection, Arc<WatchedFile>) {
        let file = folder.join("test.db");
        let url = format!("sqlite://{}?mode=rwc", file.display());
        let connection = sea_orm::Database::connect(url).await.unwrap();
        let sql = "PRAGMA journal_mode = WAL; CREATE TABLE one (x); CREATE TABLE two (x)";
        connection.execute_unprepared(sql).await.unwrap();
        let tables = Tables::of(&connection).await.unwrap().unwrap();
        let watched = WatchedFile::of(&file, tables).unwrap();
        (connection, Arc::new(watched))
    }

    #[tokio::test]
    async fn who_comes_while_a_commit_ends_waits_and_keeps_what_it_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let (connection, watched) = database(folder.path()).await;
        let read = |sql| watched.tables.touched_by(sql).read;
        let [one, two] = ["SELECT * FROM one", "SELECT * FROM two"].map(read);
        let before = watched.moment().await.unwrap();
        let commit = watched.commit_begins();
        let insert = "INSERT INTO one VALUES (1)";
        connection.execute_unprepared(insert).await.unwrap();
        let waiting = watched.clone();
        let waiting = tokio::spawn(async move { waiting.moment().await });
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished());
        watched.commit_ends(&commit, one);
        let after = waiting.await.unwrap().unwrap();
        assert!(after.confirms(&before.learnt(two)));
        assert!(!after.confirms(&before.learnt(one)));
    }

    #[tokio::test]
    async fn a_commit_of_ours_that_changed_nothing_does_not_hide_one_of_others() {
        let folder = tempfile::tempdir().unwrap();
        let (connection, watched) = database(folder.path()).await;
        let read = watched.tables.touched_by("SELECT * FROM one").read;
        let before = watched.moment().await.unwrap();
        let commit = watched.commit_begins();
        let insert = "INSERT INTO one VALUES (1)";
        connection.execute_unprepared(insert).await.unwrap();
        watched.commit_ends(&commit, TableSet::NONE);
        let after = watched.moment().await.unwrap();
        assert!(!after.confirms(&before.learnt(read)));
    }

    #[tokio::test]
    async fn a_commit_that_never_ends_leaves_nothing_to_rely_on() {
        let folder = tempfile::tempdir().unwrap();
        let (connection, watched) = database(folder.path()).await;
        let _commit = watched.commit_begins();
        assert!(watched.moment().await.is_some());
        let insert = "INSERT INTO one VALUES (1)";
        connection.execute_unprepared(insert).await.unwrap();
        assert!(watched.moment().await.is_none());
    }
}
