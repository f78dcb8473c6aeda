//! One entry while it arrives: inflated to check its size, and to name it if it is whole.

use flate2::{Decompress, FlushDecompress, Status};
use sha1::{Digest, Sha1};

use crate::delta;
use crate::pack::entry::{EntryEncoding, PackedHeader};
use crate::pack::facts::{ArrivingTree, PackFacts};
use crate::pack::index::PackEntry;
use crate::pack::{PackError, PackLimits};
use crate::{LARGEST_OBJECT, Sha};
use storage::entities::git_object::ObjectKind;

/// Bytes inflated at a time.
const SCRATCH: usize = 64 * 1024;

/// Inflates entries one after the other.
pub(super) struct Inflater {
    engine: Decompress,
    scratch: Vec<u8>,
}

impl Inflater {
    pub(super) fn new() -> Self {
        Self {
            engine: Decompress::new(true),
            scratch: vec![0; SCRATCH],
        }
    }

    pub(super) fn reset(&mut self) {
        self.engine.reset(true);
    }

    /// Bytes taken since the entry began.
    pub(super) fn total_in(&self) -> u64 {
        self.engine.total_in()
    }

    /// Takes bytes of an entry until they are inflated to about `most`; returns how many, and
    /// whether they end it.
    pub(super) fn inflate(
        &mut self,
        body: &mut EntryBody,
        bytes: &[u8],
        most: u64,
        facts: &mut PackFacts,
        limits: &PackLimits,
    ) -> Result<(usize, bool), PackError> {
        let before = self.engine.total_in();
        let end = self.engine.total_out().saturating_add(most);
        loop {
            let used = (self.engine.total_in() - before) as usize;
            let written = self.engine.total_out();
            let status = self
                .engine
                .decompress(&bytes[used..], &mut self.scratch, FlushDecompress::None)
                .map_err(|_| body.bad_object("inflate returned an error"))?;
            let inflated = (self.engine.total_out() - written) as usize;
            body.take(&self.scratch[..inflated], facts, limits)?;
            let now = (self.engine.total_in() - before) as usize;
            if status == Status::StreamEnd {
                return Ok((now, true));
            }
            if self.engine.total_out() >= end {
                return Ok((now, false));
            }
            if inflated == 0 && now == used {
                return match now == bytes.len() {
                    true => Ok((now, false)),
                    false => Err(body.bad_object("inflate makes no progress")),
                };
            }
        }
    }
}

/// An entry that is being inflated.
pub(super) struct EntryBody {
    pub(super) entry: PackEntry,
    whole: Option<ObjectKind>,
    hasher: Sha1,
    /// Bytes inflated.
    pub(super) inflated: u64,
    /// The whole content of a commit or a tag, or the first bytes of a delta.
    content: Vec<u8>,
    tree: ArrivingTree<'static>,
}

impl EntryBody {
    /// An entry that begins at `start`, and its zlib stream at `data`.
    pub(super) fn new(header: &PackedHeader, size: u32, start: u64, data: u64) -> Self {
        let whole = match header.form {
            EntryEncoding::Whole(kind) => Some(kind),
            EntryEncoding::OffsetDelta(_) | EntryEncoding::NamedDelta(_) => None,
        };
        let mut hasher = Sha1::new();
        if let Some(kind) = whole {
            hasher.update(format!("{} {size}\0", kind.keyword()));
        }
        Self {
            entry: PackEntry::new(start, data, size),
            whole,
            hasher,
            inflated: 0,
            content: Vec::new(),
            tree: ArrivingTree::default(),
        }
    }

    /// Bytes of memory.
    pub(super) fn memory(&self) -> usize {
        self.content.capacity() + self.tree.memory()
    }

    fn bad_object(&self, reason: &'static str) -> PackError {
        PackError::BadObject {
            offset: self.entry.start,
            reason,
        }
    }

    /// Takes the next inflated bytes.
    fn take(
        &mut self,
        bytes: &[u8],
        facts: &mut PackFacts,
        limits: &PackLimits,
    ) -> Result<(), PackError> {
        self.inflated += bytes.len() as u64;
        if self.inflated > u64::from(self.entry.inflated) {
            return Err(self.bad_object("the object is longer than declared"));
        }
        if self.whole.is_some() {
            self.hasher.update(bytes);
        }
        let kept_bytes = match self.whole {
            None => bytes.len().min(delta::LONGEST_SIZES - self.content.len()),
            Some(ObjectKind::Commit | ObjectKind::Tag) => bytes.len(),
            Some(ObjectKind::Tree) => return facts.tree_piece(&mut self.tree, bytes, limits),
            Some(ObjectKind::Blob) => 0,
        };
        self.content.extend_from_slice(&bytes[..kept_bytes]);
        Ok(())
    }

    /// The entry. It is named and checked if it is whole.
    pub(super) fn finish(
        mut self,
        packed: u64,
        facts: &mut PackFacts,
        limits: &PackLimits,
    ) -> Result<PackEntry, PackError> {
        if self.inflated != u64::from(self.entry.inflated) {
            return Err(self.bad_object("the object is shorter than declared"));
        }
        let packed = u32::try_from(packed);
        self.entry.packed = packed.map_err(|_| self.bad_object("the object is too large"))?;
        let Some(kind) = self.whole else {
            let sizes = delta::sizes(&self.content).map_err(|reason| self.bad_object(reason))?;
            let size = |bytes| {
                let size = u32::try_from(bytes).ok();
                size.filter(|size| u64::from(*size) <= LARGEST_OBJECT)
            };
            let too_large = "the result of the delta is too large";
            let result = size(sizes.result).ok_or_else(|| self.bad_object(too_large))?;
            let base = size(sizes.base).ok_or_else(|| self.bad_object(delta::WRONG_BASE))?;
            (self.entry.size, self.entry.widest) = (result, base);
            return Ok(self.entry);
        };
        let sha = Sha::from_bytes(self.hasher.finalize_reset().into());
        self.entry.sha = sha;
        self.entry.kind = Some(kind);
        match kind {
            ObjectKind::Tree => facts.end_tree(sha, self.tree, limits)?,
            _ => facts.check(sha, kind, &self.content, None, limits)?,
        }
        Ok(self.entry)
    }
}
