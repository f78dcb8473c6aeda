//! How one side of a merge changed the paths of the base: its renames, and the directories that
//! it moved as a whole.

use std::collections::{HashMap, HashSet};

use super::workspace::Workspace;
use crate::diff::{FileChange, FileStatus};
use crate::tree::Mode;
use crate::{GitError, Sha};

/// The paths that a side of a merge changed.
#[derive(Debug, Default)]
pub(super) struct SideChanges {
    /// From the old path to the new one.
    renames: HashMap<Vec<u8>, Vec<u8>>,
    /// Paths that the base does not have.
    added: Vec<Vec<u8>>,
    /// Directories of the base that are gone because their files were renamed elsewhere.
    moved: HashSet<Vec<u8>>,
}

impl SideChanges {
    /// From the tree of the base to that of the side; None if too much has changed.
    pub async fn between(
        workspace: &mut Workspace<'_>,
        base: Sha,
        tree: Sha,
    ) -> Result<Option<Self>, GitError> {
        match workspace.changes(base, tree).await? {
            Some(changes) => Self::of(workspace, &changes, tree).await.map(Some),
            None => Ok(None),
        }
    }

    /// The changes that lead to a tree.
    pub async fn of(
        workspace: &mut Workspace<'_>,
        changes: &[FileChange],
        tree: Sha,
    ) -> Result<Self, GitError> {
        let mut side = Self::default();
        let mut abandoned = HashSet::new();
        for change in changes {
            match (&change.old, &change.new, change.status) {
                (_, Some(new), FileStatus::Added) => side.added.push(new.path.clone()),
                (Some(old), Some(new), FileStatus::Renamed { .. }) => {
                    abandoned.extend(abandoned_directories(&old.path, &new.path));
                    side.added.push(new.path.clone());
                    side.renames.insert(old.path.clone(), new.path.clone());
                }
                _ => {}
            }
        }
        for directory in abandoned {
            let entry = workspace.find(tree, &directory).await?;
            if entry.is_none_or(|entry| entry.mode != Mode::Tree) {
                side.moved.insert(directory);
            }
        }
        Ok(side)
    }

    /// Where the side has moved a file to.
    pub fn renamed(&self, path: &[u8]) -> Option<&Vec<u8>> {
        self.renames.get(path)
    }

    /// Whether the other side added a file to a directory that this one moved. Git asks the user
    /// where the file belongs, so it is a conflict.
    pub fn moved_from_under(&self, other: &Self) -> bool {
        if self.moved.is_empty() {
            return false;
        }
        let mut directories = other.added.iter().flat_map(|path| parents(path));
        directories.any(|directory| self.moved.contains(directory))
    }
}

/// The directories above a path, the nearest first.
fn parents(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    let slashes = path.iter().enumerate().rev();
    slashes
        .filter(|(_, byte)| **byte == b'/')
        .map(|(at, _)| &path[..at])
}

/// The directories that a rename leaves for another of the same inner structure: of
/// `a/b/x` to `c/b/x` these are `a/b` and `a`.
fn abandoned_directories(old: &[u8], new: &[u8]) -> Vec<Vec<u8>> {
    let mut abandoned = Vec::new();
    let (mut old, mut new) = (split(old).0, split(new).0);
    while let Some(from) = old.filter(|_| old != new) {
        abandoned.push(from.to_vec());
        let Some(to) = new else {
            break;
        };
        let (above, name) = split(from);
        let (new_above, new_name) = split(to);
        if name != new_name {
            break;
        }
        (old, new) = (above, new_above);
    }
    abandoned
}

/// The directory of a path, and the name in it.
pub(super) fn split(path: &[u8]) -> (Option<&[u8]>, &[u8]) {
    match path.iter().rposition(|byte| *byte == b'/') {
        Some(at) => (Some(&path[..at]), &path[at + 1..]),
        None => (None, path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn abandoned(old: &str, new: &str) -> Vec<String> {
        let abandoned = abandoned_directories(old.as_bytes(), new.as_bytes());
        abandoned
            .into_iter()
            .map(|path| String::from_utf8(path).unwrap())
            .collect()
    }

    #[test]
    fn a_rename_leaves_the_directories_that_moved_with_it() {
        assert_eq!(abandoned("a/x", "b/x"), ["a"]);
        assert_eq!(abandoned("a/b/x", "c/b/y"), ["a/b", "a"]);
        assert_eq!(abandoned("a/b/x", "c/d/x"), ["a/b"]);
        assert_eq!(abandoned("a/x", "x"), ["a"]);
        assert_eq!(abandoned("a/x", "a/y"), [""; 0]);
        assert_eq!(abandoned("x", "a/x"), [""; 0]);
    }
}
