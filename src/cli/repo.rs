//! `forgewright repo export`: writes the Git data of a repository as a bare repository on
//! disk. Only reads the database, so a server may keep running.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use sea_orm::{DbErr, EntityTrait, QueryFilter};

use super::print::say;
use super::{Failure, open_existing};
use crate::config::DatabaseConfig;
use git::export::export;
use storage::database::Connection;
use storage::entities::{account, repository};

#[derive(Debug, Subcommand)]
pub enum RepoCommand {
    /// Export a repository as a bare Git repository, for `git clone`
    Export(Export),
}

#[derive(Debug, Args)]
pub struct Export {
    /// The repository
    #[arg(value_name = "OWNER/NAME")]
    repository: String,

    /// The folder to write; it must be empty or not exist
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    #[command(flatten)]
    database: DatabaseConfig,
}

pub async fn run(command: &RepoCommand) -> Result<(), Failure> {
    let RepoCommand::Export(at) = command;
    let db = open_existing(&at.database).await?;
    let snapshot = db.snapshot().await?;
    let row = find(&snapshot, &at.repository).await?.ok_or_else(|| {
        Failure::Other(format!(
            "there is no repository `{}`; `forgewright world show` lists them as OWNER/NAME",
            at.repository
        ))
    })?;
    // The export may contain private repositories, so only its owner can read it.
    #[cfg(unix)]
    rustix::process::umask(rustix::fs::Mode::RWXG | rustix::fs::Mode::RWXO);
    let mut objects = 0;
    let folder = at.folder.clone();
    export(
        &snapshot,
        row.id,
        &row.default_branch,
        folder,
        &mut |done| objects = done.objects,
    )
    .await
    .map_err(Failure::of)?;
    drop(snapshot);
    db.close().await?;
    say!("Wrote {objects} objects to {}.", at.folder.display())
}

/// Finds a repository by name, ignoring case.
async fn find(
    connection: &Connection,
    full_name: &str,
) -> Result<Option<repository::Model>, DbErr> {
    let Some((owner, name)) = full_name.split_once('/') else {
        return Ok(None);
    };
    let row = repository::Entity::find()
        .find_also_related(account::Entity)
        .filter(account::COLUMN.login_key.eq(owner.to_lowercase()))
        .filter(repository::COLUMN.name_key.eq(name.to_lowercase()))
        .one(connection)
        .await?;
    Ok(row.map(|(repository, _)| repository))
}
