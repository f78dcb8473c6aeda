//! The first pass over a pack, while it arrives: splits it into entries, inflates each to
//! check and name it, and keeps the bytes. Deltas are resolved later (`resolver`).
//!
//! It accepts chunks of any size, so that no thread waits for a slow sender.

mod body;

use sha1::{Digest, Sha1};

use super::entry::{self, EntryEncoding, PackedHeader};
use super::facts::PackFacts;
use super::index::PackEntry;
use super::spool::Spool;
use super::{PackError, PackLimits};
use crate::store::PackedObject;
use crate::{LARGEST_OBJECT, Sha};
use body::{EntryBody, Inflater};

const SIGNATURE: [u8; 4] = *b"PACK";

/// The work of a turn, in inflated bytes, and what each object adds to it. Others get their turn
/// after it.
pub(super) const TURN: u64 = 4 * 1024 * 1024;
const OBJECT: u64 = 1024;

pub(super) struct Parser {
    limits: PackLimits,
    pub(super) spool: Spool,
    pub(super) entries: Vec<PackEntry>,
    /// Deltas by their base: an entry, or a name.
    pub(super) by_offset: Vec<(u32, u32)>,
    pub(super) by_name: Vec<(Sha, u32)>,
    pub(super) facts: PackFacts,
    /// Bytes that were inflated or made of deltas.
    pub(super) inflated: u64,
    /// The bytes that the deltas declare to make.
    declared: u64,
    /// The memory to resolve the largest delta: its base and the folders in that, the delta
    /// itself, what it makes, and that in compressed form, twice.
    pub(super) widest: u64,
    /// What is left of a turn.
    turn: u64,
    hasher: Sha1,
    state: ParserState,
    /// Bytes of a header or the trailer, until it is complete.
    partial: Vec<u8>,
    /// Entries still to come.
    remaining: u32,
    /// Where the pack begins in the temporary file, and how far it has come.
    origin: u64,
    position: u64,
    inflater: Inflater,
}

enum ParserState {
    Start,
    EntryHeader,
    Body(Box<EntryBody>),
    Trailer,
    End,
}

impl Parser {
    pub(super) fn new(limits: PackLimits) -> Result<Self, PackError> {
        Ok(Self {
            limits,
            spool: Spool::create(limits.spool_bytes)?,
            entries: Vec::new(),
            by_offset: Vec::new(),
            by_name: Vec::new(),
            facts: PackFacts::default(),
            inflated: 0,
            declared: 0,
            widest: 0,
            turn: 0,
            hasher: Sha1::new(),
            state: ParserState::Start,
            partial: Vec::new(),
            remaining: 0,
            origin: 0,
            position: 0,
            inflater: Inflater::new(),
        })
    }

    /// Takes the next bytes of the pack, for one turn at most, and returns how many. It may take
    /// none, but then the next turn goes on.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Result<usize, PackError> {
        let mut rest = bytes;
        // The trailer is neither hashed nor kept.
        let mut body = 0;
        self.turn = TURN;
        while !rest.is_empty() && self.turn > 0 {
            let hashed = !matches!(self.state, ParserState::Trailer);
            let used = self.step(rest)?;
            self.position += used as u64;
            if hashed {
                body += used;
            }
            rest = &rest[used..];
            if self.position - self.origin > self.limits.pack_bytes {
                return Err(PackError::Limit {
                    resource: "size",
                    limit: self.limits.pack_bytes,
                });
            }
            if hashed && matches!(self.state, ParserState::Trailer) {
                self.keep(&bytes[..body])?;
                body = 0;
            }
        }
        self.keep(&bytes[..body])?;
        Ok(bytes.len() - rest.len())
    }

    fn keep(&mut self, bytes: &[u8]) -> Result<(), PackError> {
        self.hasher.update(bytes);
        self.spool.append(bytes).map(drop)
    }

    /// Bytes of memory, apart from a fixed amount. Grows with what arrives.
    pub(super) fn memory(&self) -> usize {
        let body = match &self.state {
            ParserState::Body(body) => body.memory(),
            _ => 0,
        };
        let entries = self.entries.capacity() * size_of::<PackEntry>();
        let by_offset = self.by_offset.capacity() * size_of::<(u32, u32)>();
        let by_name = self.by_name.capacity() * size_of::<(Sha, u32)>();
        entries + by_offset + by_name + body + self.facts.memory()
    }

    /// Checks that the input ended after a complete pack.
    pub(super) fn finish(&self) -> Result<(), PackError> {
        match self.state {
            ParserState::End => Ok(()),
            _ => Err(PackError::EarlyEof),
        }
    }

    /// Prepares for another pack.
    pub(super) fn begin_pack(&mut self) {
        self.hasher.reset();
        self.partial.clear();
        self.state = ParserState::Start;
        self.origin = self.spool.end();
        self.position = self.origin;
    }

    /// Adds an object that is in no pack.
    pub(super) fn add_object(
        &mut self,
        packed: &PackedObject,
        content: &[u8],
    ) -> Result<(), PackError> {
        let facts = &mut self.facts;
        facts.check(packed.sha, packed.kind, content, None, &self.limits)?;
        let data = self.spool.append(&packed.compressed)?;
        self.entries.push(PackEntry {
            packed: packed.compressed.len() as u32,
            sha: packed.sha,
            kind: Some(packed.kind),
            ..PackEntry::new(data, data, content.len() as u32)
        });
        Ok(())
    }

    /// Takes some bytes, and returns how many.
    fn step(&mut self, bytes: &[u8]) -> Result<usize, PackError> {
        match &mut self.state {
            ParserState::Start => self.start(bytes),
            ParserState::EntryHeader => self.entry_header(bytes),
            ParserState::Body(_) => self.body(bytes),
            ParserState::Trailer => self.trailer(bytes),
            ParserState::End => Err(PackError::Junk),
        }
    }

    /// Collects a number of bytes, and returns how many it took.
    fn collect(&mut self, bytes: &[u8], length: usize) -> usize {
        let used = bytes.len().min(length - self.partial.len());
        self.partial.extend_from_slice(&bytes[..used]);
        used
    }

    fn start(&mut self, bytes: &[u8]) -> Result<usize, PackError> {
        let used = self.collect(bytes, 12);
        let Some((signature, rest)) = self.partial.split_first_chunk() else {
            return Ok(used);
        };
        if *signature != SIGNATURE {
            return Err(PackError::Signature);
        }
        let mut numbers = rest.chunks_exact(4).map(|four| {
            let four = four.iter();
            four.fold(0, |number, byte| number << 8 | u32::from(*byte))
        });
        let (Some(version), Some(count)) = (numbers.next(), numbers.next()) else {
            return Ok(used);
        };
        if version != 2 && version != 3 {
            return Err(PackError::Version(version));
        }
        if u64::from(count) + self.entries.len() as u64 > u64::from(self.limits.objects) {
            return Err(PackError::Limit {
                resource: "number of objects",
                limit: u64::from(self.limits.objects),
            });
        }
        self.remaining = count;
        self.next_entry();
        Ok(used)
    }

    fn next_entry(&mut self) {
        self.partial.clear();
        self.state = match self.remaining {
            0 => ParserState::Trailer,
            _ => ParserState::EntryHeader,
        };
    }

    fn entry_header(&mut self, bytes: &[u8]) -> Result<usize, PackError> {
        let before = self.partial.len();
        let start = self.position - before as u64;
        let used = self.collect(bytes, entry::LONGEST);
        let bad_object = |reason| PackError::BadObject {
            offset: start,
            reason,
        };
        let Some((header, length)) = entry::parse(&self.partial).map_err(bad_object)? else {
            return Ok(used);
        };
        let largest = match header.form {
            EntryEncoding::Whole(kind) => crate::largest(kind),
            EntryEncoding::OffsetDelta(_) | EntryEncoding::NamedDelta(_) => LARGEST_OBJECT,
        };
        let size = u32::try_from(header.size).ok();
        let size = size.filter(|size| u64::from(*size) <= largest);
        let size = size.ok_or(bad_object("the object is too large"))?;
        self.base_of(&header, start)?;
        self.begin_body(EntryBody::new(&header, size, start, start + length as u64))?;
        Ok(length - before)
    }

    /// Records the base of a delta.
    fn base_of(&mut self, header: &PackedHeader, start: u64) -> Result<(), PackError> {
        let child = self.entries.len() as u32;
        match header.form {
            EntryEncoding::Whole(_) => {}
            EntryEncoding::NamedDelta(name) => self.by_name.push((name, child)),
            EntryEncoding::OffsetDelta(back) => {
                let base = start.checked_sub(back);
                let base = base.filter(|base| *base >= self.origin).and_then(|base| {
                    let entries = &self.entries;
                    entries
                        .binary_search_by_key(&base, |entry| entry.start)
                        .ok()
                });
                let base = base.ok_or(PackError::BadObject {
                    offset: start,
                    reason: "delta base offset is out of bound",
                })?;
                self.by_offset.push((base as u32, child));
            }
        }
        Ok(())
    }

    fn begin_body(&mut self, body: EntryBody) -> Result<(), PackError> {
        self.spend(u64::from(body.entry.inflated))?;
        self.turn = self.turn.saturating_sub(OBJECT);
        self.inflater.reset();
        self.state = ParserState::Body(Box::new(body));
        Ok(())
    }

    /// Adds bytes that are inflated or made of deltas. What a pack expands to is bounded by its
    /// length.
    pub(super) fn spend(&mut self, bytes: u64) -> Result<(), PackError> {
        self.inflated += bytes;
        self.limits.check_inflated(self.inflated, self.position)
    }

    /// Refuses deltas that declare to make too much, before any of them is resolved.
    pub(super) fn check_declared(&self) -> Result<(), PackError> {
        let all = self.inflated.saturating_add(self.declared);
        self.limits.check_inflated(all, self.position)
    }

    /// Inflates a piece of an entry.
    fn body(&mut self, bytes: &[u8]) -> Result<usize, PackError> {
        let ParserState::Body(body) = &mut self.state else {
            return Ok(0);
        };
        let before = body.inflated;
        let (facts, limits) = (&mut self.facts, &self.limits);
        let inflater = &mut self.inflater;
        let (used, ended) = inflater.inflate(body, bytes, self.turn, facts, limits)?;
        let work = body.inflated - before + used as u64;
        self.turn = self.turn.saturating_sub(work);
        if ended {
            self.end_body()?;
        }
        Ok(used)
    }

    fn end_body(&mut self) -> Result<(), PackError> {
        let ParserState::Body(body) = std::mem::replace(&mut self.state, ParserState::EntryHeader)
        else {
            return Ok(());
        };
        let packed = self.inflater.total_in();
        let entry = body.finish(packed, &mut self.facts, &self.limits)?;
        if entry.kind.is_none() {
            let [base, delta, made] = [entry.widest, entry.inflated, entry.size].map(u64::from);
            self.declared += made;
            self.widest = self.widest.max(2 * base + delta + 3 * made);
        }
        self.entries.push(entry);
        self.remaining -= 1;
        self.next_entry();
        Ok(())
    }

    fn trailer(&mut self, bytes: &[u8]) -> Result<usize, PackError> {
        let used = self.collect(bytes, Sha::BYTES);
        if self.partial.len() == Sha::BYTES {
            if self.hasher.finalize_reset()[..] != self.partial {
                return Err(PackError::Checksum);
            }
            self.state = ParserState::End;
        }
        Ok(used)
    }
}
