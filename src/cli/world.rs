//! `forgewright world load|check|show`: brings data in, says what is wrong with it, or
//! lists what is there.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::print::{self, say};
use super::{Failure, open};
use crate::clock::SystemClock;
use crate::config::DatabaseConfig;
use crate::database::{Database, Options};
use crate::entropy::SystemEntropy;
use crate::world::load::{Loaded, Loader, Made, Source, check_alone};

#[derive(Debug, Subcommand)]
pub enum WorldCommand {
    /// Add what a world file names to the database, all of it or none of it
    Load(WorldFile),
    /// Say what is wrong with a world file, and change nothing
    Check(WorldFile),
    /// List what exists, with ids: accounts, repositories, pull requests, apps, tokens
    Show(super::show::Show),
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
        WorldCommand::Show(show) => super::show::run(show).await,
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

/// A database that is not there yet is not made for a check: an empty one takes its
/// place, in a folder that is removed afterwards.
async fn check(at: &WorldFile) -> Result<(), Failure> {
    let source = Source::file(&at.file);
    let found = if at.database.exists() {
        check_in(&at.database.url(), at.database.options(), &source).await?
    } else {
        check_alone(&source).map_err(Failure::of)?;
        let folder = tempfile::tempdir().map_err(Failure::of)?;
        let url = format!("sqlite://{}/check.db", folder.path().display());
        Database::migrate(&url).await?;
        check_in(&url, at.database.options(), &source).await?
    };
    for warning in &found.warnings {
        say!("warning: {warning}")?;
    }
    say!("OK: {}", counted(&found.named))
}

/// `2 users, 1 organization`
fn counted(named: &[(&str, usize)]) -> String {
    let some = named.iter().filter(|(_, count)| *count > 0);
    let some: Vec<_> = some
        .map(|(kind, count)| match (*count, *kind) {
            (1, kind) => format!("1 {kind}"),
            (count, "repository") => format!("{count} repositories"),
            (count, kind) => format!("{count} {kind}s"),
        })
        .collect();
    match some.is_empty() {
        true => "the world is empty".to_owned(),
        false => some.join(", "),
    }
}

async fn check_in(url: &str, options: Options, source: &Source) -> Result<Loaded, Failure> {
    let db = Database::connect(url, options).await?;
    let loader = Loader::new(&db, &SystemClock, &SystemEntropy);
    let found = loader.check(source).await.map_err(Failure::of)?;
    db.close().await?;
    Ok(found)
}

/// More new items than a person reads are counted.
const TOLD: usize = 100;

/// What a load has done. Values of new tokens are shown here and never again.
pub fn summary(loaded: &Loaded) -> String {
    let mut text = match (loaded.added, loaded.changed) {
        (0, 0) => "Nothing to do: all of it is there already.\n".to_owned(),
        (added, changed) => format!("Added {added}, changed {changed}.\n"),
    };
    for warning in &loaded.warnings {
        text.push_str(&format!("warning: {warning}\n"));
    }
    for Made { what, name, id } in loaded.made.iter().take(TOLD) {
        text.push_str(&format!("  {what:<16} {id:>12}  {name}\n"));
    }
    match loaded.made.len().saturating_sub(TOLD) {
        0 => {}
        more => text.push_str(&format!("  and {more} more\n")),
    }
    for token in &loaded.tokens {
        text.push_str(&format!("  {}  {}\n", token.value, token.description));
    }
    text
}
