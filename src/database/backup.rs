//! Copies of a SQLite database: made while it is being written to, and put
//! back. A PostgreSQL server has its own tools.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use sea_orm::sqlx::{self, ConnectOptions, Connection};

use super::connect_error::one_line;
use super::connect_error::sqlite_error;
use super::inspection::existing;
use super::sqlite::make_folder;
use super::{ConnectError, DatabaseLocation};

/// Why there is no copy.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    #[error(transparent)]
    Database(#[from] ConnectError),
    #[error(
        "`forgewright backup` and `restore` are for SQLite; a PostgreSQL database is copied with pg_dump and brought back with pg_restore"
    )]
    Server,
    #[error("{} is there already, and nothing is overwritten; name another file", .0.display())]
    Exists(PathBuf),
    #[error("{} is a folder; name a file in it", .0.display())]
    IsFolder(PathBuf),
    #[error("the folder {} does not exist; make it, or name another", .0.display())]
    NoFolder(PathBuf),
    #[error("{} is not a folder; name a file in another", .0.display())]
    NotAFolder(PathBuf),
    #[error(
        "{} is left of a copy that did not end, or one is being made; remove it, or name another file",
        .0.display()
    )]
    Unfinished(PathBuf),
    #[error("cannot make {}: {reason}", .path.display())]
    File { path: PathBuf, reason: String },
}

/// Copies the database to a file that is not there yet, as it is at one moment.
/// Whoever serves it goes on reading and writing. The file appears under its
/// name only when it is complete and on the disk.
pub async fn back_up(url: &str, to: &Path) -> Result<(), BackupError> {
    let from = file_of(url)?;
    refuse_existing(to)?;
    if !from.exists() {
        return Err(ConnectError::Missing(from).into());
    }
    copy(&from, to).await
}

/// Puts a copy where a database is to be, and says where that is.
pub async fn restore(from: &Path, url: &str) -> Result<PathBuf, BackupError> {
    refuse_occupied(url)?;
    let to = file_of(url)?;
    if !from.exists() {
        return Err(ConnectError::Missing(from.to_owned()).into());
    }
    make_folder(&to)?;
    copy(from, &to).await?;
    Ok(to)
}

/// A database that is there stays, and so does one that left its write-ahead log
/// behind, which belongs to no other.
pub fn refuse_occupied(url: &str) -> Result<(), BackupError> {
    let to = file_of(url)?;
    ["", "-wal", "-shm", "-journal"]
        .iter()
        .try_for_each(|ending| refuse_existing(&beside(&to, ending)))
}

fn file_of(url: &str) -> Result<PathBuf, BackupError> {
    match DatabaseLocation::parse(url)? {
        DatabaseLocation::File(path) => Ok(path),
        DatabaseLocation::Server(_) => Err(BackupError::Server),
    }
}

fn refuse_existing(path: &Path) -> Result<(), BackupError> {
    match path.symlink_metadata() {
        Ok(found) if found.is_dir() => Err(BackupError::IsFolder(path.to_owned())),
        Ok(_) => Err(BackupError::Exists(path.to_owned())),
        Err(_) => Ok(()),
    }
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

async fn copy(from: &Path, to: &Path) -> Result<(), BackupError> {
    let unfinished = beside(to, ".unfinished");
    reserve(&unfinished, to)?;
    let outcome = match write_copy(from, &unfinished, to).await {
        // A hard link, unlike a renaming, never replaces what came meanwhile.
        Ok(()) => std::fs::hard_link(&unfinished, to)
            .and_then(|()| sync_folder(to))
            .map_err(|error| file_error(to, &error)),
        Err(error) => Err(error),
    };
    let _ = std::fs::remove_file(&unfinished);
    outcome
}

/// Makes the file that SQLite is to fill, which may be there if it is empty. That
/// way nobody else on this machine can read it, and what is in the way has a name.
fn reserve(unfinished: &Path, to: &Path) -> Result<(), BackupError> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(unfinished) {
        Ok(_) => Ok(()),
        Err(error) => Err(match error.kind() {
            ErrorKind::AlreadyExists => BackupError::Unfinished(unfinished.to_owned()),
            ErrorKind::NotFound => BackupError::NoFolder(folder_of(to).to_owned()),
            ErrorKind::NotADirectory => BackupError::NotAFolder(folder_of(to).to_owned()),
            _ => file_error(to, &error),
        }),
    }
}

/// VACUUM INTO reads one snapshot, whatever others write meanwhile, and writes a
/// database without free pages and without a log beside it.
async fn write_copy(from: &Path, unfinished: &Path, to: &Path) -> Result<(), BackupError> {
    let explain = |error: sqlx::Error| sqlite_error(from, &error);
    let mut connection = existing(from).connect().await.map_err(explain)?;
    let copied = sqlx::query("VACUUM INTO ?1")
        .bind(unfinished.to_string_lossy().into_owned())
        .execute(&mut connection)
        .await;
    connection.close().await.map_err(explain)?;
    copied.map_err(|error| file_error(to, &one_line(&error)))?;
    std::fs::File::open(unfinished)
        .and_then(|file| file.sync_all())
        .map_err(|error| file_error(to, &error))
}

/// A new name is on the disk only when its folder is.
fn sync_folder(path: &Path) -> std::io::Result<()> {
    std::fs::File::open(folder_of(path))?.sync_all()
}

fn folder_of(path: &Path) -> &Path {
    path.parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
}

fn file_error(path: &Path, error: &impl std::fmt::Display) -> BackupError {
    BackupError::File {
        path: path.to_owned(),
        reason: error.to_string(),
    }
}
