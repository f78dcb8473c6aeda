//! The second pass over a pack: rebuilds whole objects from deltas, bases first, to name and
//! check them. Most are kept as deltas; those that would be slow to read are appended to the
//! temporary file as whole objects (`PackEntry::carries`).

use std::sync::Arc;

use quick_cache::Weighter;
use quick_cache::unsync::Cache;

use super::facts::TreeBase;
use super::index::{PackEntry, ReceivedPack, derive};
use super::parser::{Parser, TURN};
use super::{PackError, PackLimits};
use crate::Sha;
use crate::delta;
use crate::objects::Object;
use crate::store::{PackedChain, Packer, unpack};
use crate::tree::{self, Borrowed, Mode};
use storage::entities::git_object::ObjectKind;

/// Bytes of bases that stay in memory.
const CACHED_BYTES: u64 = 16 * 1024 * 1024;

/// The number of cached bases that the cache is laid out for.
const CACHED_BASES: usize = 4096;

/// What a step adds to the work of a turn, in bytes.
const STEP: u64 = 256;

pub(super) struct Resolver {
    pack: Parser,
    limits: PackLimits,
    bases: Cache<u32, Arc<Vec<u8>>, Bytes>,
    /// The last object that was resolved, if it is a base: mostly the next one, and perhaps too
    /// large for the cache.
    recent: Option<(u32, Arc<Vec<u8>>)>,
    packer: Packer,
    /// The entry after those whose deltas were looked for.
    next_root: u32,
    /// Whole objects below it whose deltas are looked for next.
    pending: Vec<u32>,
    current: Option<Base>,
    /// Steps of this turn, and deltas that were looked at.
    steps: u64,
}

/// An object whose deltas are being resolved.
struct Base {
    index: u32,
    content: Arc<Vec<u8>>,
    /// If it is a tree of the pack.
    tree: Option<TreeBase>,
    children: std::vec::IntoIter<u32>,
}

/// Weighs contents by their sizes.
#[derive(Clone)]
pub(super) struct Bytes;

impl Weighter<u32, Arc<Vec<u8>>> for Bytes {
    fn weight(&self, _: &u32, content: &Arc<Vec<u8>>) -> u64 {
        content.len() as u64 + 64
    }
}

impl Resolver {
    /// Fails if the deltas would make too much.
    pub(super) fn new(mut pack: Parser, limits: PackLimits) -> Result<Self, PackError> {
        pack.check_declared()?;
        pack.by_offset.sort_unstable();
        pack.by_name.sort_unstable();
        Ok(Self {
            pack,
            limits,
            bases: Cache::with_weighter(CACHED_BASES, CACHED_BYTES, Bytes),
            recent: None,
            packer: Packer::default(),
            next_root: 0,
            pending: Vec::new(),
            current: None,
            steps: 0,
        })
    }

    /// Resolves deltas whose bases are known, for one turn; returns whether all are resolved.
    pub(super) fn resolve(&mut self) -> Result<bool, PackError> {
        let begun = self.pack.inflated;
        self.steps = 0;
        while self.pack.inflated - begun + self.steps * STEP < TURN {
            if !self.step()? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Bytes of memory that the next turns need at most, apart from a fixed amount.
    pub(super) fn memory(&self) -> usize {
        let bases = self.pack.inflated.min(CACHED_BYTES) + self.pack.widest;
        self.pack.memory() + usize::try_from(bases).unwrap_or(usize::MAX)
    }

    /// Adds what is spent outside of turns.
    pub(super) fn spend(&mut self, bytes: u64) -> Result<(), PackError> {
        self.pack.spend(bytes)
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

    /// Adds stored objects. The next turns resolve the deltas that they are the bases of.
    pub(super) fn add_bases(&mut self, bases: &[PackedChain]) -> Result<(), PackError> {
        for chain in bases {
            let object = unpack(chain.sha, chain)?;
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
        }
        Ok(())
    }

    pub(super) fn finish(self) -> Result<ReceivedPack, PackError> {
        ReceivedPack::new(self.pack.spool, self.pack.entries, self.pack.facts)
    }

    /// Resolves one delta, or finds the next base; returns false if there is none.
    fn step(&mut self) -> Result<bool, PackError> {
        self.steps += 1;
        if let Some(mut base) = self.current.take() {
            if let Some(child) = base.children.next() {
                self.resolve_child(&base, child)?;
                self.pending.push(child);
                self.current = Some(base);
            }
        } else if let Some(index) = self.pending.pop() {
            let children = self.unresolved_children(index);
            self.steps += children.len() as u64;
            if !children.is_empty() {
                self.check_size(index, &children)?;
                let content = self.content(index)?;
                self.current = Some(Base {
                    index,
                    tree: tree_base(&self.pack.entries[index as usize], &content),
                    content,
                    children: children.into_iter(),
                });
            }
        } else if let Some(root) = self.pack.entries.get(self.next_root as usize) {
            let whole = root.kind.is_some();
            self.pending.extend(whole.then_some(self.next_root));
            self.next_root += 1;
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    /// Checks the size of a base before it is read.
    fn check_size(&self, base: u32, children: &[u32]) -> Result<(), PackError> {
        let entries = &self.pack.entries;
        let size = entries[base as usize].size;
        let mut children = children.iter().map(|child| &entries[*child as usize]);
        match children.find(|child| child.widest != size) {
            None => Ok(()),
            Some(child) => Err(PackError::BadObject {
                offset: child.start,
                reason: delta::WRONG_BASE,
            }),
        }
    }

    /// The deltas with this base, if they are not resolved. All of them are resolved together, so
    /// an object that occurs again costs no more than a look at the first.
    fn unresolved_children(&self, base: u32) -> Vec<u32> {
        let entries = &self.pack.entries;
        let unresolved = |child: &u32| entries[*child as usize].kind.is_none();
        let (by_offset, by_name) = self.children(base);
        let by_offset = by_offset.iter().map(|(_, child)| *child);
        let by_name = by_name.iter().map(|(_, child)| *child);
        let by_offset = by_offset.take_while(unresolved);
        by_offset.chain(by_name.take_while(unresolved)).collect()
    }

    /// The deltas with this base, by its position and by its name.
    fn children(&self, base: u32) -> Children<'_> {
        let sha = self.pack.entries[base as usize].sha;
        let by_offset = equal(&self.pack.by_offset, &base);
        (by_offset, equal(&self.pack.by_name, &sha))
    }

    fn content(&mut self, index: u32) -> Result<Arc<Vec<u8>>, PackError> {
        if let Some((_, recent)) = self.recent.take().filter(|(at, _)| *at == index) {
            return Ok(recent);
        }
        let cached = |index| self.bases.get(&index).cloned();
        let Parser { spool, entries, .. } = &self.pack;
        let (content, spent) = derive(spool, entries, index, cached)?;
        self.spend(spent)?;
        self.bases.insert(index, Arc::clone(&content));
        Ok(content)
    }

    /// Makes an object of its base, checks it, and keeps it.
    fn resolve_child(&mut self, parent: &Base, child: u32) -> Result<(), PackError> {
        let base = self.pack.entries[parent.index as usize];
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
        self.recent = None;
        self.spend(u64::from(entry.inflated))?;
        let delta = self
            .pack
            .spool
            .inflate(entry.data, entry.packed, entry.inflated)?;
        let content = delta::apply(&parent.content, &delta, crate::largest(kind));
        let content = content.map_err(bad_object)?;
        drop(delta);
        self.pack.entries[child as usize].depth = depth;
        self.keep(child, parent, Object { kind, content })
    }

    /// Checks an object, and keeps it as a delta or whole.
    fn keep(&mut self, index: u32, parent: &Base, object: Object) -> Result<(), PackError> {
        let size = object.content.len() as u32;
        self.spend(u64::from(size))?;
        let mut entry = self.pack.entries[index as usize];
        let base_entry = &self.pack.entries[parent.index as usize];
        if base_entry.carries(entry.inflated, size) {
            entry.sha = object.sha();
            entry.base = parent.index;
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
        let tree = parent.tree.as_ref();
        facts.check(entry.sha, object.kind, &object.content, tree, &self.limits)?;
        self.pack.entries[index as usize] = entry;
        let (by_offset, by_name) = self.children(index);
        if !by_offset.is_empty() || !by_name.is_empty() {
            let content = Arc::new(object.content);
            self.bases.insert(index, Arc::clone(&content));
            self.recent = Some((index, content));
        }
        Ok(())
    }
}

/// The deltas of a base, by its position and by its name.
type Children<'a> = (&'a [(u32, u32)], &'a [(Sha, u32)]);

/// The folders of a tree of the pack.
fn tree_base(entry: &PackEntry, content: &[u8]) -> Option<TreeBase> {
    if entry.kind != Some(ObjectKind::Tree) || entry.external {
        return None;
    }
    let is_folder = |entry: &Borrowed<'_>| entry.mode == Mode::Tree;
    let folders = tree::entries(content).flatten().filter(is_folder);
    let mut folders: Vec<Sha> = folders.map(|entry| entry.sha).collect();
    folders.sort_unstable();
    Some(TreeBase {
        sha: entry.sha,
        folders,
    })
}

/// The pairs with this key in a sorted slice.
fn equal<'a, K: Ord>(pairs: &'a [(K, u32)], key: &K) -> &'a [(K, u32)] {
    let start = pairs.partition_point(|(other, _)| other < key);
    let length = pairs[start..].partition_point(|(other, _)| other == key);
    &pairs[start..start + length]
}
