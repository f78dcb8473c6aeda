//! Snapshots of a whole database, and their restoration while it is in use.
//!
//! A restoration is one transaction: a reader sees either the old or the restored state, also
//! after a crash. It sets the version of everything, on which every cached result depends, to
//! one that was never used. On
//! SQLite a snapshot is a file beside the database (`file.rs`), on PostgreSQL a schema
//! (`server.rs`).

mod copying;
mod file;
mod server;

use std::path::Path;
use std::sync::Arc;

use sea_orm::DbErr;

use super::writer::SqliteWriter;
use super::{Database, Writes};
use file::PreparedFile;
pub(super) use file::SnapshotFiles;

/// A stored snapshot of the database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredSnapshot {
    pub name: String,
    /// In real time, not by the clock of the world.
    pub created_at: i64,
    pub bytes: u64,
}

/// Why a snapshot was not created or restored.
#[derive(Debug, thiserror::Error)]
pub enum SnapshotError {
    #[error("there is no such snapshot")]
    Missing,
    #[error("the snapshot has the schema of another version of this program")]
    OtherSchema,
    #[error("a database on PostgreSQL cannot be replaced by a file")]
    NoFile,
    #[error("there are {0} snapshots already; delete one first")]
    TooMany(usize),
    #[error(transparent)]
    Database(#[from] DbErr),
    #[error(transparent)]
    Sqlite(#[from] rusqlite::Error),
    #[error(transparent)]
    File(#[from] std::io::Error),
    #[error("the work was aborted: {0}")]
    Aborted(#[from] tokio::task::JoinError),
}

/// A snapshot that is ready to replace the contents of the database.
pub struct Restoration<'a> {
    database: &'a Database,
    prepared: PreparedSnapshot,
}

enum PreparedSnapshot {
    File(Box<(SqliteWriter, PreparedFile)>),
    Schema(String),
}

impl Database {
    /// Stores the current state under a name, and replaces an earlier snapshot of that name.
    pub async fn make_snapshot(&self, name: &str) -> Result<StoredSnapshot, SnapshotError> {
        match &self.file {
            Some(file) => on_thread(file, name, SnapshotFiles::make).await,
            None => server::make(self, name).await,
        }
    }

    /// Every snapshot, in the order of their names.
    pub async fn snapshots(&self) -> Result<Vec<StoredSnapshot>, SnapshotError> {
        let mut snapshots = match &self.file {
            Some(file) => on_thread(file, "", |file, _| file.list()).await?,
            None => server::list(self).await?,
        };
        snapshots.sort_by(|left, right| left.name.cmp(&right.name));
        Ok(snapshots)
    }

    pub async fn delete_snapshot(&self, name: &str) -> Result<(), SnapshotError> {
        match &self.file {
            Some(file) => on_thread(file, name, SnapshotFiles::delete).await,
            None => server::delete(self, name).await,
        }
    }

    /// Does the part of a restoration that does not block writers.
    pub async fn prepare_restoration(&self, name: &str) -> Result<Restoration<'_>, SnapshotError> {
        let prepared = match (&self.file, &self.writes) {
            (Some(file), Writes::SingleWriter(writer)) => {
                let prepared = on_thread(file, name, SnapshotFiles::prepare).await?;
                PreparedSnapshot::File(Box::new((writer.clone(), prepared)))
            }
            _ => PreparedSnapshot::Schema(server::find(self, name).await?),
        };
        Ok(self.restoration(prepared))
    }

    /// Prepares a restoration from a file that is not a snapshot of this database. SQLite only.
    pub async fn prepare_restoration_of(
        &self,
        other: &Path,
    ) -> Result<Restoration<'_>, SnapshotError> {
        let (Some(file), Writes::SingleWriter(writer)) = (&self.file, &self.writes) else {
            return Err(SnapshotError::NoFile);
        };
        let (own, other) = (file.clone(), other.to_owned());
        let prepared = tokio::task::spawn_blocking(move || own.prepare_file(&other)).await??;
        Ok(self.restoration(PreparedSnapshot::File(Box::new((writer.clone(), prepared)))))
    }

    fn restoration(&self, prepared: PreparedSnapshot) -> Restoration<'_> {
        Restoration {
            database: self,
            prepared,
        }
    }

    /// Copies a snapshot into a new SQLite file. SQLite only.
    pub async fn copy_snapshot(&self, name: &str, path: &Path) -> Result<(), SnapshotError> {
        let file = self.file.clone().ok_or(SnapshotError::NoFile)?;
        let (name, path) = (name.to_owned(), path.to_owned());
        tokio::task::spawn_blocking(move || file.copy_snapshot(&name, &path)).await?
    }

    /// Copies the current state into a new SQLite file. `empty` is a file with the schema and no
    /// rows.
    pub async fn copy_to(&self, path: &Path, empty: &Path) -> Result<(), SnapshotError> {
        let Some(own) = self.file.clone() else {
            tokio::fs::copy(empty, path).await?;
            return copying::copy(self, path).await;
        };
        let path = path.to_owned();
        tokio::task::spawn_blocking(move || own.copy_to(&path)).await?
    }
}

impl Restoration<'_> {
    /// Replaces the contents of the database.
    pub async fn apply(self) -> Result<(), SnapshotError> {
        match self.prepared {
            PreparedSnapshot::File(prepared) => {
                let (writer, prepared) = *prepared;
                let exclusive = writer.exclusive().await?;
                let apply = tokio::task::spawn_blocking(move || prepared.apply(exclusive));
                let rest = apply.await??;
                tokio::task::spawn_blocking(rest);
                Ok(())
            }
            PreparedSnapshot::Schema(schema) => server::restore(self.database, &schema).await,
        }
    }
}

async fn on_thread<T: Send + 'static>(
    file: &Arc<SnapshotFiles>,
    name: &str,
    work: fn(&SnapshotFiles, &str) -> Result<T, SnapshotError>,
) -> Result<T, SnapshotError> {
    let (file, name) = (file.clone(), name.to_owned());
    tokio::task::spawn_blocking(move || work(&file, &name)).await?
}
