//! Snapshots of a SQLite database: files in a folder beside it, created and restored by
//! SQLite's online backup (<https://www.sqlite.org/backup.html>). It copies a snapshot of
//! the pages while others write, and replaces the pages of a database in one transaction
//! while others read.
//!
//! A snapshot file is never opened for writing: a restoration works on a copy, in which it
//! changes the version of everything first.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, UNIX_EPOCH};

use migration::aggregates::Aggregate;
use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OptionalExtension, ffi};

use super::super::sqlite::{BUSY, make_file, make_folder, open_beside};
use super::super::writer::BatchGuard;
use super::{SnapshotError, StoredSnapshot};

/// The extension of snapshot files.
const EXTENSION: &str = "db";

/// More than the number of changes of everything that can happen while a restoration waits.
const GAP: i64 = 1000;

/// The pause before retrying a lock.
const PAUSE: Duration = Duration::from_millis(5);

/// The snapshots of a SQLite file.
#[derive(Debug)]
pub struct SnapshotFiles {
    /// The database itself.
    pub path: PathBuf,
    /// Whether the database outlasts this process.
    pub durable: bool,
}

impl SnapshotFiles {
    pub fn make(&self, name: &str) -> Result<StoredSnapshot, SnapshotError> {
        let path = self.file_of(name);
        let unfinished = self.folder().join(".unfinished");
        remove(&unfinished)?;
        self.copy_to(&unfinished)?;
        fs::rename(&unfinished, &path)?;
        if self.durable {
            fs::File::open(self.folder())?.sync_all()?;
        }
        described(name.to_owned(), &path)
    }

    pub fn list(&self) -> Result<Vec<StoredSnapshot>, SnapshotError> {
        let entries = match fs::read_dir(self.folder()) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error.into()),
        };
        let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
        let files = paths.filter(|path| path.extension().is_some_and(|is| is == EXTENSION));
        let snapshots = files.filter_map(|path| {
            let name = path.file_stem()?.to_str()?.to_owned();
            Some(described(name, &path))
        });
        snapshots.collect()
    }

    pub fn delete(&self, name: &str) -> Result<(), SnapshotError> {
        fs::remove_file(self.file_of(name)).map_err(missing)
    }

    pub fn prepare(&self, name: &str) -> Result<PreparedFile, SnapshotError> {
        self.prepare_file(&self.file_of(name))
    }

    /// Creates the copy to restore from.
    pub fn prepare_file(&self, from: &Path) -> Result<PreparedFile, SnapshotError> {
        let copy = Scratch(self.folder().join(".restoring"));
        make_folder(&copy.0).map_err(std::io::Error::other)?;
        remove(&copy.0)?;
        fs::copy(from, &copy.0).map_err(missing)?;
        let source = open_scratch(&copy.0)?;
        let live = open_beside(&self.path, BUSY)?;
        if migrations(&source)? != migrations(&live)? {
            return Err(SnapshotError::OtherSchema);
        }
        let version = version(&source)?.max(version(&live)?) + GAP;
        let everything = Aggregate::EVERYTHING;
        source.execute(
            "INSERT INTO version (kind, id, n) VALUES (?1, ?2, ?3)
                ON CONFLICT (kind, id) DO UPDATE SET n = excluded.n",
            (everything.kind as u8, everything.id, version),
        )?;
        Ok(PreparedFile {
            source,
            live,
            durable: self.durable,
            _copy: copy,
        })
    }

    /// Copies the current state into a new file.
    pub fn copy_to(&self, path: &Path) -> Result<(), SnapshotError> {
        make_folder(path).map_err(std::io::Error::other)?;
        make_file(path);
        let mut target = open_scratch(path)?;
        copy(&open_beside(&self.path, BUSY)?, &mut target)?;
        drop(target);
        if self.durable {
            fs::File::open(path)?.sync_all()?;
        }
        Ok(())
    }

    /// Copies a snapshot into a new file.
    pub fn copy_snapshot(&self, name: &str, path: &Path) -> Result<(), SnapshotError> {
        make_folder(path).map_err(std::io::Error::other)?;
        fs::copy(self.file_of(name), path).map_err(missing)?;
        let schema = migrations(&open_scratch(path)?)?;
        match schema == migrations(&open_beside(&self.path, BUSY)?)? {
            true => Ok(()),
            false => Err(SnapshotError::OtherSchema),
        }
    }

    fn folder(&self) -> PathBuf {
        let mut name = self.path.as_os_str().to_owned();
        name.push(".snapshots");
        name.into()
    }

    fn file_of(&self, name: &str) -> PathBuf {
        self.folder().join(format!("{name}.{EXTENSION}"))
    }
}

/// A copy of a snapshot, and the database that it replaces.
pub struct PreparedFile {
    source: Connection,
    live: Connection,
    durable: bool,
    /// Dropped after its connection.
    _copy: Scratch,
}

impl PreparedFile {
    /// Replaces the database. `exclusive` excludes other writers of this process. Returns the
    /// remaining work, which blocks nobody.
    pub fn apply(mut self, exclusive: BatchGuard) -> Result<impl FnOnce() + Send, SnapshotError> {
        let synchronous = if self.durable { "FULL" } else { "OFF" };
        self.live.pragma_update(None, "synchronous", synchronous)?;
        copy(&self.source, &mut self.live)?;
        drop(exclusive);
        let (live, durable) = (self.live, self.durable);
        Ok(move || {
            if durable {
                checkpoint(&live);
            }
        })
    }
}

/// Makes a checkpoint, so that the next writer does not have to.
fn checkpoint(connection: &Connection) {
    let done = connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
    if let Err(error) = done {
        tracing::debug!(%error, "no checkpoint after a restoration");
    }
}

/// A file that is removed with its owner.
struct Scratch(PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Err(cause) = remove(&self.0) {
            tracing::warn!(path = %self.0.display(), %cause, "cannot remove a temporary file");
        }
    }
}

fn remove(path: &Path) -> std::io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn missing(error: std::io::Error) -> SnapshotError {
    match error.kind() {
        ErrorKind::NotFound => SnapshotError::Missing,
        _ => error.into(),
    }
}

fn described(name: String, path: &Path) -> Result<StoredSnapshot, SnapshotError> {
    let metadata = fs::metadata(path)?;
    let age = metadata.modified()?.duration_since(UNIX_EPOCH);
    Ok(StoredSnapshot {
        name,
        created_at: age.map_or(0, |age| age.as_secs().cast_signed()),
        bytes: metadata.len(),
    })
}

/// Opens a file that need not survive a crash until it is complete.
pub fn open_scratch(path: &Path) -> rusqlite::Result<Connection> {
    let connection = open_beside(path, BUSY)?;
    connection.pragma_update(None, "synchronous", "OFF")?;
    connection.pragma_update(None, "journal_mode", "OFF")?;
    Ok(connection)
}

/// Copies all pages in one step, so that the copy is consistent.
fn copy(source: &Connection, target: &mut Connection) -> rusqlite::Result<()> {
    let backup = Backup::new(source, target)?;
    let mut waited = Duration::ZERO;
    while waited < BUSY {
        match backup.step(-1)? {
            StepResult::Done => return Ok(()),
            StepResult::More => {}
            _ => {
                sleep(PAUSE);
                waited += PAUSE;
            }
        }
    }
    let busy = ffi::Error::new(ffi::SQLITE_BUSY);
    Err(rusqlite::Error::SqliteFailure(busy, None))
}

fn version(connection: &Connection) -> rusqlite::Result<i64> {
    let everything = Aggregate::EVERYTHING;
    let version = connection
        .query_row(
            "SELECT n FROM version WHERE kind = ?1 AND id = ?2",
            (everything.kind as u8, everything.id),
            |row| row.get(0),
        )
        .optional()?;
    Ok(version.unwrap_or(0))
}

fn migrations(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let sql = "SELECT version FROM seaql_migrations ORDER BY version";
    let mut query = connection.prepare(sql)?;
    let versions = query.query_map([], |row| row.get(0))?;
    versions.collect()
}
