//! Merges the lines of two texts that come from a third, as Git does: both are compared
//! with it by the histogram algorithm, and changes that touch each other conflict unless
//! they are the same.

mod marks;

use std::ops::Range;

use gix_imara_diff::sources::byte_lines;
use gix_imara_diff::{Algorithm, Diff, InternedInput};

pub use marks::ConflictMarkers;

/// The merged text, or None if the changes conflict and `markers` is None.
pub fn merge(
    base: &[u8],
    ours: &[u8],
    theirs: &[u8],
    markers: Option<ConflictMarkers>,
) -> Option<Vec<u8>> {
    let regions = regions(
        &LineChanges::between(base, ours),
        &LineChanges::between(base, theirs),
    );
    let ours: Vec<&[u8]> = lines(ours);
    let theirs: Vec<&[u8]> = lines(theirs);
    let mut merged = Vec::new();
    let mut copied_lines = 0;
    for region in &regions {
        let (our_lines, their_lines) = (&ours[region.ours.clone()], &theirs[region.theirs.clone()]);
        match region.side {
            MergeSide::Ours => {}
            MergeSide::Theirs => {
                merged.extend(ours[copied_lines..region.ours.start].concat());
                merged.extend(their_lines.concat());
                copied_lines = region.ours.end;
            }
            MergeSide::Both if !our_lines.is_empty() && our_lines == their_lines => {}
            MergeSide::Both => {
                let markers = markers?;
                merged.extend(ours[copied_lines..region.ours.start].concat());
                markers.write(our_lines, their_lines, &mut merged);
                copied_lines = region.ours.end;
            }
        }
    }
    merged.extend(ours[copied_lines..].concat());
    Some(merged)
}

fn lines(text: &[u8]) -> Vec<&[u8]> {
    text.split_inclusive(|byte| *byte == b'\n').collect()
}

/// Lines of the base, and the lines that replace them.
#[derive(Debug, Clone, PartialEq, Eq)]
struct LineChange {
    base: Range<usize>,
    new: Range<usize>,
}

/// The changes of one side, in order.
struct LineChanges {
    changes: Vec<LineChange>,
    /// How many lines the side has more than the base.
    growth: isize,
}

impl LineChanges {
    fn between(base: &[u8], new: &[u8]) -> Self {
        let input = InternedInput::new(byte_lines(base), byte_lines(new));
        let mut diff = Diff::compute(Algorithm::Histogram, &input);
        diff.postprocess_no_heuristic(&input);
        let wide = |range: &Range<u32>| range.start as usize..range.end as usize;
        let changes = diff.hunks().map(|hunk| LineChange {
            base: wide(&hunk.before),
            new: wide(&hunk.after),
        });
        Self {
            changes: changes.collect(),
            growth: input.after.len() as isize - input.before.len() as isize,
        }
    }

    /// How far the side is ahead of the base before its next change.
    fn shift_before(&self, next: Option<&LineChange>) -> isize {
        next.map_or(self.growth, |next| {
            next.new.start as isize - next.base.start as isize
        })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MergeSide {
    Ours,
    Theirs,
    Both,
}

/// Lines of both sides that correspond to the same lines of the base. At least one side has
/// changed some of them.
#[derive(Debug, PartialEq, Eq)]
struct Region {
    side: MergeSide,
    ours: Range<usize>,
    theirs: Range<usize>,
}

/// Walks the changes of both sides through the base.
fn regions(ours: &LineChanges, theirs: &LineChanges) -> Vec<Region> {
    let mut joined = Regions::default();
    let mut mine = ours.changes.iter().peekable();
    let mut other = theirs.changes.iter().peekable();
    loop {
        let next = (mine.peek().copied(), other.peek().copied());
        let shift = (ours.shift_before(next.0), theirs.shift_before(next.1));
        match next {
            (None, None) => return joined.regions,
            (Some(one), two) if two.is_none_or(|two| one.base.end < two.base.start) => {
                joined.push(
                    MergeSide::Ours,
                    one.new.clone(),
                    shifted(&one.base, shift.1),
                );
                mine.next();
            }
            (one, Some(two)) if one.is_none_or(|one| two.base.end < one.base.start) => {
                joined.push(
                    MergeSide::Theirs,
                    shifted(&two.base, shift.0),
                    two.new.clone(),
                );
                other.next();
            }
            (Some(one), Some(two)) => {
                joined.both(one, two);
                if one.base.end >= two.base.end {
                    other.next();
                }
                if two.base.end >= one.base.end {
                    mine.next();
                }
            }
            // Unreachable: the first two arms match a single change.
            (Some(_), None) | (None, Some(_)) => return joined.regions,
        }
    }
}

#[derive(Default)]
struct Regions {
    regions: Vec<Region>,
}

impl Regions {
    fn both(&mut self, one: &LineChange, two: &LineChange) {
        let start = one.base.start.min(two.base.start);
        let end = one.base.end.max(two.base.end);
        let wide = |change: &LineChange| {
            let before = change.base.start - start;
            let after = end - change.base.end;
            // If the side has changed lines on the way, they are in the region before, which
            // this one touches; only its end matters then.
            change.new.start.saturating_sub(before)..change.new.end + after
        };
        self.push(MergeSide::Both, wide(one), wide(two));
    }

    /// Adds a region, or extends the last one if they touch.
    fn push(&mut self, side: MergeSide, ours: Range<usize>, theirs: Range<usize>) {
        match self.regions.last_mut() {
            Some(last) if ours.start <= last.ours.end || theirs.start <= last.theirs.end => {
                if last.side != side {
                    last.side = MergeSide::Both;
                }
                last.ours.end = ours.end;
                last.theirs.end = theirs.end;
            }
            _ => self.regions.push(Region { side, ours, theirs }),
        }
    }
}

/// Where lines of the base stand on a side, by how far it is ahead of the base there.
fn shifted(base: &Range<usize>, shift: isize) -> Range<usize> {
    base.start.saturating_add_signed(shift)..base.end.saturating_add_signed(shift)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merged(base: &str, ours: &str, theirs: &str) -> Option<String> {
        let text = |words: &str| words.replace(' ', "\n") + "\n";
        let merged = merge(
            text(base).as_bytes(),
            text(ours).as_bytes(),
            text(theirs).as_bytes(),
            None,
        )?;
        let merged = String::from_utf8(merged).unwrap();
        Some(merged.trim_end().replace('\n', " "))
    }

    #[test]
    fn changes_apart_are_joined_and_changes_that_touch_conflict() {
        let base = "a b c d e";
        for (ours, theirs, expected) in [
            ("A b c d e", "a b c d E", Some("A b c d E")),
            ("b c d e", "a b c d", Some("b c d")),
            ("x a b c d e", "a b c d e y", Some("x a b c d e y")),
            ("a B c d e", "a b C d e", None),
            ("a B c d e", "a X c d e", None),
            ("a b d e", "a b C d e", None),
            ("a b c x d e", "a b c y d e", None),
            ("d e", "a c D e", None),
        ] {
            assert_eq!(merged(base, ours, theirs).as_deref(), expected, "{ours}");
        }
    }

    #[test]
    fn the_same_change_on_both_sides_is_made_once() {
        assert_eq!(merged("a b c", "a B c", "a B c").as_deref(), Some("a B c"));
        assert_eq!(
            merged("a b c d e", "A b c d E", "A b c d e").as_deref(),
            Some("A b c d E")
        );
    }

    #[test]
    fn a_last_line_without_an_end_is_another_line() {
        assert_eq!(merge(b"a\nb", b"a\nb\n", b"A\nb", None), None);
        let base = b"a\nm\nb";
        let merged = merge(base, b"a\nm\nb\n", b"A\nm\nb", None);
        assert_eq!(merged.as_deref(), Some(&b"A\nm\nb\n"[..]));
    }
}
