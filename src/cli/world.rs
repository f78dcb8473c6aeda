//! `forgewright world load|check`: brings data in, or says what is wrong with it.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::print::{self, say};
use super::{Failure, open};
use crate::clock::SystemClock;
use crate::config::DatabaseConfig;
use crate::database::Database;
use crate::entropy::SystemEntropy;
use crate::world::load::{Loaded, Loader, Source, check_alone};

#[derive(Debug, Subcommand)]
pub enum WorldCommand {
    /// Add what a world file names to the database, all of it or none of it
    Load(WorldFile),
    /// Say what is wrong with a world file, and change nothing
    Check(WorldFile),
}

#[derive(Debug, Args)]
pub struct WorldFile {
    /// The world file
    file: PathBuf,

    #[command(flatten)]
    database: DatabaseConfig,
}

pub async fn run(command: &WorldCommand) -> Result<(), Failure> {
    match command {
        WorldCommand::Load(at) => load(at).await,
        WorldCommand::Check(at) => check(at).await,
    }
}

async fn load(at: &WorldFile) -> Result<(), Failure> {
    let db = open(&at.database).await?;
    let loader = Loader::new(&db, &SystemClock, &SystemEntropy);
    let loaded = loader
        .load(&Source::file(&at.file))
        .await
        .map_err(Failure::of)?;
    db.close().await?;
    print::all(format_args!("{}", summary(&loaded)))
}

/// A database that is not there yet is not made for a check.
async fn check(at: &WorldFile) -> Result<(), Failure> {
    let source = Source::file(&at.file);
    if at.database.exists() {
        let db = Database::connect(&at.database.url(), at.database.options()).await?;
        let loader = Loader::new(&db, &SystemClock, &SystemEntropy);
        loader.check(&source).await.map_err(Failure::of)?;
        db.close().await?;
    } else {
        check_alone(&source).map_err(Failure::of)?;
    }
    say!("{}: nothing is wrong with it.", at.file.display())
}

/// What a load has done. Values of new tokens are shown here and never again.
pub fn summary(loaded: &Loaded) -> String {
    let mut text = match (loaded.added, loaded.changed) {
        (0, 0) => "Nothing to do: all of it is there already.\n".to_owned(),
        (added, changed) => format!("Added {added}, changed {changed}.\n"),
    };
    for token in &loaded.tokens {
        text.push_str(&format!("  {}  {}\n", token.value, token.description));
    }
    text
}
