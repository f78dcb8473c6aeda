//! The header of SQLite's wal-index, which is another one after every commit,
//! whoever made it: this process, or a command line beside it.
//!
//! Why that can be relied on: in WAL mode the header of the wal-index, at the
//! beginning of the `-shm` file, *is* what tells a statement which commits there
//! are (sqlite.org/walformat.html, "The WAL-Index Header"). A commit changes it
//! before it returns, and no statement sees a commit before. So if the header is
//! the same before and after some statements, all of them saw one state of the
//! database, and what they found holds for as long as the header is the same.
//! Headers do not come back: each commit counts one of its fields up and
//! continues the checksum of the log.
//!
//! The rule that surprises: the file is opened once and kept open. Closing any
//! handle of it would give up the locks that SQLite holds on it for this process
//! (POSIX), so it has to outlive the work of the connections; `Database` sees to
//! that.

use std::fs::File;
use std::path::Path;

/// The header is there twice, so that one who reads it while it is written
/// notices; the first 40 of its 48 bytes are covered by a checksum in the last 8.
const HEADER: usize = 48;
const COVERED: usize = 40;

/// A state of the database. Equal states have equal contents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct State([u8; COVERED]);

impl State {
    /// Whether it is the state after one commit more, whatever that was.
    pub fn follows(&self, earlier: &Self) -> bool {
        self.commits() == earlier.commits().wrapping_add(1)
    }

    /// Commits are counted, and the number stays when the log starts anew.
    pub fn commits(&self) -> u32 {
        let Self([_, _, _, _, _, _, _, _, a, b, c, d, ..]) = *self;
        u32::from_ne_bytes([a, b, c, d])
    }
}

/// The wal-index of one database.
#[derive(Debug)]
pub struct WalIndex(File);

impl WalIndex {
    /// That of the database in this file, if it is open in WAL mode.
    pub fn of(database: &Path) -> Option<Self> {
        let mut path = database.canonicalize().ok()?.into_os_string();
        path.push("-shm");
        File::open(path).ok().map(Self)
    }

    /// The state at this moment. None: it is just changing, or cannot be read.
    pub fn state(&self) -> Option<State> {
        let mut bytes = [0; 2 * HEADER];
        read_at_start(&self.0, &mut bytes)?;
        header(&bytes)
    }
}

#[cfg(unix)]
fn read_at_start(file: &File, bytes: &mut [u8]) -> Option<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, 0).ok()
}

#[cfg(not(unix))]
fn read_at_start(_: &File, _: &mut [u8]) -> Option<()> {
    None
}

/// The header, if both copies are the same and whole.
fn header(bytes: &[u8; 2 * HEADER]) -> Option<State> {
    let (first, second) = bytes.split_at(HEADER);
    let (covered, sums) = first.split_at(COVERED);
    let initialized = first[12] != 0;
    if first != second || !initialized || checksum(covered).as_slice() != sums {
        return None;
    }
    covered.try_into().ok().map(State)
}

/// The checksum of the file format, over words in the order of this machine.
fn checksum(bytes: &[u8]) -> [u8; 8] {
    let words = bytes.chunks_exact(4).map(|word| {
        let word: [u8; 4] = word.try_into().unwrap_or_default();
        u32::from_ne_bytes(word)
    });
    let (mut even, mut odd) = (0_u32, 0_u32);
    for (place, word) in words.enumerate() {
        if place % 2 == 0 {
            even = even.wrapping_add(word).wrapping_add(odd);
        } else {
            odd = odd.wrapping_add(word).wrapping_add(even);
        }
    }
    let mut sums = [0; 8];
    sums[..4].copy_from_slice(&even.to_ne_bytes());
    sums[4..].copy_from_slice(&odd.to_ne_bytes());
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole() -> [u8; 2 * HEADER] {
        let mut one = [7_u8; HEADER];
        let sums = checksum(&one[..COVERED]);
        one[COVERED..].copy_from_slice(&sums);
        let mut both = [0; 2 * HEADER];
        both[..HEADER].copy_from_slice(&one);
        both[HEADER..].copy_from_slice(&one);
        both
    }

    #[test]
    fn a_header_that_is_just_being_written_is_no_state() {
        assert!(header(&whole()).is_some());
        for place in [0, 11, COVERED, HEADER, HEADER + 20] {
            let mut torn = whole();
            torn[place] ^= 1;
            assert_eq!(header(&torn), None, "byte {place}");
        }
        let mut torn_alike = whole();
        torn_alike[9] ^= 1;
        torn_alike[HEADER + 9] ^= 1;
        assert_eq!(header(&torn_alike), None, "the checksum is not right");
        assert_eq!(header(&[0; 2 * HEADER]), None, "nobody has begun yet");
    }
}
