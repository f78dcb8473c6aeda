//! Writes a received pack to the database.

use std::sync::Arc;

use sea_orm::ConnectionTrait;

use super::PackError;
use super::index::{Entry, ReceivedPack};
use crate::git::graph::{Graph, NewCommit};
use crate::git::statistics::Statistics;
use crate::git::store::{PackedObject, store_packed};

/// The size of a batch.
const BATCH_OBJECTS: usize = 500;
const BATCH_BYTES: u64 = 4 * 1024 * 1024;

/// Commits added to the graph at a time.
const COMMITS: usize = 1000;

/// What was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stored {
    /// Objects of the pack, including those that were stored already.
    pub objects: usize,
    pub new_objects: u64,
    pub new_commits: usize,
}

impl ReceivedPack {
    /// Stores all objects, and adds the commits to the graph. Call
    /// [`Self::check_connectivity`] before, and this in a transaction: a failure leaves
    /// objects behind. Never waits for a permit, because the caller may hold locks.
    pub async fn store(
        mut self,
        connection: &impl ConnectionTrait,
        repository_id: i64,
    ) -> Result<Stored, PackError> {
        let order = self.facts.in_order();
        let pack = Arc::new(self);
        let mut stored = Stored {
            objects: pack.entries.len(),
            ..Stored::default()
        };
        let mut statistics = Statistics::default();
        let mut done = 0;
        while done < pack.entries.len() {
            let end = pack.batch_end(done);
            let reader = Arc::clone(&pack);
            let batch = tokio::task::spawn_blocking(move || reader.read(done..end)).await??;
            stored.new_objects += store_packed(connection, repository_id, batch).await?;
            statistics.refresh(connection, end as u64).await?;
            done = end;
        }
        let mut graph = Graph::of(repository_id);
        for some in order.chunks(COMMITS) {
            let commits = some.iter().map(|place| pack.facts.new_commit(*place));
            let commits: Vec<NewCommit> = commits.collect();
            stored.new_commits += graph.add(connection, &commits).await?;
        }
        Ok(stored)
    }

    /// The end of the batch that begins at an entry.
    fn batch_end(&self, start: usize) -> usize {
        let mut bytes = 0;
        let some = self.entries[start..].iter().take(BATCH_OBJECTS);
        let fitting = some.take_while(|entry| {
            let fits = bytes == 0 || bytes + u64::from(entry.packed) <= BATCH_BYTES;
            bytes += u64::from(entry.packed);
            fits
        });
        start + fitting.count()
    }

    fn read(&self, range: std::ops::Range<usize>) -> Result<Vec<PackedObject>, PackError> {
        let entries = self.entries[range].iter();
        let objects = entries.filter_map(|entry| Some((entry, entry.kind?)));
        objects
            .map(|(entry, kind)| {
                let Entry {
                    sha,
                    data,
                    packed,
                    size,
                    ..
                } = *entry;
                Ok(PackedObject {
                    sha,
                    kind,
                    size: i64::from(size),
                    compressed: self.spool.read(data, packed)?,
                })
            })
            .collect()
    }
}
