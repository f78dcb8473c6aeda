//! Writes a received pack to the database. Deltas stay deltas.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use tokio::task::JoinHandle;

use super::PackError;
use super::index::{NO_BASE, PackEntry, ReceivedPack, derive};
use crate::Sha;
use crate::graph::{Graph, NewCommit};
use crate::import::ImportProgress;
use crate::objects::Object;
use crate::statistics::Statistics;
use crate::store::{PackedObject, Packer, heads, store_packed};
use storage::database::Connection;
use storage::entities::git_object::ObjectKind;

/// The size of a batch.
const BATCH_OBJECTS: usize = 500;
const BATCH_BYTES: u64 = 4 * 1024 * 1024;

/// Commits added to the graph at a time.
const COMMITS: usize = 1000;

/// Names per lookup of bases.
const NAMES: usize = 1000;

/// The counts of written objects and commits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StoredPack {
    /// Objects of the pack, including those that were stored already.
    pub objects: usize,
    pub new_objects: u64,
    pub new_commits: usize,
}

/// A batch that is being read.
type Reading = JoinHandle<Result<Vec<PackedObject>, PackError>>;

/// A pack that is being stored.
struct PackSource {
    pack: ReceivedPack,
    /// Bases that are not stored, or were stored before, perhaps as deltas. No object is stored
    /// as a delta of them, so that no chain grows beyond its limit.
    unfit_bases: HashSet<Sha>,
}

impl ReceivedPack {
    /// Stores all objects, and adds the commits to the graph. Call
    /// [`Self::connected`] before, and this in a transaction: a failure leaves
    /// objects behind. Never waits for a permit, because the caller may hold locks.
    pub async fn store(
        self,
        connection: &Connection,
        repository_id: i64,
    ) -> Result<StoredPack, PackError> {
        self.store_reporting(connection, repository_id, &mut |_| {})
            .await
    }

    /// Same as [`Self::store`], but reports its progress.
    pub(crate) async fn store_reporting(
        mut self,
        connection: &Connection,
        repository_id: i64,
        report: &mut (dyn FnMut(ImportProgress) + Send),
    ) -> Result<StoredPack, PackError> {
        let order = self.facts.in_order();
        // The connectivity check is over: free its memory.
        self.facts.referenced = HashMap::new();
        let source = Arc::new(PackSource {
            unfit_bases: self.unfit_bases(connection, repository_id).await?,
            pack: self,
        });
        let mut stored = StoredPack {
            objects: source.pack.objects(),
            ..StoredPack::default()
        };
        let mut progress = ImportProgress {
            commits_total: order.len(),
            ..ImportProgress::default()
        };
        let mut statistics = Statistics::default();
        let mut reading = source.read_after(0);
        // The next batch is read while one is written.
        while let Some((end, batch)) = reading {
            reading = source.read_after(end);
            let batch = batch.await??;
            stored.new_objects += store_packed(connection, repository_id, batch).await?;
            statistics.refresh(connection, end as u64).await?;
            progress.objects = end as u64;
            report(progress);
        }
        let mut graph = Graph::of(repository_id);
        for chunk in order.chunks(COMMITS) {
            let commits = source.commits(chunk);
            stored.new_commits += graph.add(connection, &commits).await?;
            progress.commits_done += chunk.len();
            report(progress);
        }
        Ok(stored)
    }

    /// Bases that no stored object may be a delta of.
    async fn unfit_bases(
        &self,
        connection: &Connection,
        repository_id: i64,
    ) -> Result<HashSet<Sha>, PackError> {
        let bases = self.by_sha.iter().filter_map(|index| {
            let base = self.entries[*index as usize].base;
            (base != NO_BASE).then(|| self.entries[base as usize].sha)
        });
        let mut bases: Vec<Sha> = bases.collect();
        bases.sort_unstable();
        bases.dedup();
        let mut unfit = self.dropped.clone();
        for chunk in bases.chunks(NAMES) {
            unfit.extend(heads(connection, repository_id, chunk).await?.into_keys());
        }
        Ok(unfit)
    }
}

impl PackSource {
    fn commits(&self, indices: &[u32]) -> Vec<NewCommit> {
        let facts = &self.pack.facts;
        indices
            .iter()
            .map(|index| facts.new_commit(*index))
            .collect()
    }

    fn entry(&self, index: usize) -> &PackEntry {
        &self.pack.entries[self.pack.by_sha[index] as usize]
    }

    /// The end of the batch that begins at an index of `by_sha`.
    fn batch_end(&self, start: usize) -> usize {
        let mut bytes = 0;
        let indices = (start..self.pack.by_sha.len()).take(BATCH_OBJECTS);
        let fitting = indices.take_while(|index| {
            let more = u64::from(self.entry(*index).packed);
            let fits = bytes == 0 || bytes + more <= BATCH_BYTES;
            bytes += more;
            fits
        });
        start + fitting.count()
    }

    /// Reads the batch that begins at an index, on another thread; returns where it ends, or
    /// None after the last one.
    fn read_after(self: &Arc<Self>, start: usize) -> Option<(usize, Reading)> {
        let end = self.batch_end(start);
        let reader = Arc::clone(self);
        let read = move || reader.read(start..end);
        (start < end).then(|| (end, tokio::task::spawn_blocking(read)))
    }

    fn read(&self, indices: Range<usize>) -> Result<Vec<PackedObject>, PackError> {
        let mut packer = Packer::default();
        let objects = indices.filter_map(|index| {
            let kind = self.entry(index).kind?;
            Some(self.packed(index, kind, &mut packer))
        });
        objects.collect()
    }

    fn packed(
        &self,
        index: usize,
        kind: ObjectKind,
        packer: &mut Packer,
    ) -> Result<PackedObject, PackError> {
        let ReceivedPack { spool, entries, .. } = &self.pack;
        let entry = self.entry(index);
        let base = entries.get(entry.base as usize).map(|base| base.sha);
        if base.is_some_and(|base| self.unfit_bases.contains(&base)) {
            let (content, _) = derive(spool, entries, self.pack.by_sha[index], |_| None)?;
            let content = Arc::unwrap_or_clone(content);
            return Ok(packer.pack(&Object { kind, content })?);
        }
        let stream = spool.read(entry.data, entry.packed)?;
        let compressed = match base {
            None => stream,
            Some(_) => [&entry.inflated.to_be_bytes()[..], &stream].concat(),
        };
        Ok(PackedObject {
            sha: entry.sha,
            kind,
            size: i64::from(entry.size),
            base,
            compressed,
        })
    }
}
