//! Maps a line of one version of a file to another version. This decides whether a comment
//! on the line is outdated.

use super::{ContentKind, File, Hunk, LineKind, compare};
use crate::tree::Mode;
use crate::{GitError, Sha};
use storage::database::Connection;

/// The line number in the new version of a line in the old one, or None if the line was
/// changed or removed or the versions cannot be compared by lines. Reads and compares two
/// objects.
pub async fn follow(
    connection: &Connection,
    repository_id: i64,
    old_blob: Sha,
    new_blob: Sha,
    line: u32,
) -> Result<Option<u32>, GitError> {
    let [old, new] = [old_blob, new_blob].map(|sha| File {
        path: Vec::new(),
        mode: Mode::File,
        sha,
    });
    let (content, hunks) = compare(connection, repository_id, Some(&old), Some(&new)).await?;
    Ok(match content {
        ContentKind::Text => line_after(&hunks, line),
        ContentKind::Binary | ContentKind::TooLarge => None,
    })
}

/// The same for two versions that were already compared.
pub fn line_after(hunks: &[Hunk], line: u32) -> Option<u32> {
    let mut shift = 0_i64;
    for hunk in hunks {
        // An empty side starts at the line before it.
        let end = hunk.old_start + hunk.old_lines.max(1);
        if line < hunk.old_start || (hunk.old_lines == 0 && line == hunk.old_start) {
            break;
        }
        if line < end {
            return hunk
                .lines
                .iter()
                .find(|candidate| {
                    candidate.kind == LineKind::Context && candidate.old_no == Some(line)
                })
                .and_then(|candidate| candidate.new_no);
        }
        shift += i64::from(hunk.new_lines) - i64::from(hunk.old_lines);
    }
    u32::try_from(i64::from(line) + shift).ok()
}

#[cfg(test)]
mod tests {
    use super::super::hunks;
    use super::*;

    fn after(old: &str, new: &str, line: u32) -> Option<u32> {
        line_after(&hunks::of(old.as_bytes(), new.as_bytes()).unwrap(), line)
    }

    #[test]
    fn a_line_moves_with_what_is_inserted_and_removed_above_it() {
        let old: String = (1..=40).map(|number| format!("{number}\n")).collect();
        let new = old
            .replace("\n5\n", "\n5\nnew\nnew\n")
            .replace("\n20\n", "\n");
        assert_eq!(after(&old, &new, 1), Some(1));
        assert_eq!(after(&old, &new, 5), Some(5));
        assert_eq!(after(&old, &new, 6), Some(8));
        assert_eq!(after(&old, &new, 15), Some(17));
        assert_eq!(after(&old, &new, 20), None);
        assert_eq!(after(&old, &new, 21), Some(22));
        assert_eq!(after(&old, &new, 40), Some(41));
    }

    #[test]
    fn a_changed_line_is_lost() {
        assert_eq!(after("a\nb\nc\n", "a\nB\nc\n", 2), None);
        assert_eq!(after("a\nb\nc\n", "a\nB\nc\n", 3), Some(3));
        assert_eq!(after("a\n", "", 1), None);
        assert_eq!(after("a\nb", "a\nb\n", 2), None);
    }

    #[test]
    fn nothing_moves_in_an_unchanged_file() {
        assert_eq!(after("a\n", "a\n", 1), Some(1));
    }
}
