//! `forgewright world load|check|import|show`: loads a world file, validates one, imports
//! one, or lists what exists.

mod import;

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::print::{self, say};
use super::{Failure, open};
use crate::config::{DatabaseConfig, ImportConfig};
use storage::clock::SystemClock;
use storage::database::{Database, Options};
use storage::entropy::SystemEntropy;
use world::load::{CreatedItem, Loaded, Loader, WorldSource, check_alone};

#[derive(Debug, Subcommand)]
pub enum WorldCommand {
    /// Load a world file into the database, all or nothing
    Load(WorldFileArgs),
    /// Validate a world file without changing the database
    Check(WorldFileArgs),
    /// Import repositories from GitHub into the folder of a world
    Import(ImportConfig),
    /// List what exists, with ids: accounts, repositories, pull requests, apps, tokens
    Show(super::show::Show),
}

#[derive(Debug, Args)]
pub struct WorldFileArgs {
    /// The world file, or a folder with a `world.yaml`
    file: PathBuf,

    #[command(flatten)]
    database: DatabaseConfig,
}

pub async fn run(command: &WorldCommand) -> Result<(), Failure> {
    match command {
        WorldCommand::Load(at) => load(at).await,
        WorldCommand::Check(at) => check(at).await,
        WorldCommand::Import(config) => import::run(config).await,
        WorldCommand::Show(show) => super::show::run(show).await,
    }
}

async fn load(at: &WorldFileArgs) -> Result<(), Failure> {
    let db = open(&at.database).await?;
    let loader = Loader::new(&db, &SystemClock, &SystemEntropy);
    let loaded = loader
        .load(&WorldSource::file(&at.file))
        .await
        .map_err(Failure::of)?;
    db.close().await?;
    print::all(format_args!("{}", summary(&loaded)))
}

/// A check never creates the database. If there is none, it uses an empty one in a
/// temporary folder.
async fn check(at: &WorldFileArgs) -> Result<(), Failure> {
    let source = WorldSource::file(&at.file);
    let loaded = if at.database.exists() {
        check_in(&at.database.url(), at.database.options(), &source).await?
    } else {
        check_alone(&source).map_err(Failure::of)?;
        let folder = tempfile::tempdir().map_err(Failure::of)?;
        let url = format!("sqlite://{}/check.db", folder.path().display());
        Database::migrate(&url).await?;
        check_in(&url, at.database.options(), &source).await?
    };
    for warning in &loaded.warnings {
        say!("warning: {warning}")?;
    }
    say!("OK: {}", counted(&loaded.totals))
}

/// `2 users, 1 organization`
fn counted(totals: &[(&str, usize)]) -> String {
    let counts = totals.iter().filter(|(_, count)| *count > 0);
    let counts: Vec<_> = counts
        .map(|(kind, count)| match (*count, *kind) {
            (1, kind) => format!("1 {kind}"),
            (count, "repository") => format!("{count} repositories"),
            (count, kind) => format!("{count} {kind}s"),
        })
        .collect();
    match counts.is_empty() {
        true => "the world is empty".to_owned(),
        false => counts.join(", "),
    }
}

async fn check_in(url: &str, options: Options, source: &WorldSource) -> Result<Loaded, Failure> {
    let db = Database::connect(url, options).await?;
    let loader = Loader::new(&db, &SystemClock, &SystemEntropy);
    let loaded = loader.check(source).await.map_err(Failure::of)?;
    db.close().await?;
    Ok(loaded)
}

/// More new items than this are only counted.
const MAX_LISTED: usize = 100;

/// Summarizes a load. The values of new tokens are shown only here.
pub fn summary(loaded: &Loaded) -> String {
    let mut text = match (loaded.added, loaded.changed) {
        (0, 0) => "Nothing to do: the database already has everything in the file.\n".to_owned(),
        (added, changed) => format!("Added {added}, changed {changed}.\n"),
    };
    for warning in &loaded.warnings {
        text.push_str(&format!("warning: {warning}\n"));
    }
    for CreatedItem { kind, name, id } in loaded.created.iter().take(MAX_LISTED) {
        text.push_str(&format!("  {kind:<16} {id:>12}  {name}\n"));
    }
    match loaded.created.len().saturating_sub(MAX_LISTED) {
        0 => {}
        more => text.push_str(&format!("  and {more} more\n")),
    }
    for token in &loaded.tokens {
        text.push_str(&format!("  {}  {}\n", token.value, token.description));
    }
    text
}
