//! References of one moment, packed: thirty bytes or so for each, where its row takes
//! hundreds. A list of any length is made from such parts while it goes out.

use bytes::Bytes;
use sha2::{Digest, Sha256};
use tokio::sync::OwnedSemaphorePermit;

use crate::cache::Weigh;
use crate::entities::git_object::ObjectKind;
use crate::refs::store::RefRow;
use crate::views::git_object::GitObjectView;

/// Bytes of a packed part. A quarter of a million references are in one.
pub const LARGEST: usize = 8 << 20;

/// Bytes of JSON that are made at a time.
const PIECE: usize = 128 * 1024;

/// Bytes of a SHA-1.
const SHA: usize = 20;

/// A part of a list.
#[derive(Debug)]
pub struct Packed {
    bytes: Box<[u8]>,
    digest: [u8; 32],
    /// The name from which the list goes on.
    pub next: Option<String>,
    /// The memory that it takes of what there is for lists.
    _room: Option<OwnedSemaphorePermit>,
}

impl Weigh for Packed {
    fn heap_bytes(&self) -> usize {
        self.bytes.len()
    }
}

/// Packs references, which come in the order of their names.
#[derive(Debug, Default)]
pub struct Packing {
    bytes: Vec<u8>,
    last: String,
}

impl Packing {
    /// Each entry has what its name shares with the one before it, the rest of the
    /// name, the kind and the object. A name has at most 1,024 bytes.
    pub fn push(&mut self, (name, sha, kind): RefRow) {
        let shared = shared(&self.last, &name);
        let rest = &name.as_bytes()[shared..];
        for length in [shared, rest.len()] {
            let length = u16::try_from(length).unwrap_or(u16::MAX);
            self.bytes.extend_from_slice(&length.to_le_bytes());
        }
        self.bytes.push(kind as u8);
        let mut object = [0; SHA];
        // What is stored has 40 digits.
        let _ = hex::decode_to_slice(&sha, &mut object);
        self.bytes.extend_from_slice(&object);
        self.bytes.extend_from_slice(rest);
        self.last = name;
    }

    pub fn bytes(&self) -> usize {
        self.bytes.len()
    }

    /// Keeps the processor busy for some milliseconds.
    pub fn finish(self, next: Option<String>, room: Option<OwnedSemaphorePermit>) -> Packed {
        Packed {
            digest: Sha256::digest(&self.bytes).into(),
            bytes: self.bytes.into_boxed_slice(),
            next,
            _room: room,
        }
    }
}

/// The bytes that two names begin with alike; whole characters.
fn shared(one: &str, other: &str) -> usize {
    let pairs = one.bytes().zip(other.bytes());
    let mut shared = pairs.take_while(|(one, other)| one == other).count();
    while !other.is_char_boundary(shared) {
        shared -= 1;
    }
    shared
}

impl Packed {
    /// Names this list as one caller sees it. Of two lists that differ, in what they
    /// hold or in how it is shown, the names differ.
    pub fn tag(&self, view: &GitObjectView) -> String {
        let mut cursor = Cursor::default();
        let first = cursor.next(&self.bytes);
        let first = first.map(|(name, sha, kind)| view.git_ref(name, sha, kind));
        let shown = serde_json::to_vec(&first).unwrap_or_default();
        let digest = Sha256::new().chain_update(self.digest);
        hex::encode(digest.chain_update(shown).finalize())
    }

    /// The next piece of JSON: references with commas between them; None at the end.
    pub fn piece(&self, cursor: &mut Cursor, view: &GitObjectView) -> Option<Bytes> {
        let mut json = Vec::with_capacity(PIECE + PIECE / 8);
        while json.len() < PIECE
            && let Some((name, sha, kind)) = cursor.next(&self.bytes)
        {
            json.push(if cursor.begun { b',' } else { b'[' });
            cursor.begun = true;
            // Writing to memory does not fail.
            let _ = serde_json::to_writer(&mut json, &view.git_ref(name, sha, kind));
        }
        (!json.is_empty()).then(|| json.into())
    }
}

/// How far a list has been read.
#[derive(Debug, Default)]
pub struct Cursor {
    at: usize,
    name: String,
    /// Something has been written.
    begun: bool,
}

impl Cursor {
    /// At the beginning of the next part.
    pub fn rewind(&mut self) {
        self.at = 0;
        self.name.clear();
    }

    fn next(&mut self, bytes: &[u8]) -> Option<RefRow> {
        let rest = bytes.get(self.at..)?;
        let length = |from: usize| {
            let length = rest.get(from..from + 2)?.try_into().ok()?;
            Some(usize::from(u16::from_le_bytes(length)))
        };
        let (shared, own) = (length(0)?, length(2)?);
        let kind = match rest.get(4)? {
            0 => ObjectKind::Commit,
            1 => ObjectKind::Tree,
            2 => ObjectKind::Blob,
            _ => ObjectKind::Tag,
        };
        let sha = hex::encode(rest.get(5..5 + SHA)?);
        let name = rest.get(5 + SHA..5 + SHA + own)?;
        self.at += 5 + SHA + own;
        self.name.truncate(shared);
        self.name.push_str(std::str::from_utf8(name).ok()?);
        Some((self.name.clone(), sha, kind))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_packed_comes_out_again() {
        let sha = |digit: char| digit.to_string().repeat(40);
        let rows: Vec<RefRow> = vec![
            ("refs/heads/a".to_owned(), sha('1'), ObjectKind::Commit),
            ("refs/heads/ab".to_owned(), sha('2'), ObjectKind::Tree),
            ("refs/heads/é".to_owned(), sha('3'), ObjectKind::Blob),
            ("refs/heads/ê/ü".to_owned(), sha('4'), ObjectKind::Tag),
            (
                format!("refs/tags/{}", "x".repeat(1000)),
                sha('f'),
                ObjectKind::Commit,
            ),
        ];
        let mut packing = Packing::default();
        rows.iter().cloned().for_each(|row| packing.push(row));
        let packed = packing.finish(None, None);
        let mut cursor = Cursor::default();
        let found: Vec<_> = std::iter::from_fn(|| cursor.next(&packed.bytes)).collect();
        assert_eq!(found, rows);
    }
}
