//! Line diffs by libgit2, whose algorithm is Git's own. `position` maps diff lines to
//! positions.

use git2::{DiffLineType, DiffOptions, Patch};

use super::similarity::is_binary;
use super::{Hunk, Line, LineKind};
use crate::GitError;

/// Lines of context, Git's default.
const CONTEXT: u32 = 3;

/// Where Git cuts a heading, in bytes.
const LONGEST_HEADING: usize = 80;

/// The hunks between two texts. As in Git, the time grows with the length of the texts and
/// with how much they differ.
pub fn of(old: &[u8], new: &[u8]) -> Result<Vec<Hunk>, GitError> {
    read(&patch(old, new)?)
}

/// The same, or None if the hunks have more lines than this.
pub fn within(old: &[u8], new: &[u8], lines: usize) -> Result<Option<Vec<Hunk>>, GitError> {
    let patch = patch(old, new)?;
    let (context, added, removed) = patch.line_stats()?;
    match context + added + removed > lines {
        true => Ok(None),
        false => read(&patch).map(Some),
    }
}

/// The number of added and of removed lines.
pub fn count(old: &[u8], new: &[u8]) -> Result<(usize, usize), GitError> {
    let (_, added, removed) = patch(old, new)?.line_stats()?;
    Ok((added, removed))
}

/// The number of lines of a text; 0 for binary content.
pub fn lines(text: &[u8]) -> usize {
    if is_binary(text) {
        return 0;
    }
    let unended = !text.is_empty() && !text.ends_with(b"\n");
    ends(text) + usize::from(unended)
}

fn ends(text: &[u8]) -> usize {
    text.iter().filter(|byte| **byte == b'\n').count()
}

/// The number of lines of two texts without their common prefix and suffix. This determines
/// the time of a diff.
pub fn lines_to_compare(old: &[u8], new: &[u8]) -> usize {
    let pairs = old.iter().zip(new);
    let begin = pairs.take_while(|(old, new)| old == new).count();
    let (old, new) = (&old[begin..], &new[begin..]);
    let pairs = old.iter().rev().zip(new.iter().rev());
    let end = pairs.take_while(|(old, new)| old == new).count();
    [old, new]
        .iter()
        .map(|text| &text[..text.len() - end])
        .map(|text| ends(text) + 1)
        .sum()
}

fn patch<'a>(old: &'a [u8], new: &'a [u8]) -> Result<Patch<'a>, GitError> {
    let mut options = DiffOptions::new();
    options
        .context_lines(CONTEXT)
        .interhunk_lines(0)
        .indent_heuristic(true)
        .force_text(true);
    Ok(Patch::from_buffers(
        old,
        None,
        new,
        None,
        Some(&mut options),
    )?)
}

fn read(patch: &Patch<'_>) -> Result<Vec<Hunk>, GitError> {
    (0..patch.num_hunks())
        .map(|index| read_hunk(patch, index))
        .collect()
}

fn read_hunk(patch: &Patch<'_>, index: usize) -> Result<Hunk, GitError> {
    let (hunk, count) = patch.hunk(index)?;
    let lines = (0..count)
        .map(|line| read_line(patch, index, line))
        .collect::<Result<_, _>>()?;
    Ok(Hunk {
        header: header(hunk.header()),
        old_start: hunk.old_start(),
        old_lines: hunk.old_lines(),
        new_start: hunk.new_start(),
        new_lines: hunk.new_lines(),
        lines,
    })
}

/// The line that begins with `@@`. If libgit2 cuts its heading after a space, that space is kept,
/// unlike in Git.
fn header(line: &[u8]) -> Vec<u8> {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let ranges = line.windows(4).position(|bytes| bytes == b" @@ ");
    let heading = ranges.map_or(0, |end| line.len() - end - 4);
    match heading == LONGEST_HEADING {
        true => line.trim_ascii_end().to_vec(),
        false => line.to_vec(),
    }
}

fn read_line(patch: &Patch<'_>, hunk: usize, index: usize) -> Result<Line, GitError> {
    let line = patch.line_in_hunk(hunk, index)?;
    let kind = match line.origin_value() {
        DiffLineType::Addition => LineKind::Added,
        DiffLineType::Deletion => LineKind::Removed,
        DiffLineType::Context => LineKind::Context,
        _ => LineKind::NoNewline,
    };
    if kind == LineKind::NoNewline {
        return Ok(Line {
            kind,
            old_no: None,
            new_no: None,
            text: b" No newline at end of file".to_vec(),
        });
    }
    Ok(Line {
        kind,
        old_no: line.old_lineno(),
        new_no: line.new_lineno(),
        text: without_newline(line.content()),
    })
}

fn without_newline(text: &[u8]) -> Vec<u8> {
    text.strip_suffix(b"\n").unwrap_or(text).to_vec()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use cpu_time::ThreadTime;

    use super::super::texts::MOST_LINES;
    use super::*;

    #[test]
    fn only_the_lines_between_what_is_alike_are_compared() {
        assert_eq!(lines_to_compare(b"", b""), 2);
        assert_eq!(lines_to_compare(b"a\nb\nc\n", b"a\nB\nc\n"), 2);
        assert_eq!(lines_to_compare(b"a\nb\nc\n", b"x\ny\nz\n"), 6);
        let long = "same\n".repeat(100_000);
        let (old, new) = (format!("{long}a\n{long}"), format!("{long}b\n{long}"));
        assert_eq!(lines_to_compare(old.as_bytes(), new.as_bytes()), 2);
    }

    #[test]
    fn lines_are_counted_with_the_last_one() {
        assert_eq!(lines(b""), 0);
        assert_eq!(lines(b"a\nb"), 2);
        assert_eq!(lines(b"a\nb\n"), 2);
        assert_eq!(lines(b"a\n\0"), 0);
    }

    /// The headings are those of `git diff`.
    #[test]
    fn a_heading_ends_where_git_ends_it() {
        let header = |heading: &[u8]| {
            let old = [heading, b"\n1\n2\n3\n4\n"].concat();
            let new = [heading, b"\n1\n2\n3\n5\n"].concat();
            of(&old, &new).unwrap().remove(0).header
        };
        let cut = [b"@@ -2,4 +2,4 @@ f", &b"x".repeat(78)[..]].concat();
        assert_eq!(
            header(&[b"f", &b"x".repeat(100)[..]].concat()),
            [&cut[..], b"x"].concat()
        );
        assert_eq!(header(format!("f{}\u{e9}", "x".repeat(78)).as_bytes()), cut);
        assert_eq!(
            header(format!("f{}  \u{e9}", "x".repeat(77)).as_bytes()),
            cut[..cut.len() - 1]
        );
        assert_eq!(header(b"caf\xe9 au lait"), b"@@ -2,4 +2,4 @@ caf");
        assert_eq!(header(b"caf \xe9"), b"@@ -2,4 +2,4 @@ caf ");
        assert_eq!(header(b"f  "), b"@@ -2,4 +2,4 @@ f");
    }

    /// Repeated lines take longest. This build is not optimized.
    #[test]
    fn the_most_lines_take_bounded_processor_time() {
        let tangled = |step: usize| {
            let lines = (0..MOST_LINES / 2).map(|at| at * step % 61 + at * at % 13);
            lines
                .map(|number| format!("{number}\n"))
                .collect::<String>()
        };
        let start = ThreadTime::now();
        let counted = count(tangled(7).as_bytes(), tangled(11).as_bytes()).unwrap();
        assert!(counted.0 > 0);
        let took = start.elapsed();
        assert!(took < Duration::from_secs(30), "{took:?}");
    }
}
