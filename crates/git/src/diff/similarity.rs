//! Similarity of two files, measured as Git does: splits both into lines, and long lines
//! into chunks of 64 bytes, and counts the bytes of common chunks.
//!
//! The hash of a chunk is part of the measure: chunks that collide in Git must collide
//! here.

/// The score of two identical files.
pub(super) const MOST: i32 = 60_000;

/// A NUL within this many bytes makes a file binary.
const BINARY_PROBE: usize = 8000;

const LONGEST_PIECE: u32 = 64;
const HASHES: u32 = 107_927;

/// Whether Git takes a file for binary.
pub(crate) fn is_binary(content: &[u8]) -> bool {
    content.iter().take(BINARY_PROBE).any(|byte| *byte == 0)
}

/// The chunks of a file: hash and number of bytes, ordered by hash, each hash once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Chunks {
    counts: Vec<(u32, u64)>,
    size: u64,
}

impl Chunks {
    /// The number of chunks.
    pub(super) fn len(&self) -> usize {
        self.counts.len()
    }

    pub(super) fn of(content: &[u8]) -> Self {
        let text = !is_binary(content);
        let mut chunks = Vec::new();
        let mut chunk = Chunk::default();
        for (at, byte) in content.iter().enumerate() {
            // In text, CRLF and LF are the same line ending.
            if text && *byte == b'\r' && content.get(at + 1) == Some(&b'\n') {
                continue;
            }
            chunk.add(*byte);
            if chunk.length == LONGEST_PIECE || *byte == b'\n' {
                chunks.push(std::mem::take(&mut chunk).finish());
            }
        }
        if chunk.length > 0 {
            chunks.push(chunk.finish());
        }
        chunks.sort_unstable();
        let mut counts: Vec<(u32, u64)> = Vec::with_capacity(chunks.len());
        for (hash, length) in chunks {
            match counts.last_mut() {
                Some(last) if last.0 == hash => last.1 += length,
                _ => counts.push((hash, length)),
            }
        }
        Self {
            counts,
            size: content.len() as u64,
        }
    }

    /// The bytes of this file that the other one also has.
    fn shared_with(&self, other: &Self) -> u64 {
        let mut theirs = other.counts.iter().peekable();
        let mut shared = 0;
        for (hash, bytes) in &self.counts {
            while theirs.next_if(|chunk| chunk.0 < *hash).is_some() {}
            if let Some(chunk) = theirs.peek().filter(|chunk| chunk.0 == *hash) {
                shared += (*bytes).min(chunk.1);
            }
        }
        shared
    }

    /// The common part of the larger file, out of [`MOST`].
    pub(super) fn score(&self, other: &Self) -> i32 {
        let larger = self.size.max(other.size);
        if larger == 0 {
            return 0;
        }
        (self.shared_with(other) as f64 * f64::from(MOST) / larger as f64) as i32
    }
}

/// Whether the sizes of two files differ too much to reach a score.
pub(super) fn sizes_rule_out(one: i64, other: i64, least: i32) -> bool {
    let larger = one.max(other);
    let difference = larger - one.min(other);
    larger.saturating_mul(i64::from(MOST - least)) < difference.saturating_mul(i64::from(MOST))
}

#[derive(Default)]
struct Chunk {
    low: u32,
    high: u32,
    length: u32,
}

impl Chunk {
    fn add(&mut self, byte: u8) {
        let low = self.low;
        self.low = ((low << 7) ^ (self.high >> 25)).wrapping_add(u32::from(byte));
        self.high = (self.high << 7) ^ (low >> 25);
        self.length += 1;
    }

    fn finish(self) -> (u32, u64) {
        let hash = self.low.wrapping_add(self.high.wrapping_mul(0x61)) % HASHES;
        (hash, u64::from(self.length))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_files_have_the_highest_score_and_unlike_ones_none() {
        let text = Chunks::of(b"one\ntwo\nthree\n");
        assert_eq!(text.score(&text), MOST);
        assert_eq!(text.score(&Chunks::of(b"1\n2\n3\n")), 0);
    }

    #[test]
    fn line_ends_do_not_count_in_text() {
        let unix = Chunks::of(b"one\ntwo\n");
        let windows = Chunks::of(b"one\r\ntwo\r\n");
        assert_eq!(unix.counts, windows.counts);
        assert_ne!(
            Chunks::of(b"\0one\ntwo\n").counts,
            Chunks::of(b"\0one\r\ntwo\r\n").counts
        );
    }

    #[test]
    fn half_as_large_is_the_limit_at_half_the_score() {
        assert!(!sizes_rule_out(100, 50, MOST / 2));
        assert!(sizes_rule_out(100, 49, MOST / 2));
    }
}
