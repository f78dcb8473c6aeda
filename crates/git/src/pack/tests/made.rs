//! Packs written by hand.

use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use sha1::{Digest, Sha1};

use crate::Sha;
use crate::pack::entry;
use storage::entities::git_object::ObjectKind;

/// A pack in the making.
#[derive(Default)]
pub(super) struct PackBuilder {
    count: u32,
    entries: Vec<u8>,
}

impl PackBuilder {
    /// Adds an entry, and returns its offset.
    pub(super) fn add(&mut self, head: &[u8], content: &[u8]) -> u64 {
        let offset = 12 + self.entries.len() as u64;
        self.entries.extend(head);
        self.entries.extend(zlib(content));
        self.count += 1;
        offset
    }

    pub(super) fn object(&mut self, kind: ObjectKind, content: &[u8]) -> u64 {
        let mut head = Vec::new();
        entry::write(&mut head, kind, content.len() as u64, b"");
        self.add(&head, content)
    }

    /// Adds a delta with a base so many bytes before it.
    pub(super) fn offset_delta(&mut self, back: u64, delta: &[u8]) -> u64 {
        let mut digits = vec![(back & 0x7f) as u8];
        let mut rest = back >> 7;
        while rest > 0 {
            rest -= 1;
            digits.push(0x80 | (rest & 0x7f) as u8);
            rest >>= 7;
        }
        digits.reverse();
        self.add(&[form(6, delta.len()), digits].concat(), delta)
    }

    pub(super) fn named_delta(&mut self, base: Sha, delta: &[u8]) -> u64 {
        let name = base.as_bytes().to_vec();
        self.add(&[form(7, delta.len()), name].concat(), delta)
    }

    pub(super) fn next_offset(&self) -> u64 {
        12 + self.entries.len() as u64
    }

    pub(super) fn finish(&self) -> Vec<u8> {
        signed(
            &[
                b"PACK\0\0\0\x02",
                &self.count.to_be_bytes()[..],
                &self.entries,
            ]
            .concat(),
        )
    }
}

/// The first bytes of an entry.
pub(super) fn form(form: u8, size: usize) -> Vec<u8> {
    let mut head = Vec::new();
    entry::write(&mut head, ObjectKind::Commit, size as u64, b"");
    head[0] = head[0] & 0x8f | form << 4;
    head
}

fn zlib(content: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(content).unwrap();
    encoder.finish().unwrap()
}

pub(super) fn signed(pack: &[u8]) -> Vec<u8> {
    [pack, &Sha1::digest(pack)[..]].concat()
}

/// A delta that copies its base so many times, and then adds bytes.
pub(super) fn repeated(base: usize, times: usize, more: &[u8]) -> Vec<u8> {
    copied(base, base, times, more)
}

/// A delta that copies the first bytes of its base so many times, and then adds bytes.
pub(super) fn copied(base: usize, length: usize, times: usize, more: &[u8]) -> Vec<u8> {
    let mut delta = Vec::new();
    for mut size in [base, length * times + more.len()] {
        while size >= 0x80 {
            delta.push(size as u8 | 0x80);
            size >>= 7;
        }
        delta.push(size as u8);
    }
    let [a, b, c, _] = (length as u32).to_le_bytes();
    delta.extend([0xf0, a, b, c].repeat(times));
    for piece in more.chunks(127) {
        delta.push(piece.len() as u8);
        delta.extend(piece);
    }
    delta
}
