//! Three-way merges of trees, with the results of `git merge`: renames are followed, texts
//! are merged by lines, and whatever Git calls a conflict is one.
//!
//! A merge applies the changes from the base to one side (`theirs`) to the other (`ours`).
//! After criss-cross merges there are several bases; the best one is used, where Git would
//! first merge the bases with each other. Nothing is stored here: the caller stores the
//! objects that were made.

mod replay;
mod side;
mod text;
mod workspace;

use sea_orm::ConnectionTrait;

use super::diff::{self, FileChange, Status};
use super::objects::Object;
use super::tree::Mode;
use super::{GitError, Sha};
use crate::heavy;
pub use replay::{Onto, Replayed, replay};
pub use side::Side;
use workspace::{Edited, Edits, Entry, Workspace};

/// Changes of more files are not merged.
const MOST_FILES: usize = 20_000;

/// Three texts with more bytes together are not merged.
const LARGEST_TEXTS: i64 = 3 * diff::LARGEST_TEXT;

/// The outcome of a merge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Merge {
    /// The merged tree.
    Tree(Sha),
    Conflict,
    /// More work than one request may cause.
    TooLarge,
}

/// Merges trees of one repository.
pub struct Merger<'a, C> {
    workspace: Workspace<'a, C>,
}

/// What one change comes to.
enum Resolution {
    /// The edits that it takes, if any.
    Edits(Vec<(Vec<u8>, Option<Entry>)>),
    Conflict,
    TooLarge,
}

/// A merged file.
enum MergedEntry {
    As(Entry),
    Conflict,
    TooLarge,
}

impl<'a, C: ConnectionTrait> Merger<'a, C> {
    pub fn new(connection: &'a C, repository_id: i64) -> Self {
        Self {
            workspace: Workspace::new(connection, repository_id),
        }
    }

    /// The objects that were made.
    pub fn into_objects(self) -> Vec<Object> {
        self.workspace.into_objects()
    }

    /// Merges two trees that come from a third. All are stored.
    pub async fn merge(&mut self, base: Sha, ours: Sha, theirs: Sha) -> Result<Merge, GitError> {
        if base == theirs || ours == theirs {
            return Ok(Merge::Tree(ours));
        }
        if base == ours {
            return Ok(Merge::Tree(theirs));
        }
        let Workspace {
            connection,
            repository_id,
            ..
        } = self.workspace;
        match Side::between(connection, repository_id, base, ours).await? {
            Some(side) => self.apply(base, theirs, ours, &side).await,
            None => Ok(Merge::TooLarge),
        }
    }

    /// Applies the changes between two stored trees to a third, which may have been made
    /// here. `side` is what led there.
    async fn apply(
        &mut self,
        base: Sha,
        theirs: Sha,
        ours: Sha,
        side: &Side,
    ) -> Result<Merge, GitError> {
        let Workspace {
            connection,
            repository_id,
            ..
        } = self.workspace;
        let changes = diff::changes(connection, repository_id, base, theirs).await?;
        let Some(changes) = changes.filter(|changes| changes.len() <= MOST_FILES) else {
            return Ok(Merge::TooLarge);
        };
        let other = Side::of(connection, repository_id, &changes, theirs).await?;
        if side.moved_from_under(&other) || other.moved_from_under(side) {
            return Ok(Merge::Conflict);
        }
        let mut edits = Edits::new();
        for change in &changes {
            match self.resolve(change, ours, side).await? {
                Resolution::Edits(made) => edits.extend(made),
                Resolution::Conflict => return Ok(Merge::Conflict),
                Resolution::TooLarge => return Ok(Merge::TooLarge),
            }
        }
        Ok(match self.workspace.edit(ours, edits).await? {
            Edited::Tree(sha) => Merge::Tree(sha),
            Edited::Clash => Merge::Conflict,
        })
    }

    async fn resolve(
        &mut self,
        change: &FileChange,
        ours: Sha,
        side: &Side,
    ) -> Result<Resolution, GitError> {
        let entry = |file: &diff::File| Entry {
            mode: file.mode,
            sha: file.sha,
        };
        match (&change.old, &change.new) {
            (None, None) => Ok(Resolution::Edits(Vec::new())),
            (None, Some(new)) => self.put(ours, &new.path, None, entry(new)).await,
            (Some(old), None) => {
                let mine = self.file(ours, &old.path).await?;
                Ok(match mine {
                    None if side.renamed(&old.path).is_some() => Resolution::Conflict,
                    None => Resolution::Edits(Vec::new()),
                    Some(mine) if mine == entry(old) => {
                        Resolution::Edits(vec![(old.path.clone(), None)])
                    }
                    Some(_) => Resolution::Conflict,
                })
            }
            (Some(old), Some(new)) => {
                let mine = self.file(ours, &old.path).await?;
                let moved = matches!(change.status, Status::Renamed { .. });
                match (mine, side.renamed(&old.path)) {
                    (None, None) => Ok(Resolution::Conflict),
                    (None, Some(elsewhere)) if moved && *elsewhere != new.path => {
                        Ok(Resolution::Conflict)
                    }
                    (None, Some(elsewhere)) => {
                        let base = Some(entry(old));
                        self.put(ours, elsewhere, base, entry(new)).await
                    }
                    (Some(mine), _) if moved => {
                        let made = self.entry(Some(entry(old)), mine, entry(new)).await?;
                        self.rename(ours, &old.path, &new.path, made).await
                    }
                    (Some(_), _) => {
                        let base = Some(entry(old));
                        self.put(ours, &new.path, base, entry(new)).await
                    }
                }
            }
        }
    }

    /// Gives a path a new content, merged with what we have there.
    async fn put(
        &mut self,
        ours: Sha,
        path: &[u8],
        base: Option<Entry>,
        theirs: Entry,
    ) -> Result<Resolution, GitError> {
        let made = match self.file(ours, path).await? {
            Some(mine) => self.entry(base, mine, theirs).await?,
            None if base.is_some() => MergedEntry::Conflict,
            None => MergedEntry::As(theirs),
        };
        Ok(match made {
            MergedEntry::As(made) => Resolution::Edits(vec![(path.to_vec(), Some(made))]),
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
        made: MergedEntry,
    ) -> Result<Resolution, GitError> {
        let made = match made {
            MergedEntry::As(made) => made,
            MergedEntry::Conflict => return Ok(Resolution::Conflict),
            MergedEntry::TooLarge => return Ok(Resolution::TooLarge),
        };
        let taken = self.file(ours, new).await?;
        Ok(match taken.is_some_and(|taken| taken != made) {
            true => Resolution::Conflict,
            false => Resolution::Edits(vec![(old.to_vec(), None), (new.to_vec(), Some(made))]),
        })
    }

    /// What a tree has at a path, unless it is a directory.
    async fn file(&mut self, tree: Sha, path: &[u8]) -> Result<Option<Entry>, GitError> {
        let entry = self.workspace.find(tree, path).await?;
        Ok(entry.filter(|entry| entry.mode != Mode::Tree))
    }

    /// Merges a file with itself.
    async fn entry(
        &mut self,
        base: Option<Entry>,
        ours: Entry,
        theirs: Entry,
    ) -> Result<MergedEntry, GitError> {
        if ours == theirs || Some(theirs) == base {
            return Ok(MergedEntry::As(ours));
        }
        if Some(ours) == base {
            return Ok(MergedEntry::As(theirs));
        }
        let mode = three_way(base.map(|base| base.mode), ours.mode, theirs.mode);
        let Some(mode) = mode.filter(|_| ours.mode.is_regular() && theirs.mode.is_regular()) else {
            return Ok(MergedEntry::Conflict);
        };
        if let Some(sha) = three_way(base.map(|base| base.sha), ours.sha, theirs.sha) {
            return Ok(MergedEntry::As(Entry { mode, sha }));
        }
        let files = [base.map(|base| base.sha), Some(ours.sha), Some(theirs.sha)];
        self.texts(mode, files).await
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
            return Ok(MergedEntry::Conflict);
        }
        let [base, ours, theirs] = texts;
        let lines = [&ours, &theirs].map(|text| diff::hunks::lines_to_compare(&base, text));
        if !heavy::spend_lines(lines.iter().sum()) {
            return Ok(MergedEntry::TooLarge);
        }
        let merge = move || text::merge(&base, &ours, &theirs);
        let merged = heavy::compute(merge).await;
        let merged = merged.map_err(|cause| GitError::Repository(cause.to_string()))?;
        Ok(match merged {
            Some(merged) => MergedEntry::As(Entry {
                mode,
                sha: self.workspace.add(Object::blob(merged)),
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
