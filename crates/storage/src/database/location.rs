//! Parsing of database URLs.

use std::path::PathBuf;

use sea_orm::sqlx::postgres::PgConnectOptions;
use sea_orm::sqlx::sqlite::SqliteConnectOptions;

use super::ConnectError;
use super::connect_error::url_error;

/// The database that a URL names.
pub(super) enum DatabaseLocation {
    File(PathBuf),
    Server(Box<PgConnectOptions>),
}

impl DatabaseLocation {
    pub(super) fn parse(url: &str) -> Result<Self, ConnectError> {
        let scheme = url.split_once(':').map_or(url, |(scheme, _)| scheme);
        match scheme {
            "sqlite" => {
                let options: SqliteConnectOptions =
                    url.parse().map_err(|error| url_error(&error))?;
                let path = options.get_filename();
                let in_memory = url.contains(":memory:") || url.contains("mode=memory");
                if in_memory || path.as_os_str().is_empty() {
                    return Err(ConnectError::NoFile);
                }
                Ok(Self::File(path.to_path_buf()))
            }
            "postgres" | "postgresql" => Ok(Self::Server(Box::new(
                url.parse().map_err(|error| url_error(&error))?,
            ))),
            other => Err(ConnectError::Scheme(other.to_owned())),
        }
    }
}
