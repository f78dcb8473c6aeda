//! Loading: what a world file names is added to the database, in one transaction.
//!
//! The file and the repositories that it names are read and checked first
//! (`check.rs`, `on_disk.rs`), held against what is stored (`stored.rs`), and then written section by section, each in a file of its own.
//! Every item is found again by its natural key, so that loading a file twice
//! changes nothing.
//! The rule that surprises: a key that the file leaves out says nothing. It gets its
//! default when the item is new, and stays as it is when the item exists. Nothing is
//! ever removed, except repositories from a selection that the file spells out.

mod accounts;
mod apps;
mod bodies;
mod comments;
mod demo;
mod history;
mod ids;
mod installations;
mod issue_fields;
mod key_file;
mod on_disk;
mod outcome;
mod project_fields;
mod projects;
mod pulls;
mod repositories;
mod source;
mod stored;
mod tokens;
mod write;

use sea_orm::{ConnectionTrait, DbBackend, DbErr};

use super::check::{Draft, warnings};
use super::file::World;
use super::findings::Finding;
use crate::clock::Clock;
use crate::database::{Database, Transaction, without_time_limits};
use crate::entropy::Entropy;
use key_file::NewKeys;
use stored::Stored;
use write::Writing;

pub use demo::{DEMO_KEY, DemoApp, DemoToken, brings_the_demo, demo_app, demo_tokens};
pub use outcome::{IssuedToken, LoadError, Loaded, Made};
pub use source::Source;

/// Names the lock under which one process at a time loads into a PostgreSQL
/// database. Any constant will do, as long as it never changes.
const LOADING_LOCK: i64 = 0x776f_726c_6400;

/// Brings worlds into one database.
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

    /// Says what is wrong with a world, and leaves everything as it was. What a load
    /// would find only while it writes (a branch that a repository on disk does not
    /// have, a line beyond the end of a file) is found by writing, and undoing it.
    pub async fn check(&self, source: &Source) -> Result<Loaded, LoadError> {
        let read = read(source)?;
        let transaction = self.begin().await?;
        let (loaded, _) = self.write(&transaction, read, source, true).await?;
        transaction.rollback().await?;
        Ok(loaded)
    }

    /// Adds what a world names: all of it or none of it.
    pub async fn load(&self, source: &Source) -> Result<Loaded, LoadError> {
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

    /// A key file that was written for a world which is not loaded in the end is
    /// removed again.
    async fn write(
        &self,
        transaction: &Transaction,
        read: Read,
        source: &Source,
        rehearsal: bool,
    ) -> Result<(Loaded, NewKeys), LoadError> {
        let (world, stored) = checked(transaction, read, source).await?;
        let mut writing = Writing::new(transaction, stored, source, self.clock, self.entropy);
        writing.rehearsal = rehearsal;
        write_all(&mut writing, &world).await?;
        let (mut loaded, keys) = writing.finish().await?;
        loaded.warnings = warnings(&world, &source.name).lines();
        loaded.named = counts(&world);
        Ok((loaded, keys))
    }
}

/// Says what the file alone shows to be wrong with a world that an empty database is
/// to get.
pub fn check_alone(source: &Source) -> Result<(), LoadError> {
    let stored = Stored::default();
    let Read {
        draft,
        repositories,
    } = read(source)?;
    let world = draft.finish(&stored, &bodies::RULES, Vec::new())?;
    on_disk::check(&world, source, &stored, repositories)?;
    Ok(())
}

/// A world that was read, and what is wrong with the repositories that it names.
struct Read {
    draft: Draft,
    repositories: Vec<Finding>,
}

fn read(source: &Source) -> Result<Read, LoadError> {
    let draft = Draft::read(&source.name, source.text()?)?;
    let world = draft.world();
    let repositories = world.map(|world| on_disk::repositories(world, source));
    Ok(Read {
        repositories: repositories.unwrap_or_default(),
        draft,
    })
}

async fn checked<C: ConnectionTrait>(
    connection: &C,
    Read {
        draft,
        repositories,
    }: Read,
    source: &Source,
) -> Result<(World, Stored), LoadError> {
    let stored = match draft.world() {
        Some(world) => Stored::fetch(connection, world).await?,
        None => Stored::default(),
    };
    let clashes = match draft.world() {
        Some(world) => ids::clashes(connection, world, &stored).await?,
        None => Vec::new(),
    };
    let world = draft.finish(&stored, &bodies::RULES, clashes)?;
    on_disk::check(&world, source, &stored, repositories)?;
    Ok((world, stored))
}

/// How many of each kind a world names.
fn counts(world: &World) -> Vec<(&'static str, usize)> {
    let of_repositories = world.repositories.iter();
    vec![
        ("user", world.users.len()),
        ("organization", world.organizations.len()),
        ("repository", world.repositories.len()),
        (
            "pull request",
            of_repositories.map(|one| one.pulls.len()).sum(),
        ),
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

async fn write_all(writing: &mut Writing<'_>, world: &World) -> Result<(), LoadError> {
    accounts::write(writing, world).await?;
    repositories::write(writing, world).await?;
    history::write(writing, world).await?;
    pulls::write(writing, world).await?;
    comments::write(writing, world).await?;
    issue_fields::write(writing, world).await?;
    projects::write(writing, world).await?;
    project_fields::write(writing, world).await?;
    apps::write(writing, world).await?;
    installations::write(writing, world).await?;
    tokens::write(writing, world).await
}
