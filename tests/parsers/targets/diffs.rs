//! Diffs of two texts: applying the hunks to the old text gives the new one, and each line that
//! can be commented on is found by its number and its position.

use git::diff::{ContentKind, FileDiff, FileStatus, Hunk, LineKind, hunks, line_after};
use storage::entities::review_comment::Side;

use super::two;

pub fn diffs(data: &[u8]) {
    let (old, new) = two(data);
    let found = hunks::of(old, new).unwrap();
    assert_eq!(found.is_empty(), old == new);
    assert_eq!(applied(old, &found), new);
    let diff = FileDiff {
        old_path: Some(b"a".to_vec()),
        new_path: Some(b"a".to_vec()),
        status: FileStatus::Modified,
        content: ContentKind::Text,
        hunks: found,
    };
    let mut before = 0;
    for place in diff.places() {
        assert!(place.position > before);
        before = place.position;
        if place.line.kind == LineKind::NoNewline {
            assert_eq!(diff.find_position(place.position), None);
            continue;
        }
        let side = place.line.side();
        let number = place.line.number_on(side).unwrap();
        assert_eq!(diff.find_line(side, number), Some(place));
        assert_eq!(diff.find_position(place.position), Some(place));
        assert!(place.diff_hunk().starts_with("@@ -"));
    }
    assert_eq!(diff.find_position(0), None);
    assert_eq!(diff.find_position(before + 1), None);
    assert_eq!(diff.find_line(Side::Left, 0), None);
    lines_move(old, new, &diff);
}

/// A line has the same text at its new number.
fn lines_move(old: &[u8], new: &[u8], diff: &FileDiff) {
    let (old, new): (Vec<_>, Vec<_>) = (lines(old).collect(), lines(new).collect());
    for (index, line) in old.iter().enumerate() {
        let number = u32::try_from(index + 1).unwrap();
        if let Some(after) = line_after(&diff.hunks, number) {
            assert_eq!(*line, new[after as usize - 1], "line {number}");
        }
    }
}

fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split_inclusive(|byte| *byte == b'\n')
}

/// Applies hunks with Git's line arithmetic: a hunk without old lines comes after its start line.
fn applied(old: &[u8], hunks: &[Hunk]) -> Vec<u8> {
    let old: Vec<&[u8]> = lines(old).collect();
    let mut new = Vec::new();
    let mut next = 0;
    for hunk in hunks {
        let start = hunk.old_start as usize - usize::from(hunk.old_lines > 0);
        new.extend(old[next..start].concat());
        next = start + hunk.old_lines as usize;
        for (index, line) in hunk.lines.iter().enumerate() {
            let ends = hunk.lines.get(index + 1).map(|line| line.kind) == Some(LineKind::NoNewline);
            if matches!(line.kind, LineKind::Context | LineKind::Added) {
                new.extend(&line.text);
                new.extend(if ends { &b""[..] } else { b"\n" });
            }
        }
    }
    new.extend(old[next..].concat());
    new
}
