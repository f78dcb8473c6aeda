//! The objects of a pack in the temporary file.

use std::collections::HashSet;
use std::sync::Arc;

use super::PackError;
use super::facts::PackFacts;
use super::spool::Spool;
use crate::Sha;
use crate::delta;
use storage::entities::git_object::ObjectKind;
use storage::heavy::Held;

/// The base of a whole object.
pub(super) const NO_BASE: u32 = u32::MAX;

/// Deltas that are stored on top of each other. More of them take longer to read.
const LONGEST_CHAIN: u8 = 30;

/// Bytes that are copied to make an object of its chain.
const CHAIN_BYTES: u64 = 64 * 1024 * 1024;

/// An object of a pack; 64 bytes.
#[derive(Clone, Copy)]
pub(super) struct PackEntry {
    /// Where the entry begins in the temporary file.
    pub(super) start: u64,
    /// Where its zlib stream begins: that of the delta at first, and that of the whole
    /// object if it is resolved and not kept as a delta.
    pub(super) data: u64,
    /// Bytes of the stream.
    pub(super) packed: u32,
    /// Bytes of the inflated stream.
    pub(super) inflated: u32,
    /// Bytes of the object; those that a delta declares until it is resolved.
    pub(super) size: u32,
    /// The base, if it is kept as a delta.
    pub(super) base: u32,
    /// The size of the largest object of its chain; that of the base that a delta declares until
    /// it is resolved.
    pub(super) widest: u32,
    /// Valid if `kind` is known.
    pub(super) sha: Sha,
    /// None while it is an unresolved delta.
    pub(super) kind: Option<ObjectKind>,
    /// Deltas between it and its whole base in the pack.
    pub(super) depth: u16,
    /// Deltas between it and its whole base as it is kept.
    pub(super) chain: u8,
    /// Already stored; needed only as the base of deltas.
    pub(super) external: bool,
}

impl PackEntry {
    /// An entry whose stream begins at `data`.
    pub(super) fn new(start: u64, data: u64, size: u32) -> Self {
        Self {
            start,
            data,
            packed: 0,
            inflated: size,
            size,
            base: NO_BASE,
            widest: size,
            sha: Sha::EMPTY_TREE,
            kind: None,
            depth: 0,
            chain: 0,
            external: false,
        }
    }

    /// Whether an object is kept as a delta of this base. Bounds the cost of reading the object
    /// later: the number of deltas, the bytes copied, and the size of each base.
    pub(super) fn carries(&self, delta: u32, size: u32) -> bool {
        let (size, chain) = (u64::from(size), u64::from(self.chain) + 1);
        !self.external
            && self.chain < LONGEST_CHAIN
            && chain * size <= CHAIN_BYTES
            && u64::from(self.widest) <= 2 * size + 4096
            && 2 * u64::from(delta) <= size
    }
}

/// Rebuilds an object from its chain, starting from the first cached one, and returns how many
/// bytes were inflated for it.
pub(super) fn derive(
    spool: &Spool,
    entries: &[PackEntry],
    index: u32,
    cached: impl Fn(u32) -> Option<Arc<Vec<u8>>>,
) -> Result<(Arc<Vec<u8>>, u64), PackError> {
    let mut chain = Vec::new();
    let mut spent = 0;
    let mut next = index;
    let mut content = loop {
        if let Some(content) = cached(next) {
            break content;
        }
        let entry = &entries[next as usize];
        if entry.base == NO_BASE {
            spent += u64::from(entry.size);
            break Arc::new(spool.inflate(entry.data, entry.packed, entry.size)?);
        }
        chain.push(entry);
        next = entry.base;
    };
    while let Some(entry) = chain.pop() {
        spent += u64::from(entry.inflated) + u64::from(entry.size);
        let delta = spool.inflate(entry.data, entry.packed, entry.inflated)?;
        let result = delta::apply(&content, &delta, u64::from(entry.size));
        content = Arc::new(result.map_err(|reason| PackError::BadObject {
            offset: entry.start,
            reason,
        })?);
    }
    Ok((content, spent))
}

/// A pack whose objects are whole and well formed. Dropping it removes its file.
pub struct ReceivedPack {
    pub(super) spool: Spool,
    pub(super) entries: Vec<PackEntry>,
    /// Received objects, sorted by name.
    pub(super) by_sha: Vec<u32>,
    pub(super) facts: PackFacts,
    /// Objects of the temporary file that are not stored.
    pub(super) dropped: HashSet<Sha>,
    /// The memory that it takes, if it came from a client.
    held: Option<Held>,
}

impl ReceivedPack {
    /// Fails if a delta is unresolved, an object occurs twice, or folders are nested too deep.
    pub(super) fn new(
        mut spool: Spool,
        entries: Vec<PackEntry>,
        facts: PackFacts,
    ) -> Result<Self, PackError> {
        let unresolved = entries.iter().filter(|entry| entry.kind.is_none()).count();
        if unresolved > 0 {
            return Err(PackError::Unresolved(unresolved));
        }
        let name = |index: &u32| entries[*index as usize].sha;
        let mut by_sha: Vec<u32> = (0..entries.len() as u32)
            .filter(|index| !entries[*index as usize].external)
            .collect();
        // Of equal objects, keep the one with the shortest chain: then stored chains get
        // shorter with each base and never form a cycle.
        by_sha.sort_unstable_by_key(|index| (name(index), entries[*index as usize].chain));
        let duplicate = by_sha
            .windows(2)
            .find(|pair| name(&pair[0]) == name(&pair[1]));
        if let Some(pair) = duplicate
            && !facts.tolerates_duplicates()
        {
            return Err(PackError::Duplicate(name(&pair[0])));
        }
        by_sha.dedup_by_key(|index| name(index));
        facts.check_folders()?;
        spool.flush()?;
        Ok(Self {
            spool,
            entries,
            by_sha,
            facts,
            dropped: HashSet::new(),
            held: None,
        })
    }

    /// Bytes of memory.
    pub(super) fn memory(&self) -> usize {
        let entries = self.entries.capacity() * size_of::<PackEntry>();
        entries + self.by_sha.capacity() * size_of::<u32>() + self.facts.memory()
    }

    /// Keeps the memory that it takes until it is dropped.
    pub(super) fn held_by(mut self, held: Held) -> Self {
        self.held = Some(held);
        self
    }

    /// The number of objects.
    pub fn objects(&self) -> usize {
        self.by_sha.len()
    }

    /// The kind of an object of the pack; None if the pack does not have it.
    pub fn kind_of(&self, sha: Sha) -> Option<ObjectKind> {
        self.find(sha).map(|(_, kind)| kind)
    }

    /// The entry of an object of the pack.
    pub(super) fn find(&self, sha: Sha) -> Option<(u32, ObjectKind)> {
        let name = |index: &u32| self.entries[*index as usize].sha;
        let rank = self.by_sha.binary_search_by_key(&sha, name).ok()?;
        let index = self.by_sha[rank];
        Some((index, self.entries[index as usize].kind?))
    }
}
