//! How much of one file is in another, measured as Git measures it: both are cut
//! into lines, long lines into pieces of 64 bytes, and the bytes of the pieces
//! that both have are counted.
//!
//! The hash of a piece is part of the measure: two pieces that collide count as
//! equal in Git, so they must collide here.

/// A score of two equal files.
pub(super) const MOST: i32 = 60_000;

/// Bytes in which a NUL makes a file binary.
const BINARY_PROBE: usize = 8000;

const LONGEST_PIECE: u32 = 64;
const HASHES: u32 = 107_927;

/// Whether Git takes a file for binary.
pub(super) fn is_binary(content: &[u8]) -> bool {
    content.iter().take(BINARY_PROBE).any(|byte| *byte == 0)
}

/// The pieces of a file: hash and bytes, ordered by hash, each hash once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pieces {
    counts: Vec<(u32, u64)>,
    size: u64,
}

impl Pieces {
    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.counts.len()
    }

    pub(super) fn of(content: &[u8]) -> Self {
        let text = !is_binary(content);
        let mut pieces = Vec::new();
        let mut piece = Piece::default();
        for (at, byte) in content.iter().enumerate() {
            // In text, CRLF and LF end the same line.
            if text && *byte == b'\r' && content.get(at + 1) == Some(&b'\n') {
                continue;
            }
            piece.add(*byte);
            if piece.length == LONGEST_PIECE || *byte == b'\n' {
                pieces.push(std::mem::take(&mut piece).finish());
            }
        }
        if piece.length > 0 {
            pieces.push(piece.finish());
        }
        pieces.sort_unstable();
        let mut counts: Vec<(u32, u64)> = Vec::with_capacity(pieces.len());
        for (hash, length) in pieces {
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

    /// The bytes of this file that the other one has too.
    fn shared_with(&self, other: &Self) -> u64 {
        let mut theirs = other.counts.iter().peekable();
        let mut shared = 0;
        for (hash, bytes) in &self.counts {
            while theirs.next_if(|piece| piece.0 < *hash).is_some() {}
            if let Some(piece) = theirs.peek().filter(|piece| piece.0 == *hash) {
                shared += (*bytes).min(piece.1);
            }
        }
        shared
    }

    /// How much of the larger file is in both, of [`MOST`].
    pub(super) fn score(&self, other: &Self) -> i32 {
        let larger = self.size.max(other.size);
        if larger == 0 {
            return 0;
        }
        (self.shared_with(other) as f64 * f64::from(MOST) / larger as f64) as i32
    }
}

/// Whether two files are so different in size that they cannot reach a score.
pub(super) fn sizes_rule_out(one: i64, other: i64, least: i32) -> bool {
    let larger = one.max(other);
    let difference = larger - one.min(other);
    larger.saturating_mul(i64::from(MOST - least)) < difference.saturating_mul(i64::from(MOST))
}

#[derive(Default)]
struct Piece {
    low: u32,
    high: u32,
    length: u32,
}

impl Piece {
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
        let text = Pieces::of(b"one\ntwo\nthree\n");
        assert_eq!(text.score(&text), MOST);
        assert_eq!(text.score(&Pieces::of(b"1\n2\n3\n")), 0);
    }

    #[test]
    fn line_ends_do_not_count_in_text() {
        let unix = Pieces::of(b"one\ntwo\n");
        let windows = Pieces::of(b"one\r\ntwo\r\n");
        assert_eq!(unix.counts, windows.counts);
        assert_ne!(
            Pieces::of(b"\0one\ntwo\n").counts,
            Pieces::of(b"\0one\r\ntwo\r\n").counts
        );
    }

    #[test]
    fn half_as_large_is_the_limit_at_half_the_score() {
        assert!(!sizes_rule_out(100, 50, MOST / 2));
        assert!(sizes_rule_out(100, 49, MOST / 2));
    }
}
