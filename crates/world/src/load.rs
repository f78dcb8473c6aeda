//! Loads a world: adds the contents of the file to the database, in one transaction.
//!
//! The file and the repositories that it names are read and checked first
//! (`check.rs`, `on_disk.rs`), compared with the stored rows (`stored.rs`), and then
//! written section by section, each in a file of its own.
//! Every item is matched by its natural key, so that loading a file twice changes nothing.
//! Note: a key that the file omits gets its default when the item is new, and keeps its value
//! when the item exists. A load removes nothing, except repositories from a selection that the
//! file lists.

mod accounts;
mod apps;
mod comments;
mod conversations;
mod credentials;
mod demo;
mod history;
mod installations;
mod issue_fields;
mod issues;
mod key_file;
mod on_disk;
mod outcome;
mod project_fields;
mod project_items;
mod projects;
mod pulls;
mod reports;
mod repositories;
mod reviews;
mod source;
mod tokens;
mod write;

use sea_orm::{ConnectionTrait, DbBackend, DbErr};

use super::check::{ParsedWorld, warnings};
use super::file::World;
use super::findings::Finding;
use super::ids::new_ids;
use super::stored::StoredRows;
use key_file::NewKeys;
use storage::clock::Clock;
use storage::database::{Connection, Database, Transaction, skip_ids, without_time_limits};
use storage::entropy::Entropy;
use write::Load;

use credentials::named_tokens;
pub use credentials::{known_tokens, named_apps};
pub use demo::{
    DEMO_KEY, DEMO_PUBLIC_KEY, DemoApp, contains_demo_key, demo_app, demo_key_of, demo_tokens,
};
pub use outcome::{CreatedItem, IssuedToken, LoadError, Loaded};
pub use source::{WORLD_FILE, WorldSource};

/// Names the lock under which one process at a time loads into a PostgreSQL
/// database. Any constant will do, as long as it never changes.
const LOADING_LOCK: i64 = 0x776f_726c_6400;

/// Loads worlds into one database.
pub struct Loader<'a> {
    database: &'a Database,
    clock: &'a dyn Clock,
    entropy: &'a dyn Entropy,
}

impl<'a> Loader<'a> {
    pub fn new(database: &'a Database, clock: &'a dyn Clock, entropy: &'a dyn Entropy) -> Self {
        Self {
            database,
            clock,
            entropy,
        }
    }

    /// Checks a world and changes nothing. Some errors show only while a load writes (a
    /// branch that a repository on disk does not have, a line beyond the end of a file), so
    /// a check is a load that is rolled back.
    pub async fn check(&self, source: &WorldSource) -> Result<Loaded, LoadError> {
        let read = read(source)?;
        let transaction = self.begin().await?;
        let (loaded, _) = self.write(&transaction, read, source, true).await?;
        transaction.rollback().await?;
        Ok(loaded)
    }

    /// Adds everything in a world, or nothing if it fails.
    pub async fn load(&self, source: &WorldSource) -> Result<Loaded, LoadError> {
        let read = read(source)?;
        let transaction = self.begin().await?;
        let (loaded, keys) = self.write(&transaction, read, source, false).await?;
        transaction.commit().await?;
        keys.keep();
        Ok(loaded)
    }

    async fn begin(&self) -> Result<Transaction, DbErr> {
        let transaction = self.database.begin().await?;
        without_time_limits(&transaction).await?;
        lock(&transaction).await?;
        Ok(transaction)
    }

    /// Dropping the `NewKeys` of a failed load removes the key files that it wrote.
    async fn write(
        &self,
        transaction: &Transaction,
        read: ParsedSource,
        source: &WorldSource,
        dry_run: bool,
    ) -> Result<(Loaded, NewKeys), LoadError> {
        let (world, stored) = checked(transaction, read, source).await?;
        // An assigned id must not be one that a later item of the file has.
        for (table, ids) in new_ids(&world, &stored) {
            if let Some(last) = ids.last() {
                skip_ids(transaction, table, *last).await?;
            }
        }
        let mut load = Load::new(transaction, stored, source, self.clock, self.entropy);
        load.dry_run = dry_run;
        write_all(&mut load, &world).await?;
        let (mut loaded, keys) = load.finish();
        loaded.warnings = warnings(&world, &source.name).lines();
        loaded.totals = counts(&world);
        Ok((loaded, keys))
    }
}

/// Checks a world without a database.
pub fn check_alone(source: &WorldSource) -> Result<(), LoadError> {
    let stored = StoredRows::default();
    let ParsedSource {
        parsed,
        repositories,
    } = read(source)?;
    let world = parsed.checked(&stored)?;
    on_disk::check(&world, source, &stored, repositories)?;
    Ok(())
}

/// A parsed world, and the findings about the repositories that it names.
struct ParsedSource {
    parsed: ParsedWorld,
    repositories: Vec<Finding>,
}

fn read(source: &WorldSource) -> Result<ParsedSource, LoadError> {
    let parsed = ParsedWorld::read(&source.name, source.text()?)?;
    let world = parsed.world();
    let repositories = world.map(|world| on_disk::repositories(world, source));
    Ok(ParsedSource {
        repositories: repositories.unwrap_or_default(),
        parsed,
    })
}

async fn checked(
    connection: &Connection,
    ParsedSource {
        parsed,
        repositories,
    }: ParsedSource,
    source: &WorldSource,
) -> Result<(World, StoredRows), LoadError> {
    let stored = match parsed.world() {
        Some(world) => StoredRows::fetch(connection, world).await?,
        None => StoredRows::default(),
    };
    let world = parsed.checked(&stored)?;
    on_disk::check(&world, source, &stored, repositories)?;
    Ok((world, stored))
}

/// How many of each kind a world names.
fn counts(world: &World) -> Vec<(&'static str, usize)> {
    let pulls = world.repositories.iter().map(|item| item.pulls.len());
    let issues = world.repositories.iter().map(|item| item.issues.len());
    vec![
        ("user", world.users.len()),
        ("organization", world.organizations.len()),
        ("repository", world.repositories.len()),
        ("pull request", pulls.sum()),
        ("issue", issues.sum()),
        ("project", world.projects.len()),
        ("app", world.apps.len()),
        ("installation", world.installations.len()),
        ("token", world.tokens.len()),
    ]
}

/// SQLite's transaction holds the file's write lock from its beginning.
async fn lock(transaction: &Transaction) -> Result<(), DbErr> {
    if transaction.get_database_backend() == DbBackend::Postgres {
        let sql = format!("SELECT pg_advisory_xact_lock({LOADING_LOCK})");
        transaction.execute_unprepared(&sql).await?;
    }
    Ok(())
}

async fn write_all(load: &mut Load<'_>, world: &World) -> Result<(), LoadError> {
    macro_rules! stages {
        ($($stage:ident),*) => { $(
            let outcome = $stage::write(load, world).await;
            load.end_stage(outcome)?;
        )* };
    }
    stages!(
        accounts,
        repositories,
        history,
        pulls,
        reviews,
        comments,
        issue_fields,
        issues,
        projects,
        project_fields,
        project_items,
        apps,
        installations,
        reports,
        tokens
    );
    Ok(())
}
