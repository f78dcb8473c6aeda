//! One entry while it arrives: inflated to check its size, and to name it if it is whole.

use flate2::{Decompress, FlushDecompress, Status};
use sha1::{Digest, Sha1};

use crate::entities::git_object::ObjectKind;
use crate::git::pack::entry::{EntryEncoding, Header};
use crate::git::pack::index::PackEntry;
use crate::git::pack::{PackError, delta};
use crate::git::{LARGEST_OBJECT, Sha};

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

    /// Takes bytes of an entry; returns how many, and whether they end it.
    pub(super) fn inflate(
        &mut self,
        body: &mut EntryBody,
        bytes: &[u8],
    ) -> Result<(usize, bool), PackError> {
        let before = self.engine.total_in();
        loop {
            let used = (self.engine.total_in() - before) as usize;
            let written = self.engine.total_out();
            let status = self
                .engine
                .decompress(&bytes[used..], &mut self.scratch, FlushDecompress::None)
                .map_err(|_| body.bad_object("inflate returned an error"))?;
            let inflated = (self.engine.total_out() - written) as usize;
            body.take(&self.scratch[..inflated])?;
            let now = (self.engine.total_in() - before) as usize;
            if status == Status::StreamEnd {
                return Ok((now, true));
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
    inflated: u64,
    /// The whole content, or for a blob nothing, or for a delta its first bytes.
    content: Vec<u8>,
}

impl EntryBody {
    /// An entry that begins at `start`, and its zlib stream at `data`.
    pub(super) fn new(header: &Header, size: u32, start: u64, data: u64) -> Self {
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
        }
    }

    fn bad_object(&self, reason: &'static str) -> PackError {
        PackError::BadObject {
            offset: self.entry.start,
            reason,
        }
    }

    /// Takes the next inflated bytes.
    fn take(&mut self, bytes: &[u8]) -> Result<(), PackError> {
        self.inflated += bytes.len() as u64;
        if self.inflated > u64::from(self.entry.size) {
            return Err(self.bad_object("the object is longer than declared"));
        }
        let kept_bytes = match self.whole {
            None => bytes.len().min(delta::LONGEST_SIZES - self.content.len()),
            Some(ObjectKind::Blob) => 0,
            Some(ObjectKind::Commit | ObjectKind::Tree | ObjectKind::Tag) => bytes.len(),
        };
        if self.whole.is_some() {
            self.hasher.update(bytes);
        }
        self.content.extend_from_slice(&bytes[..kept_bytes]);
        Ok(())
    }

    /// The entry, named if it is whole, and its content unless it is a blob.
    pub(super) fn finish(mut self, packed: u64) -> Result<(PackEntry, Vec<u8>), PackError> {
        if self.inflated != u64::from(self.entry.size) {
            return Err(self.bad_object("the object is shorter than declared"));
        }
        let packed = u32::try_from(packed);
        self.entry.packed = packed.map_err(|_| self.bad_object("the object is too large"))?;
        if self.whole.is_some() {
            self.entry.sha = Sha::from_bytes(self.hasher.finalize_reset().into());
            self.entry.kind = self.whole;
            return Ok((self.entry, self.content));
        }
        let sizes = delta::sizes(&self.content).map_err(|reason| self.bad_object(reason))?;
        match sizes.result > LARGEST_OBJECT {
            true => Err(self.bad_object("the result of the delta is too large")),
            false => Ok((self.entry, self.content)),
        }
    }
}
