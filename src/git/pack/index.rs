//! The objects of a pack in the temporary file.

use super::PackError;
use super::facts::Facts;
use super::spool::Spool;
use crate::entities::git_object::Kind;
use crate::git::Sha;

/// An object of a pack; 48 bytes.
#[derive(Clone, Copy)]
pub(super) struct Entry {
    /// Where the entry begins in the pack.
    pub(super) start: u64,
    /// Where its zlib stream begins in the temporary file: that of the delta at first, and
    /// that of the whole object when it is resolved.
    pub(super) data: u64,
    /// Bytes of the stream.
    pub(super) packed: u32,
    /// Bytes of what it inflates to.
    pub(super) size: u32,
    /// Valid if `kind` is known.
    pub(super) sha: Sha,
    /// None while it is an unresolved delta.
    pub(super) kind: Option<Kind>,
    /// Deltas between it and its whole base.
    pub(super) depth: u16,
    /// It is stored already, and here only as the base of deltas.
    pub(super) external: bool,
}

/// A pack whose objects are whole and well formed. Dropping it removes its file.
pub struct ReceivedPack {
    pub(super) spool: Spool,
    /// Received objects, sorted by name.
    pub(super) entries: Vec<Entry>,
    pub(super) facts: Facts,
}

impl ReceivedPack {
    /// Fails if a delta is unresolved or an object comes twice.
    pub(super) fn new(
        mut spool: Spool,
        mut entries: Vec<Entry>,
        facts: Facts,
    ) -> Result<Self, PackError> {
        let unresolved = entries.iter().filter(|entry| entry.kind.is_none()).count();
        if unresolved > 0 {
            return Err(PackError::Unresolved(unresolved));
        }
        entries.retain(|entry| !entry.external);
        entries.sort_unstable_by_key(|entry| entry.sha);
        let same = entries.windows(2).find(|pair| pair[0].sha == pair[1].sha);
        if let Some(pair) = same {
            return Err(PackError::Duplicate(pair[0].sha));
        }
        spool.flush()?;
        Ok(Self {
            spool,
            entries,
            facts,
        })
    }

    /// The number of objects.
    pub fn objects(&self) -> usize {
        self.entries.len()
    }

    /// The kind of an object of the pack; None if the pack does not have it.
    pub fn kind_of(&self, sha: Sha) -> Option<Kind> {
        let found = self.entries.binary_search_by_key(&sha, |entry| entry.sha);
        self.entries.get(found.ok()?)?.kind
    }
}
