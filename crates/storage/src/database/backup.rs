//! Backups of a SQLite database: copies it while it is being written to, and restores a
//! copy. PostgreSQL has its own tools.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use sea_orm::sqlx::{self, ConnectOptions, Connection};

use super::ConnectError;
use super::connect_error::one_line;
use super::connect_error::sqlite_error;
use super::inspection::{existing, require_file};
use super::location::DatabaseLocation;
use super::sqlite::make_folder;

/// Why a backup or restore failed.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    #[error(transparent)]
    Database(#[from] ConnectError),
    #[error(
        "`forgewright backup` and `restore` are for SQLite; use pg_dump and pg_restore for PostgreSQL"
    )]
    Server,
    #[error("{} already exists; name another file", .0.display())]
    Exists(PathBuf),
    #[error("{} is a folder; name a file in it", .0.display())]
    IsFolder(PathBuf),
    #[error("the folder {} does not exist; create it, or name another", .0.display())]
    NoFolder(PathBuf),
    #[error("{} is not a folder; name a file in another folder", .0.display())]
    NotAFolder(PathBuf),
    #[error(
        "{} is an unfinished backup, or one in progress; remove it, or name another file",
        .0.display()
    )]
    Unfinished(PathBuf),
    #[error("cannot create {}: {reason}", .path.display())]
    File { path: PathBuf, reason: String },
}

/// Copies a snapshot of the database to a new file. Servers keep reading and writing. The
/// file gets its name only when it is complete and durable.
pub async fn back_up(url: &str, to: &Path) -> Result<(), BackupError> {
    let from = file_of(url)?;
    refuse_existing(to)?;
    require_file(&from)?;
    copy(&from, to).await
}

/// Restores a copy to the location of a database, and returns that location.
pub async fn restore(from: &Path, url: &str) -> Result<PathBuf, BackupError> {
    refuse_occupied(url)?;
    let to = file_of(url)?;
    require_file(from)?;
    make_folder(&to)?;
    copy(from, &to).await?;
    Ok(to)
}

/// Refuses to overwrite a database, or a write-ahead log that a database left behind.
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
        Ok(metadata) if metadata.is_dir() => Err(BackupError::IsFolder(path.to_owned())),
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
        // A hard link, unlike a rename, never replaces an existing file.
        Ok(()) => std::fs::hard_link(&unfinished, to)
            .and_then(|()| sync_folder(to))
            .map_err(|error| file_error(to, &error)),
        Err(error) => Err(error),
    };
    let _ = std::fs::remove_file(&unfinished);
    outcome
}

/// Creates the empty file that SQLite fills, so that only its owner can read it, and
/// reports a file that is in the way.
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

/// VACUUM INTO copies one snapshot, and writes a database without free pages or a
/// write-ahead log.
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

/// A new name is durable only after its folder is synced.
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
