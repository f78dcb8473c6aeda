//! `forgewright backup` and `forgewright restore`: copies a SQLite database while it is
//! being served, and restores a copy.

use std::path::PathBuf;

use clap::Args;

use super::Failure;
use super::doctor::{examine, format_report, verdict};
use super::print::say;
use crate::config::DatabaseConfig;
use storage::database::{backup, inspect};

#[derive(Debug, Args)]
pub struct BackupCommand {
    /// The file to create; it must not exist
    file: PathBuf,

    #[command(flatten)]
    database: DatabaseConfig,
}

#[derive(Debug, Args)]
pub struct RestoreCommand {
    /// A file created by `backup`
    file: PathBuf,

    /// Restore the backup even if the doctor finds damage, which is reported in any case
    #[arg(long)]
    accept_damage: bool,

    #[command(flatten)]
    database: DatabaseConfig,
}

pub async fn back_up(command: &BackupCommand) -> Result<(), Failure> {
    backup::back_up(&command.database.url(), &command.file).await?;
    say!("Backed up the database to {}.", command.file.display())
}

/// Restores a backup. Refuses one in which the doctor finds damage, unless
/// `--accept-damage` is given.
pub async fn restore(command: &RestoreCommand) -> Result<(), Failure> {
    backup::refuse_occupied(&command.database.url())?;
    let copy = format!("sqlite://{}", command.file.display());
    let report = examine(inspect(&copy).await?, true).await?;
    if !report.is_clean() {
        eprint!("{}", format_report(&report));
        let damage = verdict(&report, &command.file.display().to_string());
        if let (Err(damage), false) = (damage, command.accept_damage) {
            return Err(Failure::Other(format!(
                "{damage}; to restore it anyway, use --accept-damage"
            )));
        }
    }
    let path = backup::restore(&command.file, &command.database.url()).await?;
    say!("Restored {} to {}.", command.file.display(), path.display())
}
