//! A consistent list of references, packed: about thirty bytes each, instead of hundreds for a
//! row. A list of any length is produced from such parts while it is sent.

use bytes::Bytes;
use sha2::{Digest, Sha256};
use tokio::sync::OwnedSemaphorePermit;

use crate::git_objects::view::GitObjectView;
use git::target::RefRow;
use storage::cache::Weigh;
use storage::entities::git_object::ObjectKind;

/// Bytes of a packed part, which holds a quarter of a million references.
pub const LARGEST: usize = 8 << 20;

/// Bytes of JSON that are produced at a time.
const PIECE: usize = 128 * 1024;

/// Bytes of a SHA-1.
const SHA: usize = 20;

/// A part of a list.
#[derive(Debug)]
pub struct Packed {
    bytes: Box<[u8]>,
    digest: [u8; 32],
    /// The name at which the list continues.
    pub next: Option<String>,
    /// Its share of the memory for lists.
    _memory: Option<OwnedSemaphorePermit>,
}

impl Weigh for Packed {
    fn heap_bytes(&self) -> usize {
        self.bytes.len()
    }
}

/// Packs references. Sorted by name, they take the least space.
#[derive(Debug, Default)]
pub struct Packing {
    bytes: Vec<u8>,
    last: String,
}

impl Packing {
    /// Each entry has the length of the prefix that it shares with the previous name, the rest
    /// of the name, the kind and the object. A name has at most 1,024 bytes.
    pub fn push(&mut self, (name, sha, kind): RefRow) {
        let shared = shared(&self.last, &name);
        let rest = &name.as_bytes()[shared..];
        for length in [shared, rest.len()] {
            let length = u16::try_from(length).unwrap_or(u16::MAX);
            self.bytes.extend_from_slice(&length.to_le_bytes());
        }
        self.bytes.push(kind as u8);
        let mut object = [0; SHA];
        // Stored names have 40 digits.
        let _ = hex::decode_to_slice(&sha, &mut object);
        self.bytes.extend_from_slice(&object);
        self.bytes.extend_from_slice(rest);
        self.last = name;
    }

    pub fn bytes(&self) -> usize {
        self.bytes.len()
    }

    /// Takes some milliseconds of CPU time.
    pub fn finish(self, next: Option<String>, memory: Option<OwnedSemaphorePermit>) -> Packed {
        Packed {
            digest: Sha256::digest(&self.bytes).into(),
            bytes: self.bytes.into_boxed_slice(),
            next,
            _memory: memory,
        }
    }
}

/// The length of the common prefix of two names, in bytes; whole characters.
fn shared(one: &str, other: &str) -> usize {
    let pairs = one.bytes().zip(other.bytes());
    let mut shared = pairs.take_while(|(one, other)| one == other).count();
    while !other.is_char_boundary(shared) {
        shared -= 1;
    }
    shared
}

impl Packed {
    /// The ETag of this list for one caller. It differs for lists with other contents or another
    /// view.
    pub fn tag(&self, view: &GitObjectView) -> String {
        let mut cursor = Cursor::default();
        let first = cursor.next(&self.bytes);
        let first = first.map(|(name, sha, kind)| view.git_ref(name, sha, kind));
        let json = serde_json::to_vec(&first).unwrap_or_default();
        let digest = Sha256::new().chain_update(self.digest);
        hex::encode(digest.chain_update(json).finalize())
    }

    /// The next piece of JSON: references with commas between them; None at the end.
    pub fn piece(&self, cursor: &mut Cursor, view: &GitObjectView) -> Option<Bytes> {
        let mut json = Vec::with_capacity(PIECE + PIECE / 8);
        while json.len() < PIECE
            && let Some((name, sha, kind)) = cursor.next(&self.bytes)
        {
            json.push(if cursor.started { b',' } else { b'[' });
            cursor.started = true;
            // Writing to memory cannot fail.
            let _ = serde_json::to_writer(&mut json, &view.git_ref(name, sha, kind));
        }
        (!json.is_empty()).then(|| json.into())
    }
}

/// A position in a list.
#[derive(Debug, Default)]
pub struct Cursor {
    at: usize,
    name: String,
    /// Whether anything was written.
    started: bool,
}

impl Cursor {
    /// Moves to the beginning of the next part.
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
        let (shared, suffix) = (length(0)?, length(2)?);
        let kind = match rest.get(4)? {
            0 => ObjectKind::Commit,
            1 => ObjectKind::Tree,
            2 => ObjectKind::Blob,
            _ => ObjectKind::Tag,
        };
        let sha = hex::encode(rest.get(5..5 + SHA)?);
        let name = rest.get(5 + SHA..5 + SHA + suffix)?;
        self.at += 5 + SHA + suffix;
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
        let unpacked: Vec<_> = std::iter::from_fn(|| cursor.next(&packed.bytes)).collect();
        assert_eq!(unpacked, rows);
    }
}
