//! Positions in a diff: a line of a side, a position counted down the diff, and the text
//! from the hunk header to a position.
//!
//! A position counts the lines below the first `@@` of a file: the line just below is 1,
//! and each later `@@` counts as a line (Spec, Pull request review comments, `position`).
//! `\ No newline at end of file` counts too, but cannot be commented on.

use super::{FileDiff, Hunk, Line, LineKind};
use storage::entities::review_comment::Side;

impl LineKind {
    /// The sign before such a line.
    pub fn sign(self) -> u8 {
        match self {
            Self::Context => b' ',
            Self::Added => b'+',
            Self::Removed => b'-',
            Self::NoNewline => b'\\',
        }
    }
}

impl Line {
    /// The line number on a side, if the line is on that side.
    pub fn number_on(&self, side: Side) -> Option<u32> {
        match side {
            Side::Left => self.old_no,
            Side::Right => self.new_no,
        }
    }

    /// The side that shows the line: left for deletions, otherwise right.
    pub fn side(&self) -> Side {
        match self.kind {
            LineKind::Removed => Side::Left,
            _ => Side::Right,
        }
    }
}

impl Hunk {
    /// The hunk as `git diff` prints it, up to this many lines.
    pub fn text(&self, lines: usize) -> Vec<u8> {
        let mut text = self.header.clone();
        for line in self.lines.iter().take(lines) {
            text.push(b'\n');
            text.push(line.kind.sign());
            text.extend(&line.text);
        }
        text
    }
}

/// A line of a diff.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiffPosition<'a> {
    /// Counted down from the first `@@`.
    pub position: usize,
    /// Which hunk of the file, from 0.
    pub hunk_index: usize,
    pub hunk: &'a Hunk,
    /// Which line of the hunk, from 0.
    pub line_index: usize,
    pub line: &'a Line,
}

impl DiffPosition<'_> {
    /// The `diff_hunk` of a comment here: from the hunk header to this line. Replaces
    /// invalid UTF-8.
    pub fn diff_hunk(&self) -> String {
        let text = self.hunk.text(self.line_index + 1);
        String::from_utf8_lossy(&text).into_owned()
    }
}

impl FileDiff {
    /// Finds a line by its number, if the diff shows it. The left side has deleted and
    /// unchanged lines, the right side added and unchanged ones.
    pub fn find_line(&self, side: Side, number: u32) -> Option<DiffPosition<'_>> {
        self.places()
            .find(|place| place.line.number_on(side) == Some(number))
    }

    /// Finds the line at a position, if it can be commented on.
    pub fn find_position(&self, position: usize) -> Option<DiffPosition<'_>> {
        self.places()
            .find(|place| place.position == position && place.line.kind != LineKind::NoNewline)
    }

    /// Every line of the file's diff, in order.
    pub fn places(&self) -> impl Iterator<Item = DiffPosition<'_>> {
        let mut next = 0;
        self.hunks
            .iter()
            .enumerate()
            .flat_map(move |(hunk_index, hunk)| {
                let header = next;
                next += 1 + hunk.lines.len();
                let lines = hunk.lines.iter().enumerate();
                lines.map(move |(line_index, line)| DiffPosition {
                    position: header + 1 + line_index,
                    hunk_index,
                    hunk,
                    line_index,
                    line,
                })
            })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{ContentKind, FileStatus, hunks};
    use super::*;

    fn diff() -> FileDiff {
        let old: Vec<String> = (1..=30).map(|number| format!("line {number}\n")).collect();
        let new = old
            .concat()
            .replace("line 2\n", "two\n")
            .replace("line 30\n", "thirty");
        FileDiff {
            old_path: Some(b"a".to_vec()),
            new_path: Some(b"a".to_vec()),
            status: FileStatus::Modified,
            content: ContentKind::Text,
            hunks: hunks::of(old.concat().as_bytes(), new.as_bytes()).unwrap(),
        }
    }

    #[test]
    fn positions_count_later_headers_and_the_missing_newline() {
        let diff = diff();
        let first = diff.find_line(Side::Right, 1).unwrap();
        assert_eq!((first.position, first.hunk_index), (1, 0));
        let removed = diff.find_line(Side::Left, 2).unwrap();
        assert_eq!((removed.position, removed.line.side()), (2, Side::Left));
        assert_eq!(diff.find_line(Side::Right, 2).unwrap().position, 3);
        assert_eq!(diff.find_line(Side::Right, 5).unwrap().position, 6);
        assert_eq!(diff.find_position(7), None, "the second header");
        assert_eq!(diff.find_line(Side::Right, 27).unwrap().position, 8);
        assert_eq!(diff.find_line(Side::Right, 30).unwrap().position, 12);
        assert_eq!(diff.find_position(13), None, "the missing newline");
        assert_eq!(diff.find_line(Side::Right, 10), None);
    }

    #[test]
    fn every_place_is_found_again_by_side_and_number() {
        let diff = diff();
        for place in diff.places() {
            if place.line.kind == LineKind::NoNewline {
                continue;
            }
            let side = place.line.side();
            let number = place.line.number_on(side).unwrap();
            assert_eq!(diff.find_line(side, number), Some(place));
            assert_eq!(diff.find_position(place.position), Some(place));
        }
    }

    #[test]
    fn the_diff_hunk_ends_with_the_line() {
        let diff = diff();
        let place = diff.find_position(3).unwrap();
        assert_eq!(place.diff_hunk(), "@@ -1,5 +1,5 @@\n line 1\n-line 2\n+two");
        let last = diff.find_line(Side::Right, 30).unwrap();
        assert!(
            last.diff_hunk()
                .starts_with("@@ -27,4 +27,4 @@ line 26\n line 27\n")
        );
        assert!(last.diff_hunk().ends_with("\n-line 30\n+thirty"));
    }
}
