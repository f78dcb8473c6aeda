//! Connection errors, and how driver errors map to them. Every message is one line, says
//! what to do, and never shows the password of a URL.

use std::path::{Path, PathBuf};

use sea_orm::sqlx::{self, postgres::PgConnectOptions};
use sea_orm::{DbErr, RuntimeErr};

/// Why the database is not available.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    #[error(
        "a database URL starts with sqlite:// (a file) or postgres:// (a server), not with `{0}`"
    )]
    Scheme(String),
    #[error("the database URL is invalid: {0}")]
    Url(String),
    #[error("sqlite:// needs the path of a file, as in sqlite://data/forgewright.db")]
    NoFile,
    #[error("cannot create the folder {}: {reason}; create it, or name another", .path.display())]
    Folder { path: PathBuf, reason: String },
    #[error(
        "cannot open {} for writing: {reason}; check who owns the file and its folder", .path.display()
    )]
    Unwritable { path: PathBuf, reason: String },
    #[error("{} is not a SQLite database; move it away, or name another file", .0.display())]
    NotADatabase(PathBuf),
    #[error(
        "{} is a database of another program; name another file, or another --data-dir", .0.display()
    )]
    Foreign(PathBuf),
    #[error("{} is locked by another process; stop that process and try again", .0.display())]
    Locked(PathBuf),
    #[error("cannot open {}: {reason}", .path.display())]
    Sqlite { path: PathBuf, reason: String },
    #[error(
        "cannot reach PostgreSQL at {server}: {reason}; is it running, and is the address right?"
    )]
    Unreachable { server: String, reason: String },
    #[error(
        "PostgreSQL at {server} refuses the connection: {reason}; check user, password and database in the URL"
    )]
    Refused { server: String, reason: String },
    #[error(
        "the database has the migration {0}, which this version does not know; use a newer version"
    )]
    Newer(String),
    #[error("there is no database at {}; check --data-dir or --database-url", .0.display())]
    Missing(PathBuf),
    #[error("this is not a Forgewright database: {0}")]
    NoSchema(String),
    #[error("the schema of the database is older than this version; run `forgewright migrate`")]
    Older,
    #[error("cannot migrate the database: {}", plain(.0))]
    Migration(#[from] DbErr),
}

impl ConnectError {
    /// Names the lock if a migration timed out waiting for another process.
    pub(super) fn naming_lock_of(self, path: &Path) -> Self {
        match &self {
            Self::Migration(DbErr::Query(RuntimeErr::SqlxError(error))) => {
                match sqlite_error(path, error) {
                    locked @ Self::Locked(_) => locked,
                    _ => self,
                }
            }
            _ => self,
        }
    }
}

pub(super) fn url_error(error: &sqlx::Error) -> ConnectError {
    ConnectError::Url(one_line(error))
}

/// Maps SQLite's primary result codes (<https://www.sqlite.org/rescode.html>).
pub(super) fn sqlite_error(path: &Path, error: &sqlx::Error) -> ConnectError {
    let code = error
        .as_database_error()
        .and_then(|error| error.code()?.parse::<i32>().ok())
        .map_or(0, |code| code & 0xff);
    let path = path.to_owned();
    let reason = one_line(error);
    match code {
        5 | 6 => ConnectError::Locked(path),
        8 | 14 => ConnectError::Unwritable { path, reason },
        26 => ConnectError::NotADatabase(path),
        _ => ConnectError::Sqlite { path, reason },
    }
}

pub(super) fn postgres_error(options: &PgConnectOptions, error: &sqlx::Error) -> ConnectError {
    let server = server_name(options);
    let reason = one_line(error);
    if error.as_database_error().is_some() {
        ConnectError::Refused { server, reason }
    } else {
        ConnectError::Unreachable { server, reason }
    }
}

pub(super) fn server_name(options: &PgConnectOptions) -> String {
    match options.get_socket() {
        Some(socket) => socket.display().to_string(),
        None => format!("{}:{}", options.get_host(), options.get_port()),
    }
}

/// The database's own message, without the wrapping layers.
pub fn plain(error: &DbErr) -> String {
    match error {
        DbErr::Query(RuntimeErr::SqlxError(cause))
        | DbErr::Exec(RuntimeErr::SqlxError(cause))
        | DbErr::Conn(RuntimeErr::SqlxError(cause)) => one_line(cause),
        other => other.to_string(),
    }
}

pub(super) fn one_line(error: &sqlx::Error) -> String {
    let text = error.as_database_error().map_or_else(
        || error.to_string(),
        |database| database.message().to_owned(),
    );
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
