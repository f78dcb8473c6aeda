//! The current versions of aggregates (`migration/src/aggregates.rs`).
//!
//! A version read here is never older than the last commit that was acknowledged
//! before the call, by whichever process. On SQLite that costs microseconds on the
//! calling thread; on PostgreSQL it is one statement, which all requests that wait
//! at that moment share.

mod file;
mod server;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use migration::aggregates::Aggregate;
use sea_orm::sqlx::PgPool;

use super::ConnectError;
use file::FileVersions;
use server::ServerVersions;

/// Reads versions of one database. Clones share its connections.
#[derive(Clone, Debug)]
pub struct Versions {
    source: VersionSource,
    counts: Arc<Counts>,
}

#[derive(Clone, Debug)]
enum VersionSource {
    File(Arc<FileVersions>),
    Server(ServerVersions),
}

/// How often versions were asked for, and how many queries that took.
#[derive(Debug, Default)]
pub struct Counts {
    pub requests: AtomicU64,
    pub queries: AtomicU64,
}

impl Versions {
    pub(super) fn of_file(path: &Path) -> Result<Self, ConnectError> {
        let file = FileVersions::open(path)?;
        Ok(Self {
            source: VersionSource::File(Arc::new(file)),
            counts: Arc::default(),
        })
    }

    pub(super) fn of_server(pool: &PgPool) -> Self {
        let counts = Arc::default();
        Self {
            source: VersionSource::Server(ServerVersions::of(pool, Arc::clone(&counts))),
            counts,
        }
    }

    /// The versions of these aggregates, in their order. `None` if the database does
    /// not answer: then nothing cached may be used.
    pub async fn read(&self, wanted: Vec<Aggregate>) -> Option<Vec<(Aggregate, u64)>> {
        self.counts.requests.fetch_add(1, Ordering::Relaxed);
        match &self.source {
            VersionSource::File(file) => {
                self.counts.queries.fetch_add(1, Ordering::Relaxed);
                file.read(&wanted)
            }
            VersionSource::Server(server) => server.read(wanted).await,
        }
    }

    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    pub(super) async fn close(&self) {
        if let VersionSource::Server(server) = &self.source {
            server.close().await;
        }
    }
}
