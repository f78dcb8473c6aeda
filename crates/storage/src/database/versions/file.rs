//! Versions in a SQLite file, read on the calling thread: switching threads would cost ten
//! times as much as the query.
//!
//! `PRAGMA data_version` changes when another connection commits, in this process or
//! another (<https://www.sqlite.org/pragma.html#pragma_data_version>). While it is
//! unchanged, versions that were read before are still current.

use std::cell::Cell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use migration::aggregates::Aggregate;
use quick_cache::DefaultHashBuilder;
use rusqlite::{Connection, OptionalExtension};

use super::super::sqlite;

/// Never waits for a lock: if the versions cannot be read immediately, the result is a
/// cache miss.
const BUSY: Duration = Duration::ZERO;

/// Versions that a connection caches until the next commit.
const MOST_CACHED: usize = 100_000;

/// Several connections to one file, so that threads rarely contend.
#[derive(Debug)]
pub struct FileVersions {
    path: PathBuf,
    readers: Box<[Mutex<Option<Reader>>]>,
}

type CachedVersions = HashMap<Aggregate, u64, DefaultHashBuilder>;

#[derive(Debug)]
struct Reader {
    connection: Connection,
    data_version: i64,
    cached: CachedVersions,
}

impl FileVersions {
    /// Each connection is opened at its first read.
    pub fn new(path: &Path, connections: usize) -> Self {
        Self {
            path: path.to_owned(),
            readers: (0..connections).map(|_| Mutex::new(None)).collect(),
        }
    }

    pub fn read(&self, aggregates: &[Aggregate]) -> Option<Vec<(Aggregate, u64)>> {
        let reader = &self.readers[thread_number() % self.readers.len()];
        let mut reader = reader.lock().unwrap_or_else(PoisonError::into_inner);
        let opened = match &mut *reader {
            Some(opened) => Ok(opened),
            none => Reader::open(&self.path).map(|opened| none.insert(opened)),
        };
        match opened.and_then(|reader| reader.read(aggregates)) {
            Ok(versions) => Some(versions),
            Err(error) => {
                // Its transaction may still be open.
                *reader = None;
                tracing::debug!(%error, "cannot read versions; the cache is not used");
                None
            }
        }
    }

    pub fn close(&self) {
        for reader in &self.readers {
            *reader.lock().unwrap_or_else(PoisonError::into_inner) = None;
        }
    }
}

impl Reader {
    fn open(path: &Path) -> rusqlite::Result<Self> {
        let connection = sqlite::open_beside(path, BUSY)?;
        connection.pragma_update(None, "query_only", true)?;
        Ok(Self {
            connection,
            data_version: 0,
            cached: HashMap::default(),
        })
    }

    /// A version read after the data version may already be newer. Then the data version
    /// differs at the next call.
    fn read(&mut self, aggregates: &[Aggregate]) -> rusqlite::Result<Vec<(Aggregate, u64)>> {
        let Self {
            connection,
            data_version,
            cached,
        } = self;
        let now = connection
            .prepare_cached("PRAGMA data_version")?
            .query_row([], |row| row.get(0))?;
        if now != *data_version || cached.len() > MOST_CACHED {
            cached.clear();
            *data_version = now;
        }
        if let Some(versions) = cached_versions(cached, aggregates) {
            return Ok(versions);
        }
        let missing = aggregates.iter().filter(|part| !cached.contains_key(part));
        let missing: Vec<Aggregate> = missing.copied().collect();
        cached.extend(versions(connection, &missing)?);
        Ok(cached_versions(cached, aggregates).unwrap_or_default())
    }
}

/// The versions of all these aggregates, if all are cached.
fn cached_versions(
    cached: &CachedVersions,
    aggregates: &[Aggregate],
) -> Option<Vec<(Aggregate, u64)>> {
    let version = |part: &Aggregate| Some((*part, *cached.get(part)?));
    aggregates.iter().map(version).collect()
}

/// Reads versions in one transaction, because otherwise each query would lock the file and
/// unlock it again.
fn versions(
    connection: &Connection,
    aggregates: &[Aggregate],
) -> rusqlite::Result<Vec<(Aggregate, u64)>> {
    connection.prepare_cached("BEGIN")?.execute([])?;
    let versions = aggregates.iter();
    let versions = versions.map(|part| Ok((*part, version(connection, *part)?)));
    let versions = versions.collect();
    connection.prepare_cached("COMMIT")?.execute([])?;
    versions
}

fn version(connection: &Connection, aggregate: Aggregate) -> rusqlite::Result<u64> {
    let version: Option<i64> = connection
        .prepare_cached("SELECT n FROM version WHERE kind = ?1 AND id = ?2")?
        .query_row((aggregate.kind as u8, aggregate.id), |row| row.get(0))
        .optional()?;
    Ok(version.map_or(0, i64::unsigned_abs))
}

/// Numbers threads in the order of their first call.
fn thread_number() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    thread_local! {
        static NUMBER: Cell<Option<usize>> = const { Cell::new(None) };
    }
    NUMBER.with(|number| {
        let assigned = number.get();
        let assigned = assigned.unwrap_or_else(|| NEXT.fetch_add(1, Ordering::Relaxed));
        number.set(Some(assigned));
        assigned
    })
}
