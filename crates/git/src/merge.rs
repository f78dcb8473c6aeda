//! Three-way merges of trees, with the results of `git merge`: renames are followed, texts
//! are merged by lines, and whatever Git calls a conflict is one.
//!
//! A merge applies the changes from the base to one side (`theirs`) to the other (`ours`).
//! Nothing is stored here: the caller stores the objects that were made.

mod ancestors;
mod contents;
mod paths;
mod replay;
mod side;
mod text;
mod workspace;

use super::diff::FileChange;
use super::names::GitFile;
use super::objects::Object;
use super::{GitError, Sha, fsck};
pub use replay::{Onto, Replayed, replay};
use side::SideChanges;
use storage::database::Connection;
use workspace::{Edited, Edits, MergeEntry, Workspace};

/// Changes of more files are not merged.
const MOST_FILES: usize = 20_000;

/// The outcome of a merge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Merge {
    /// The merged tree.
    Tree(Sha),
    Conflict,
    /// More work than one request may cause.
    TooLarge,
}

/// How conflicts are handled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Conflicts {
    /// The merge fails.
    Refused,
    /// In an ancestor: texts get both sides between conflict markers, which are longer at
    /// greater depth; everything else stays as in the base. Only name conflicts remain.
    Marked { depth: usize },
}

/// Merges trees of one repository.
pub struct Merger<'a> {
    workspace: Workspace<'a>,
    conflicts: Conflicts,
}

/// How one change is resolved.
enum Resolution {
    /// The edits to make, if any.
    Edits(Vec<(Vec<u8>, Option<MergeEntry>)>),
    Conflict,
    TooLarge,
}

/// A merged file.
enum MergedEntry {
    As(MergeEntry),
    Conflict,
    TooLarge,
}

impl<'a> Merger<'a> {
    pub fn new(connection: &'a Connection, repository_id: i64) -> Self {
        Self {
            workspace: Workspace::new(connection, repository_id),
            conflicts: Conflicts::Refused,
        }
    }

    /// The new objects.
    pub fn into_objects(self) -> Vec<Object> {
        self.workspace.overlay.into_objects()
    }

    /// Merges two trees that come from a third.
    pub async fn merge(&mut self, base: Sha, ours: Sha, theirs: Sha) -> Result<Merge, GitError> {
        if base == theirs || ours == theirs {
            return Ok(Merge::Tree(ours));
        }
        if base == ours {
            return Ok(Merge::Tree(theirs));
        }
        match SideChanges::between(&mut self.workspace, base, ours).await? {
            Some(side) => Box::pin(self.apply(base, theirs, ours, &side)).await,
            None => Ok(Merge::TooLarge),
        }
    }

    /// Applies the changes between two trees to a third. `side` has the changes that led there.
    async fn apply(
        &mut self,
        base: Sha,
        theirs: Sha,
        ours: Sha,
        side: &SideChanges,
    ) -> Result<Merge, GitError> {
        let changes = self.workspace.changes(base, theirs).await?;
        let Some(changes) = changes.filter(|changes| changes.len() <= MOST_FILES) else {
            return Ok(Merge::TooLarge);
        };
        let other = SideChanges::of(&mut self.workspace, &changes, theirs).await?;
        let moved = side.moved_from_under(&other) || other.moved_from_under(side);
        if moved && self.conflicts == Conflicts::Refused {
            return Ok(Merge::Conflict);
        }
        let mut edits = Edits::new();
        for change in &changes {
            // Boxed, because its large future would be part of every caller's future.
            match Box::pin(self.resolve(change, ours, side)).await? {
                Resolution::Edits(new_edits) => edits.extend(new_edits),
                Resolution::Conflict => return Ok(Merge::Conflict),
                Resolution::TooLarge => return Ok(Merge::TooLarge),
            }
        }
        if self.conflicts == Conflicts::Refused && self.has_unsafe_file(&edits, &changes).await? {
            return Ok(Merge::Conflict);
        }
        Ok(match self.workspace.edit(ours, edits).await? {
            Edited::Tree(sha) => Merge::Tree(sha),
            Edited::Clash => Merge::Conflict,
            Edited::TooLarge => Merge::TooLarge,
        })
    }

    /// Whether a merge makes a file that Git itself reads and that a push could not bring. Files of
    /// either side were checked when they came, except under a new name.
    async fn has_unsafe_file(
        &self,
        edits: &Edits,
        changes: &[FileChange],
    ) -> Result<bool, GitError> {
        for (path, entry) in edits {
            let Some(MergeEntry { mode, sha }) = *entry else {
                continue;
            };
            let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
            let Some(file) = GitFile::of(mode, name) else {
                continue;
            };
            let mut new_files = changes.iter().filter_map(|change| change.new.as_ref());
            if new_files.any(|new| new.path == *path && new.sha == sha) {
                continue;
            }
            let most = fsck::LARGEST_GIT_FILE.cast_signed();
            let texts = self.workspace.texts([Some(sha), None, None], most).await?;
            let is_safe =
                texts.is_some_and(|[text, ..]| fsck::git_file_fault(file, &text).is_none());
            if !is_safe {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
