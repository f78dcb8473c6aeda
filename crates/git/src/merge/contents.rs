//! Merges the modes and contents of one file.

use super::workspace::MergeEntry;
use super::{Conflicts, MergedEntry, Merger, text};
use crate::diff;
use crate::objects::Object;
use crate::tree::Mode;
use crate::{GitError, Sha};
use storage::heavy;

/// Three texts with more bytes together are not merged.
const LARGEST_TEXTS: i64 = 3 * diff::LARGEST_TEXT;

impl Merger<'_> {
    /// Merges two versions of a file.
    pub(super) async fn entry(
        &mut self,
        base: Option<MergeEntry>,
        ours: MergeEntry,
        theirs: MergeEntry,
    ) -> Result<MergedEntry, GitError> {
        if ours == theirs || Some(theirs) == base {
            return Ok(MergedEntry::As(ours));
        }
        if Some(ours) == base {
            return Ok(MergedEntry::As(theirs));
        }
        if !ours.mode.is_regular() || !theirs.mode.is_regular() {
            return Ok(self.unmerged(base));
        }
        let mode = three_way(base.map(|base| base.mode), ours.mode, theirs.mode);
        let mode = match (mode, self.conflicts) {
            (Some(mode), _) => mode,
            (None, Conflicts::Marked { .. }) => ours.mode,
            (None, Conflicts::Refused) => return Ok(MergedEntry::Conflict),
        };
        let base = base.map(|base| base.sha);
        if let Some(sha) = three_way(base, ours.sha, theirs.sha) {
            return Ok(MergedEntry::As(MergeEntry { mode, sha }));
        }
        self.texts(mode, [base, Some(ours.sha), Some(theirs.sha)])
            .await
    }

    /// The result for a file that cannot be merged by lines.
    fn unmerged(&self, base: Option<MergeEntry>) -> MergedEntry {
        match (self.conflicts, base) {
            (Conflicts::Marked { .. }, Some(base)) => MergedEntry::As(base),
            _ => MergedEntry::Conflict,
        }
    }

    async fn texts(
        &mut self,
        mode: Mode,
        files: [Option<Sha>; 3],
    ) -> Result<MergedEntry, GitError> {
        let Some(texts) = self.workspace.texts(files, LARGEST_TEXTS).await? else {
            return Ok(MergedEntry::TooLarge);
        };
        if texts.iter().any(|text| diff::is_binary(text)) {
            let base = files[0].map(|sha| MergeEntry { mode, sha });
            return Ok(self.unmerged(base));
        }
        let [base, ours, theirs] = texts;
        let lines = [&ours, &theirs].map(|text| diff::hunks::lines_to_compare(&base, text));
        if !heavy::spend_lines(lines.iter().sum()) {
            return Ok(MergedEntry::TooLarge);
        }
        let markers = match self.conflicts {
            Conflicts::Refused => None,
            Conflicts::Marked { depth } => Some(text::ConflictMarkers::at(depth)),
        };
        let merge = move || text::merge(&base, &ours, &theirs, markers);
        Ok(match heavy::compute(merge).await? {
            Some(merged) => MergedEntry::As(MergeEntry {
                mode,
                sha: self.workspace.overlay.add(Object::blob(merged)),
            }),
            None => MergedEntry::Conflict,
        })
    }
}

/// The value that one side or both have changed, or None if they disagree.
fn three_way<T: PartialEq + Copy>(base: Option<T>, ours: T, theirs: T) -> Option<T> {
    if ours == theirs || base == Some(theirs) {
        Some(ours)
    } else if base == Some(ours) {
        Some(theirs)
    } else {
        None
    }
}
