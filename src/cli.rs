//! The command line: parses it and dispatches to the commands.

mod announce;
mod backup;
mod clock;
mod control;
mod deliveries;
mod demo;
mod doctor;
mod explain;
mod greeting;
mod health;
mod help;
mod log;
mod mistakes;
mod notifications;
mod print;
mod repo;
mod reset;
mod serve;
mod show;
mod shutdown;
mod sign;
mod token;
mod world;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::config::{DatabaseConfig, LogConfig, ServeConfig};
use print::say;
use storage::database::backup::BackupError;
use storage::database::{ConnectError, Database, Options, plain};

/// A self-hosted forge REST service: project fields, issue fields, pull request
/// review comments, Git references and app installations.
///
/// Without a command it runs `serve`: on 127.0.0.1:8080, with a SQLite file in ./data.
#[derive(Debug, Parser)]
#[command(
    name = "forgewright",
    version = env!("FORGEWRIGHT_VERSION"),
    args_conflicts_with_subcommands = true,
    after_help = help::EXAMPLES
)]
pub struct Cli {
    #[command(subcommand)]
    command: Option<Command>,

    #[command(flatten)]
    serve: ServeConfig,

    #[command(flatten)]
    log: LogConfig,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve the API and its documentation (the default)
    Serve(ServeConfig),
    /// Load a world file, or check one
    #[command(subcommand)]
    World(world::WorldCommand),
    /// Issue, list or revoke tokens
    #[command(subcommand)]
    Token(token::TokenCommand),
    /// Export a repository
    #[command(subcommand)]
    Repo(repo::RepoCommand),
    /// List notifications
    Notifications(notifications::NotificationsCommand),
    /// List webhook deliveries, or send one again
    #[command(subcommand)]
    Deliveries(deliveries::DeliveriesCommand),
    /// Explain why a running server answered a request as it did
    Explain(explain::ExplainCommand),
    /// Reset a world of a running server to its loaded state
    Reset(reset::ResetCommand),
    /// Show or change the time of a world of a running server
    Clock(clock::ClockCommand),
    /// Migrate the database to the schema of this version
    Migrate(DatabaseConfig),
    /// Check the database for damage, without changing it
    Doctor(doctor::DoctorCommand),
    /// Check whether a server on this machine is ready
    Health(health::HealthCommand),
    /// Back up the SQLite database to a file, even while it is being served
    Backup(backup::BackupCommand),
    /// Restore a backup; never replaces an existing database
    Restore(backup::RestoreCommand),
    /// Print shell completions
    Completions { shell: clap_complete::Shell },
    /// Write manual pages, one for each command, into a folder
    Man { folder: PathBuf },
}

/// A command's error, in one line that says what to do.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    #[error(transparent)]
    Database(#[from] ConnectError),
    #[error("database error: {}", plain(.0))]
    Query(#[from] sea_orm::DbErr),
    #[error(transparent)]
    Backup(#[from] BackupError),
    #[error("standard output was closed")]
    StdoutClosed,
    #[error("{0}")]
    Other(String),
}

impl Failure {
    /// An error whose message is already complete.
    fn of(error: impl std::fmt::Display) -> Self {
        Self::Other(error.to_string())
    }
}

/// Parses the command line; explains a mistake in it, and ends the process.
pub fn parse() -> Cli {
    Cli::try_parse().unwrap_or_else(|error| mistakes::with_tip(error).exit())
}

/// Runs the given command.
pub async fn run(cli: Cli) -> ExitCode {
    let outcome = match log::start(&cli.log) {
        // Dropping the guard at the end flushes logs and spans.
        Ok(_flushed) => dispatch(cli).await,
        Err(reason) => Err(Failure::Other(format!("cannot start logging: {reason}"))),
    };
    match outcome {
        Ok(()) | Err(Failure::StdoutClosed) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("forgewright: {failure}");
            ExitCode::FAILURE
        }
    }
}

async fn dispatch(cli: Cli) -> Result<(), Failure> {
    match cli.command {
        None => serve::run(&cli.serve).await,
        Some(Command::Serve(config)) => serve::run(&config).await,
        Some(Command::World(command)) => world::run(&command).await,
        Some(Command::Token(command)) => token::run(command).await,
        Some(Command::Repo(command)) => repo::run(&command).await,
        Some(Command::Notifications(command)) => notifications::run(&command).await,
        Some(Command::Deliveries(command)) => deliveries::run(&command).await,
        Some(Command::Explain(command)) => explain::run(&command).await,
        Some(Command::Reset(command)) => reset::run(&command).await,
        Some(Command::Clock(command)) => clock::run(&command).await,
        Some(Command::Migrate(config)) => migrate(&config).await,
        Some(Command::Doctor(command)) => doctor::run(&command).await,
        Some(Command::Health(command)) => health::run(&command).await,
        Some(Command::Backup(command)) => backup::back_up(&command).await,
        Some(Command::Restore(command)) => backup::restore(&command).await,
        Some(Command::Completions { shell }) => help::completions(shell),
        Some(Command::Man { folder }) => help::manual(&folder),
    }
}

/// Opens a database that exists and is up to date.
async fn open(config: &DatabaseConfig) -> Result<Database, Failure> {
    open_with(config, config.options()).await
}

/// Opens an existing database; never creates one.
async fn open_existing(config: &DatabaseConfig) -> Result<Database, Failure> {
    match config.exists() {
        true => open(config).await,
        false => Err(Failure::Other(format!(
            "there is no database at {}; check --data-dir or --database-url",
            config.url()
        ))),
    }
}

async fn open_with(config: &DatabaseConfig, options: Options) -> Result<Database, Failure> {
    let url = config.url();
    Database::migrate(&url).await?;
    Ok(Database::connect(&url, options).await?)
}

async fn migrate(config: &DatabaseConfig) -> Result<(), Failure> {
    match Database::migrate(&config.url()).await? {
        0 => say!("The schema is up to date."),
        count => say!("Applied {count} migration(s)."),
    }
}
