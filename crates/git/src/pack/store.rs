//! Writes a received pack to the database. Deltas stay deltas.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use tokio::task::JoinHandle;

use super::PackError;
use super::index::{NO_BASE, PackEntry, ReceivedPack, derive};
use crate::Sha;
use crate::graph::{Graph, NewCommit};
use crate::objects::Object;
use crate::progress::ImportProgress;
use crate::statistics::Statistics;
use crate::store::{PackedObject, Packer, heads, store_packed, store_upload};
use storage::database::Connection;
use storage::entities::git_object::ObjectKind;

/// The size of a batch.
const BATCH_OBJECTS: usize = 500;
const BATCH_BYTES: u64 = 4 * 1024 * 1024;

/// A pack with more objects or bytes is stored as an upload, a batch in each transaction.
const MOST_TOGETHER: usize = 2 * BATCH_OBJECTS;
const MOST_BYTES_TOGETHER: u64 = 2 * BATCH_BYTES;

/// Commits added to the graph at a time.
const COMMITS: usize = 500;

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

/// Stores a pack in batches: all objects, and then the commits, parents first.
pub struct PackWriter {
    source: Arc<PackSource>,
    repository_id: i64,
    upload: Option<i64>,
    /// The next batch is read while one is written.
    reading: Option<(usize, Reading)>,
    /// The commits of the pack, and how many have been returned.
    order: Vec<u32>,
    taken: usize,
    graph: Graph,
    statistics: Statistics,
    stored: StoredPack,
    progress: ImportProgress,
}

/// A batch in memory.
pub enum PackBatch {
    /// Objects, and how many of the pack are stored after them.
    Objects(Vec<PackedObject>, usize),
    Commits(Vec<NewCommit>),
}

impl ReceivedPack {
    /// Whether the pack takes too long for one transaction.
    pub fn is_large(&self) -> bool {
        let indices = self.by_sha.iter();
        let packed = indices.map(|index| u64::from(self.entries[*index as usize].packed));
        self.by_sha.len() > MOST_TOGETHER || packed.sum::<u64>() > MOST_BYTES_TOGETHER
    }

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
        self,
        connection: &Connection,
        repository_id: i64,
        report: &mut (dyn FnMut(ImportProgress) + Send),
    ) -> Result<StoredPack, PackError> {
        let mut writer = self.writer(connection, repository_id, None).await?;
        while let Some(batch) = writer.next().await? {
            writer.write(connection, batch).await?;
            report(writer.progress);
        }
        Ok(writer.stored)
    }

    /// Prepares to store the pack as an upload, or without one in a single transaction.
    pub async fn writer(
        mut self,
        connection: &Connection,
        repository_id: i64,
        upload: Option<i64>,
    ) -> Result<PackWriter, PackError> {
        let order = self.facts.in_order();
        // The connectivity check is over: free its memory.
        self.facts.referenced = HashMap::new();
        let source = Arc::new(PackSource {
            unfit_bases: self.unfit_bases(connection, repository_id).await?,
            pack: self,
        });
        Ok(PackWriter {
            reading: source.read_after(0),
            stored: StoredPack {
                objects: source.pack.objects(),
                ..StoredPack::default()
            },
            progress: ImportProgress {
                commits_total: order.len(),
                ..ImportProgress::default()
            },
            source,
            repository_id,
            upload,
            order,
            taken: 0,
            graph: Graph::of(repository_id),
            statistics: Statistics::default(),
        })
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

impl PackWriter {
    /// The next batch; None after the last one.
    pub async fn next(&mut self) -> Result<Option<PackBatch>, PackError> {
        if let Some((end, reading)) = self.reading.take() {
            self.reading = self.source.read_after(end);
            return Ok(Some(PackBatch::Objects(reading.await??, end)));
        }
        let rest = self.order.get(self.taken..).unwrap_or_default();
        let indices = &rest[..rest.len().min(COMMITS)];
        self.taken += indices.len();
        let commits = self.source.commits(indices);
        Ok((!commits.is_empty()).then_some(PackBatch::Commits(commits)))
    }

    /// Stores a batch. Those of an upload may be stored in a transaction each.
    pub async fn write(
        &mut self,
        connection: &Connection,
        batch: PackBatch,
    ) -> Result<(), PackError> {
        let id = self.repository_id;
        match batch {
            PackBatch::Objects(objects, end) => {
                self.stored.new_objects += match self.upload {
                    Some(upload) => store_upload(connection, id, upload, objects).await?,
                    None => store_packed(connection, id, objects).await?,
                };
                self.progress.objects = end as u64;
                self.statistics.refresh(connection, end as u64).await?;
            }
            PackBatch::Commits(commits) => {
                if let Some(upload) = self.upload {
                    // Others may have added commits since the last transaction.
                    self.graph = Graph::of_upload(id, upload);
                }
                self.stored.new_commits += self.graph.add(connection, &commits).await?;
                self.progress.commits_done += commits.len();
            }
        }
        Ok(())
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
