//! The current versions of aggregates (`migration/src/aggregates.rs`).
//!
//! A version read here is never older than the last commit that any process acknowledged
//! before the call. On SQLite the read takes microseconds on the calling thread. On
//! PostgreSQL it is one statement that all waiting requests share.

mod file;
mod server;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::available_parallelism;

use migration::aggregates::Aggregate;
use sea_orm::sqlx::PgPool;

use super::Options;
use super::primary::Primary;
use file::FileVersions;
use server::ServerVersions;

/// Reads versions of one database. Clones share its connections.
#[derive(Clone, Debug)]
pub struct Versions {
    backend: Backend,
    counts: Arc<VersionCounts>,
}

#[derive(Clone, Debug)]
enum Backend {
    File(Arc<FileVersions>),
    Server(ServerVersions),
}

/// How many reads were requested, and how many queries they took.
#[derive(Debug, Default)]
pub struct VersionCounts {
    pub requests: AtomicU64,
    pub queries: AtomicU64,
}

impl Versions {
    /// Uses one connection for each processor, so that threads rarely contend, and a single one
    /// for an ephemeral database, because there are many of those.
    pub(super) fn of_file(path: &Path, options: Options) -> Self {
        let connections = match options.ephemeral {
            true => 1,
            false => available_parallelism().map_or(1, usize::from),
        };
        Self {
            backend: Backend::File(Arc::new(FileVersions::new(path, connections))),
            counts: Arc::default(),
        }
    }

    pub(super) fn of_server(pool: &PgPool, primary: Arc<Primary>) -> Self {
        let counts = Arc::default();
        Self {
            backend: Backend::Server(ServerVersions::of(pool, primary, Arc::clone(&counts))),
            counts,
        }
    }

    /// The versions of these aggregates, in their order. `None` if the database does not
    /// respond: then the cache must not be used.
    pub async fn read(&self, aggregates: Vec<Aggregate>) -> Option<Vec<(Aggregate, u64)>> {
        self.counts.requests.fetch_add(1, Ordering::Relaxed);
        match &self.backend {
            Backend::File(file) => {
                self.counts.queries.fetch_add(1, Ordering::Relaxed);
                file.read(&aggregates)
            }
            Backend::Server(server) => server.read(aggregates).await,
        }
    }

    pub fn counts(&self) -> &VersionCounts {
        &self.counts
    }

    pub(super) async fn close(&self) {
        match &self.backend {
            Backend::File(file) => file.close(),
            Backend::Server(server) => server.close().await,
        }
    }
}
