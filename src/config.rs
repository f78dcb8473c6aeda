//! Command-line flags and environment variables. clap reads both; no other code reads the
//! environment.

mod import;
mod parsers;
mod serve;
mod starter;
mod tls;

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use crate::telemetry::Endpoint;
pub use import::ImportConfig;
pub use parsers::listen_address;
use parsers::log_filter;
pub use serve::{DEFAULT_LISTEN, ServeConfig};
pub use starter::StarterConfig;
use storage::database::Options;
pub use tls::{PreparedTls, TlsConfig};

/// The folder for the SQLite file, unless another is given.
const DATA_DIR: &str = "data";

/// The database options of every command that needs one.
#[derive(Debug, Clone, Args)]
pub struct DatabaseConfig {
    /// The database: sqlite://FILE or postgres://USER@HOST/NAME [default: a SQLite file in the data folder]
    #[arg(long, env = "DATABASE_URL", hide_env_values = true, value_name = "URL")]
    database_url: Option<String>,

    /// The folder for the SQLite file; created if it is missing
    #[arg(
        long,
        env = "FORGEWRIGHT_DATA_DIR",
        value_name = "DIR",
        default_value = DATA_DIR
    )]
    data_dir: PathBuf,

    /// Database connections: for reads on SQLite, for reads and writes on PostgreSQL, which opens one more. The pool has a quarter more for heavy work, at most one per processor and at least 2
    #[arg(long, env = "FORGEWRIGHT_CONNECTIONS", value_name = "N", default_value_t = 8,
          value_parser = clap::value_parser!(u32).range(1..=1000))]
    connections: u32,
}

impl DatabaseConfig {
    pub fn url(&self) -> String {
        self.database_url.clone().unwrap_or_else(|| {
            let file = self.data_dir.join("forgewright.db");
            format!("sqlite://{}", file.display())
        })
    }

    /// The folder for files that the service creates.
    pub fn data_dir(&self) -> &Path {
        &self.data_dir
    }

    /// Whether the database is a file of its own, and not a server that others may use.
    pub fn is_sqlite(&self) -> bool {
        self.url().starts_with("sqlite:")
    }

    /// Whether the database exists. A PostgreSQL database is assumed to exist.
    pub fn exists(&self) -> bool {
        let url = self.url();
        let file = url
            .strip_prefix("sqlite:")
            .map(|path| path.trim_start_matches("//"));
        file.is_none_or(|path| Path::new(path).exists())
    }

    /// The flags that select this database, for a command in a message. A URL may contain a
    /// password, so only its flag is named.
    pub fn flags(&self) -> String {
        match &self.database_url {
            Some(_) => " --database-url URL".to_owned(),
            None if self.data_dir == Path::new(DATA_DIR) => String::new(),
            None => format!(" --data-dir '{}'", self.data_dir.display()),
        }
    }

    pub fn options(&self) -> Options {
        Options {
            connections: self.connections,
            ..Options::default()
        }
    }
}

/// The log options of every command.
#[derive(Debug, Clone, Args)]
pub struct LogConfig {
    /// The log format; the log goes to standard error
    #[arg(
        long,
        global = true,
        env = "FORGEWRIGHT_LOG",
        value_name = "human|json",
        default_value = "human"
    )]
    pub log: LogForm,

    /// What to log: error, warn, info, debug or trace, or a filter such as `debug,sqlx=warn`
    #[arg(
        long,
        global = true,
        env = "RUST_LOG",
        value_name = "LEVEL",
        default_value = "info,sqlx=warn,sea_orm_migration=warn,poem=warn",
        value_parser = log_filter
    )]
    pub log_level: String,

    /// The OpenTelemetry collector to export spans to, by OTLP over HTTP, such as
    /// `http://localhost:4318`
    #[arg(
        long,
        global = true,
        env = "FORGEWRIGHT_OTLP_ENDPOINT",
        value_name = "URL",
        value_parser = Endpoint::parse
    )]
    pub otlp_endpoint: Option<Endpoint>,
}

/// The log formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LogForm {
    Human,
    Json,
}
