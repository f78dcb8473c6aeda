//! `forgewright backup` and `forgewright restore`: a copy of the SQLite database
//! while it is served, and the way back.

use std::path::PathBuf;

use clap::Args;

use super::Failure;
use super::doctor::{examine, told, verdict};
use super::print::say;
use crate::config::DatabaseConfig;
use crate::database::{backup, inspect};

#[derive(Debug, Args)]
pub struct BackupCommand {
    /// The file to make; it must not be there yet
    file: PathBuf,

    #[command(flatten)]
    database: DatabaseConfig,
}

#[derive(Debug, Args)]
pub struct RestoreCommand {
    /// A file that `backup` has made
    file: PathBuf,

    /// Restore it even if the doctor finds damage in it, which is told in any case
    #[arg(long)]
    accept_damage: bool,

    #[command(flatten)]
    database: DatabaseConfig,
}

pub async fn back_up(command: &BackupCommand) -> Result<(), Failure> {
    backup::back_up(&command.database.url(), &command.file).await?;
    say!("The database is copied to {}.", command.file.display())
}

/// Nothing is restored that the doctor would complain about, unless one insists.
pub async fn restore(command: &RestoreCommand) -> Result<(), Failure> {
    backup::refuse_occupied(&command.database.url())?;
    let copy = format!("sqlite://{}", command.file.display());
    let report = examine(&inspect(&copy).await?, true).await?;
    if !report.is_clean() {
        eprint!("{}", told(&report));
        let damage = verdict(&report, &command.file.display().to_string());
        if let (Err(damage), false) = (damage, command.accept_damage) {
            return Err(Failure::Other(format!(
                "{damage}; restore it all the same with --accept-damage"
            )));
        }
    }
    let place = backup::restore(&command.file, &command.database.url()).await?;
    say!(
        "{} is restored to {}.",
        command.file.display(),
        place.display()
    )
}
