//! Conflicts as lines of a text: both sides between conflict markers, without the lines that
//! they have in common.

use super::LineChanges;

/// Conflicts with fewer common lines between them are joined, as in Git.
const LEAST_BETWEEN: usize = 4;

/// The conflict markers in an ancestor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConflictMarkers {
    length: usize,
}

impl ConflictMarkers {
    /// Markers of deeper ancestors are longer, so that they can be distinguished.
    pub fn at(depth: usize) -> Self {
        Self {
            length: 7 + 2 * depth,
        }
    }

    /// Writes the lines of a conflict.
    pub(super) fn write(self, ours: &[&[u8]], theirs: &[&[u8]], text: &mut Vec<u8>) {
        let changes = LineChanges::between(&ours.concat(), &theirs.concat()).changes;
        let mut conflicts: Vec<[std::ops::Range<usize>; 2]> = Vec::new();
        for change in changes {
            match conflicts.last_mut() {
                Some([mine, other]) if change.base.start < mine.end + LEAST_BETWEEN => {
                    (mine.end, other.end) = (change.base.end, change.new.end);
                }
                _ => conflicts.push([change.base, change.new]),
            }
        }
        let mut copied_lines = 0;
        for [mine, other] in conflicts {
            text.extend(ours[copied_lines..mine.start].concat());
            copied_lines = mine.end;
            self.block(&ours[mine], &theirs[other], text);
        }
        text.extend(ours[copied_lines..].concat());
    }

    fn block(self, ours: &[&[u8]], theirs: &[&[u8]], text: &mut Vec<u8>) {
        self.mark(b'<', " Temporary merge branch 1", text);
        text.extend(ours.concat());
        self.mark(b'=', "", text);
        text.extend(theirs.concat());
        self.mark(b'>', " Temporary merge branch 2", text);
    }

    fn mark(self, sign: u8, label: &str, text: &mut Vec<u8>) {
        if text.last().is_some_and(|last| *last != b'\n') {
            text.push(b'\n');
        }
        text.extend(std::iter::repeat_n(sign, self.length));
        text.extend(label.bytes());
        text.push(b'\n');
    }
}

#[cfg(test)]
mod tests {
    use super::super::merge;
    use super::*;

    #[test]
    fn a_conflict_has_both_sides_without_what_they_share() {
        let merged = merge(
            b"1\n2\n3\n",
            b"1\nx\nA\n3\n",
            b"1\nx\nB",
            Some(ConflictMarkers::at(1)),
        );
        let expected = "1\nx\n<<<<<<<<< Temporary merge branch 1\nA\n3\n=========\nB\n\
                        >>>>>>>>> Temporary merge branch 2\n";
        assert_eq!(String::from_utf8_lossy(&merged.unwrap()), expected);
    }
}
