//! The second pass over a pack: rebuilds whole objects from deltas, bases first, to name and
//! check them. Most are kept as deltas; those that would be slow to read are appended to the
//! temporary file as whole objects (`PackEntry::carries`).

use std::collections::HashMap;
use std::sync::Arc;

use quick_cache::Weighter;
use quick_cache::unsync::Cache;

use super::index::{PackEntry, ReceivedPack, derive};
use super::parser::{Parser, within};
use super::{PackError, PackLimits, delta};
use crate::git::Sha;
use crate::git::objects::Object;
use crate::git::store::Packer;

/// Bytes of bases that stay in memory.
const CACHED_BYTES: u64 = 16 * 1024 * 1024;

/// The number of cached bases that the cache is laid out for.
const CACHED_BASES: usize = 4096;

pub(super) struct Resolver {
    pack: Parser,
    limits: PackLimits,
    bases: Cache<u32, Arc<Vec<u8>>, Bytes>,
    packer: Packer,
}

#[derive(Clone)]
struct Bytes;

impl Weighter<u32, Arc<Vec<u8>>> for Bytes {
    fn weight(&self, _: &u32, content: &Arc<Vec<u8>>) -> u64 {
        content.len() as u64 + 64
    }
}

impl Resolver {
    pub(super) fn new(mut pack: Parser, limits: PackLimits) -> Self {
        pack.by_offset.sort_unstable();
        pack.by_name.sort_unstable();
        Self {
            pack,
            limits,
            bases: Cache::with_weighter(CACHED_BASES, CACHED_BYTES, Bytes),
            packer: Packer::default(),
        }
    }

    /// Resolves all deltas whose bases are in the pack.
    pub(super) fn resolve(&mut self) -> Result<(), PackError> {
        for root in 0..self.pack.entries.len() as u32 {
            if self.pack.entries[root as usize].kind.is_some() {
                self.resolve_from(root)?;
            }
        }
        Ok(())
    }

    /// The names of bases that were not found in the pack, each once.
    pub(super) fn unresolved_bases(&self) -> Vec<Sha> {
        let by_name = self.pack.by_name.iter();
        let mut names: Vec<Sha> = by_name
            .filter(|(_, child)| self.pack.entries[*child as usize].kind.is_none())
            .map(|(name, _)| *name)
            .collect();
        names.dedup();
        names
    }

    /// Adds stored objects, and resolves the deltas that they are the bases of.
    pub(super) fn add_bases(&mut self, bases: HashMap<Sha, Object>) -> Result<(), PackError> {
        for object in bases.into_values() {
            let packed = self.packer.pack(&object)?;
            let data = self.pack.spool.append(&packed.compressed)?;
            let base = self.pack.entries.len() as u32;
            self.pack.entries.push(PackEntry {
                packed: packed.compressed.len() as u32,
                sha: packed.sha,
                kind: Some(packed.kind),
                external: true,
                ..PackEntry::new(data, data, object.content.len() as u32)
            });
            self.bases.insert(base, Arc::new(object.content));
            self.resolve_from(base)?;
        }
        Ok(())
    }

    pub(super) fn finish(self) -> Result<ReceivedPack, PackError> {
        ReceivedPack::new(self.pack.spool, self.pack.entries, self.pack.facts)
    }

    /// Resolves everything below a whole object.
    fn resolve_from(&mut self, root: u32) -> Result<(), PackError> {
        let mut stack = vec![root];
        while let Some(base) = stack.pop() {
            let children = self.children(base);
            if children.is_empty() {
                continue;
            }
            let content = self.content(base)?;
            for child in children {
                if self.pack.entries[child as usize].kind.is_none() {
                    self.resolve_child(base, &content, child)?;
                    stack.push(child);
                }
            }
        }
        Ok(())
    }

    /// The deltas with this base.
    fn children(&self, base: u32) -> Vec<u32> {
        let sha = self.pack.entries[base as usize].sha;
        let by_offset = equal(&self.pack.by_offset, &base);
        let by_name = equal(&self.pack.by_name, &sha);
        let by_offset = by_offset.iter().map(|(_, child)| *child);
        by_offset
            .chain(by_name.iter().map(|(_, child)| *child))
            .collect()
    }

    fn content(&mut self, index: u32) -> Result<Arc<Vec<u8>>, PackError> {
        let cached = |index| self.bases.get(&index).cloned();
        let Parser { spool, entries, .. } = &self.pack;
        let (content, spent) = derive(spool, entries, index, cached)?;
        self.spend(spent)?;
        self.bases.insert(index, Arc::clone(&content));
        Ok(content)
    }

    /// Makes an object of its base, checks it, and keeps it.
    fn resolve_child(
        &mut self,
        base_index: u32,
        content: &[u8],
        child: u32,
    ) -> Result<(), PackError> {
        let base = self.pack.entries[base_index as usize];
        let entry = self.pack.entries[child as usize];
        let bad_object = |reason| PackError::BadObject {
            offset: entry.start,
            reason,
        };
        let (Some(kind), depth) = (base.kind, base.depth.saturating_add(1)) else {
            return Err(bad_object("its base is unresolved"));
        };
        if depth > self.limits.chain_depth {
            return Err(PackError::Limit {
                resource: "number of deltas on top of each other",
                limit: u64::from(self.limits.chain_depth),
            });
        }
        self.spend(u64::from(entry.inflated))?;
        let delta = self
            .pack
            .spool
            .inflate(entry.data, entry.packed, entry.inflated)?;
        let content = delta::apply(content, &delta, kind.largest()).map_err(bad_object)?;
        drop(delta);
        self.pack.entries[child as usize].depth = depth;
        self.keep(child, base_index, Object { kind, content })
    }

    /// Checks an object, and keeps it as a delta or whole.
    fn keep(&mut self, index: u32, base: u32, object: Object) -> Result<(), PackError> {
        let size = object.content.len() as u32;
        self.spend(u64::from(size))?;
        let mut entry = self.pack.entries[index as usize];
        let base_entry = &self.pack.entries[base as usize];
        if base_entry.carries(entry.inflated, size) {
            entry.sha = object.sha();
            entry.base = base;
            entry.chain = base_entry.chain + 1;
            entry.widest = base_entry.widest.max(size);
        } else {
            let packed = self.packer.pack(&object)?;
            entry.sha = packed.sha;
            entry.data = self.pack.spool.append(&packed.compressed)?;
            entry.packed = packed.compressed.len() as u32;
            entry.inflated = size;
            entry.widest = size;
        }
        entry.size = size;
        entry.kind = Some(object.kind);
        let facts = &mut self.pack.facts;
        facts.check(entry.sha, object.kind, &object.content, &self.limits)?;
        self.pack.entries[index as usize] = entry;
        if !self.children(index).is_empty() {
            self.bases.insert(index, Arc::new(object.content));
        }
        Ok(())
    }

    fn spend(&mut self, bytes: u64) -> Result<(), PackError> {
        self.pack.inflated += bytes;
        within(self.pack.inflated, self.limits.inflated_bytes)
    }
}

/// The pairs with this key in a sorted slice.
fn equal<'a, K: Ord>(pairs: &'a [(K, u32)], key: &K) -> &'a [(K, u32)] {
    let start = pairs.partition_point(|(other, _)| other < key);
    let length = pairs[start..].partition_point(|(other, _)| other == key);
    &pairs[start..start + length]
}
