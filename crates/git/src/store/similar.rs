//! Reads many similar objects, such as the versions of a tree. Most are deltas of others that
//! were read before, so recently read content is cached.

use std::collections::HashMap;
use std::sync::Arc;

use super::chains::{load_many_packed, unpack};
use super::entries::{StoredEntry, entries};
use super::packing::{damaged, inflate};
use crate::delta;
use crate::{GitError, Sha};
use storage::database::Connection;
use storage::heavy;

/// Bytes of each of the two generations of cached content.
const KEPT_BYTES: u64 = 12 * 1024 * 1024;

/// Longer content is read on its own.
const LONGEST: u32 = 32 * 1024;

/// Bases that are read with their own bases in one query, and the bytes that they unpack to.
const BASES: usize = 100;
const BASE_BYTES: u64 = 2 * 1024 * 1024;

/// The content of objects, by name.
pub(crate) type ObjectContents = HashMap<Sha, Arc<Vec<u8>>>;

/// Similar objects of a repository.
pub(crate) struct Similar {
    repository_id: i64,
    /// When the young generation is full it becomes the old one, which is dropped.
    young: ObjectContents,
    young_bytes: u64,
    old: ObjectContents,
}

/// Entries that were read but not unpacked yet.
#[derive(Default)]
struct ReadEntries {
    entries: HashMap<Sha, StoredEntry>,
    /// Unpacked objects: requested ones, and bases of others.
    unpacked: ObjectContents,
    bytes: u64,
}

impl Similar {
    pub(crate) fn new(repository_id: i64) -> Self {
        Self {
            repository_id,
            young: HashMap::new(),
            young_bytes: 0,
            old: HashMap::new(),
        }
    }

    /// The content of objects; omits those that are not stored. Returns None if there is more
    /// than one object to read, and all together have more than `most` bytes.
    pub(crate) async fn load(
        &mut self,
        connection: &Connection,
        names: &[Sha],
        most: u64,
    ) -> Result<Option<ObjectContents>, GitError> {
        let Some(read) = self.read(connection, names, most).await? else {
            return Ok(None);
        };
        let names = names.to_vec();
        let unpacked = heavy::compute(move || read.unpack(&names)).await??;
        for (sha, content) in &unpacked {
            self.keep(*sha, content);
        }
        Ok(Some(unpacked))
    }

    async fn read(
        &mut self,
        connection: &Connection,
        names: &[Sha],
        most: u64,
    ) -> Result<Option<ReadEntries>, GitError> {
        let mut read = ReadEntries::default();
        let mut absent = Vec::new();
        for sha in names {
            match self.find(*sha) {
                Some(content) => drop(read.unpacked.insert(*sha, content)),
                None => absent.push(*sha),
            }
        }
        let stored = entries(connection, self.repository_id, &absent, LONGEST).await?;
        read.bytes = stored.iter().map(|entry| entry.size).sum();
        if read.bytes > most && absent.len() > 1 {
            return Ok(None);
        }
        let mut alone: Vec<(Sha, u64)> = Vec::new();
        for entry in stored {
            match entry.content {
                Some(_) => drop(read.entries.insert(entry.sha, entry)),
                None => alone.push((entry.sha, entry.size)),
            }
        }
        for entry in read.entries.values() {
            let Some(base) = entry.base.filter(|base| !read.entries.contains_key(base)) else {
                continue;
            };
            match self.find(base) {
                Some(content) => drop(read.unpacked.insert(base, content)),
                None => alone.push((base, entry.size)),
            }
        }
        alone.sort_unstable();
        alone.dedup_by_key(|(sha, _)| *sha);
        self.read_alone(connection, &alone, &mut read).await?;
        Ok(Some(read))
    }

    /// Reads objects with all of their bases, and unpacks them.
    async fn read_alone(
        &self,
        connection: &Connection,
        mut names: &[(Sha, u64)],
        read: &mut ReadEntries,
    ) -> Result<(), GitError> {
        while !names.is_empty() {
            let mut bytes = 0;
            let batch = names.iter().take(BASES).take_while(|(_, size)| {
                let fits = bytes == 0 || bytes + size <= BASE_BYTES;
                bytes += size;
                fits
            });
            let (batch, rest) = names.split_at(batch.count());
            names = rest;
            let batch: Vec<Sha> = batch.iter().map(|(sha, _)| *sha).collect();
            let chains = load_many_packed(connection, self.repository_id, &batch).await?;
            let unpacked = heavy::compute(move || {
                let contents = chains.iter().map(|chain| {
                    let content = unpack(chain.sha, chain)?.content;
                    Ok((chain.sha, Arc::new(content)))
                });
                contents.collect::<Result<Vec<_>, GitError>>()
            });
            read.unpacked.extend(unpacked.await??);
        }
        Ok(())
    }

    fn find(&mut self, sha: Sha) -> Option<Arc<Vec<u8>>> {
        if let Some(content) = self.young.get(&sha) {
            return Some(Arc::clone(content));
        }
        let content = self.old.remove(&sha)?;
        self.keep(sha, &content);
        Some(content)
    }

    fn keep(&mut self, sha: Sha, content: &Arc<Vec<u8>>) {
        let bytes = content.len() as u64 + 100;
        if bytes > KEPT_BYTES / 4 {
            return;
        }
        if self.young_bytes + bytes > KEPT_BYTES {
            self.old = std::mem::take(&mut self.young);
            self.young_bytes = 0;
        }
        if self.young.insert(sha, Arc::clone(content)).is_none() {
            self.young_bytes += bytes;
        }
    }
}

impl ReadEntries {
    /// Rebuilds the objects from their deltas.
    fn unpack(mut self, names: &[Sha]) -> Result<ObjectContents, GitError> {
        let mut unpacked = HashMap::with_capacity(names.len());
        for name in names {
            let mut chain = Vec::new();
            let mut next = *name;
            // Terminates, because each step removes an entry.
            while let Some(entry) = self.entries.remove(&next) {
                let base = entry.base;
                chain.push(entry);
                match base {
                    Some(base) => next = base,
                    None => break,
                }
            }
            while let Some(entry) = chain.pop() {
                let content = Arc::new(self.content(&entry)?);
                self.unpacked.insert(entry.sha, content);
            }
            if let Some(content) = self.unpacked.get(name) {
                unpacked.insert(*name, Arc::clone(content));
            }
        }
        Ok(unpacked)
    }

    /// Rebuilds an object from its base, which must be unpacked.
    fn content(&self, entry: &StoredEntry) -> Result<Vec<u8>, GitError> {
        let damaged = || damaged(entry.sha);
        let content = entry.content.as_ref().ok_or_else(damaged)?;
        let Some(base) = entry.base else {
            return inflate(entry.sha, content, entry.size);
        };
        let base = self.unpacked.get(&base).ok_or_else(damaged)?;
        let (length, delta) = content.split_first_chunk().ok_or_else(damaged)?;
        let delta = inflate(entry.sha, delta, u64::from(u32::from_be_bytes(*length)))?;
        let rebuilt = delta::apply(base, &delta, entry.size).map_err(|_| damaged())?;
        match rebuilt.len() as u64 == entry.size {
            true => Ok(rebuilt),
            false => Err(damaged()),
        }
    }
}
