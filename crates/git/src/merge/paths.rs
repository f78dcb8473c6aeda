//! Applies a change of one file to the other side, which may have changed, renamed or deleted
//! the file as well.

use super::side::SideChanges;
use super::workspace::MergeEntry;
use super::{Conflicts, MergedEntry, Merger, Resolution};
use crate::diff::{File, FileChange, FileStatus};
use crate::tree::Mode;
use crate::{GitError, Sha};

impl From<&File> for MergeEntry {
    fn from(file: &File) -> Self {
        Self {
            mode: file.mode,
            sha: file.sha,
        }
    }
}

impl Merger<'_> {
    pub(super) async fn resolve(
        &mut self,
        change: &FileChange,
        ours: Sha,
        side: &SideChanges,
    ) -> Result<Resolution, GitError> {
        match (&change.old, &change.new) {
            (None, None) => Ok(Resolution::Edits(Vec::new())),
            (None, Some(new)) => self.put(ours, &new.path, None, new.into()).await,
            (Some(old), None) => self.deleted(old, ours, side).await,
            (Some(old), Some(new)) => {
                let moved = matches!(change.status, FileStatus::Renamed { .. });
                self.changed(old, new, moved, ours, side).await
            }
        }
    }

    /// Applies their deletion of a file.
    async fn deleted(
        &mut self,
        old: &File,
        ours: Sha,
        side: &SideChanges,
    ) -> Result<Resolution, GitError> {
        let mine = self.file(ours, &old.path).await?;
        Ok(match mine {
            None if side.renamed(&old.path).is_some() => Resolution::Conflict,
            None => Resolution::Edits(Vec::new()),
            Some(mine) if mine == old.into() => Resolution::Edits(vec![(old.path.clone(), None)]),
            Some(_) => self.disagreed(old),
        })
    }

    /// Applies their change or rename of a file.
    async fn changed(
        &mut self,
        old: &File,
        new: &File,
        moved: bool,
        ours: Sha,
        side: &SideChanges,
    ) -> Result<Resolution, GitError> {
        let base = Some(old.into());
        let mine = self.file(ours, &old.path).await?;
        match (mine, side.renamed(&old.path)) {
            (None, None) if moved => Ok(Resolution::Conflict),
            (None, None) => Ok(self.disagreed(old)),
            (None, Some(elsewhere)) if moved && *elsewhere != new.path => Ok(Resolution::Conflict),
            (None, Some(elsewhere)) => self.put(ours, elsewhere, base, new.into()).await,
            (Some(mine), _) if moved => {
                let merged = self.entry(base, mine, new.into()).await?;
                self.rename(ours, &old.path, &new.path, merged).await
            }
            (Some(_), _) => self.put(ours, &new.path, base, new.into()).await,
        }
    }

    /// One side deleted a file that the other changed.
    fn disagreed(&self, old: &File) -> Resolution {
        match self.conflicts {
            Conflicts::Refused => Resolution::Conflict,
            Conflicts::Marked { .. } => {
                Resolution::Edits(vec![(old.path.clone(), Some(old.into()))])
            }
        }
    }

    /// Writes new content to a path, merged with our content there.
    async fn put(
        &mut self,
        ours: Sha,
        path: &[u8],
        base: Option<MergeEntry>,
        theirs: MergeEntry,
    ) -> Result<Resolution, GitError> {
        let merged = match self.file(ours, path).await? {
            Some(mine) => self.entry(base, mine, theirs).await?,
            None if base.is_some() => MergedEntry::Conflict,
            None => MergedEntry::As(theirs),
        };
        Ok(match merged {
            MergedEntry::As(merged) => Resolution::Edits(vec![(path.to_vec(), Some(merged))]),
            MergedEntry::Conflict => Resolution::Conflict,
            MergedEntry::TooLarge => Resolution::TooLarge,
        })
    }

    /// Moves a file that only they moved.
    async fn rename(
        &mut self,
        ours: Sha,
        old: &[u8],
        new: &[u8],
        merged: MergedEntry,
    ) -> Result<Resolution, GitError> {
        let merged = match merged {
            MergedEntry::As(merged) => merged,
            MergedEntry::Conflict => return Ok(Resolution::Conflict),
            MergedEntry::TooLarge => return Ok(Resolution::TooLarge),
        };
        let existing = self.file(ours, new).await?;
        Ok(match existing.is_some_and(|existing| existing != merged) {
            true => Resolution::Conflict,
            false => Resolution::Edits(vec![(old.to_vec(), None), (new.to_vec(), Some(merged))]),
        })
    }

    /// The entry of a tree at a path, unless it is a directory.
    async fn file(&mut self, tree: Sha, path: &[u8]) -> Result<Option<MergeEntry>, GitError> {
        let entry = self.workspace.find(tree, path).await?;
        Ok(entry.filter(|entry| entry.mode != Mode::Tree))
    }
}
