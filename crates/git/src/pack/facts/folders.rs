//! How deep the folders of a pack nest, and how long the paths in them are.

use std::collections::HashMap;

use crate::fsck::NamedObject;
use crate::names::{LONGEST_PATH, MOST_FOLDERS};
use crate::{GitError, Sha};
use storage::entities::git_object::ObjectKind;

/// The trees of a pack, and the folders in each.
///
/// Of a tree that comes as a delta only the folders that its base does not have are kept: the tree
/// counts as at least as deep as its base. Trees outside of the pack count as one level; they were
/// checked when they came.
#[derive(Default)]
pub(super) struct Folders {
    trees: Vec<FolderTree>,
    /// The folders of all trees: the beginnings of their object names, and the lengths of their
    /// names.
    keys: Vec<u64>,
    lengths: Vec<u16>,
    /// The longest name of a file of the current tree.
    longest_file: u16,
}

struct FolderTree {
    sha: Sha,
    /// Where its folders end.
    end: u32,
    longest_file: u16,
}

/// A tree that another is a delta of, and its folders, sorted.
pub(in crate::pack) struct TreeBase {
    pub(in crate::pack) sha: Sha,
    pub(in crate::pack) folders: Vec<Sha>,
}

/// The length of the name of a base, which is at the same level.
const BASE: u16 = u16::MAX;

/// What is below a tree.
#[derive(Clone, Copy, Default)]
struct Extent {
    folders: usize,
    path: usize,
}

/// How far the search has come with a tree.
#[derive(Clone, Copy)]
enum Visit {
    Not,
    Begun(Extent),
    Done(Extent),
}

impl Folders {
    /// Adds an entry of the current tree.
    pub(super) fn add(&mut self, named: &NamedObject, base: Option<&TreeBase>) {
        let known = |base: &TreeBase| base.folders.binary_search(&named.sha).is_ok();
        match named.kind {
            ObjectKind::Tree if base.is_some_and(known) => {}
            ObjectKind::Tree => self.push(named.sha, named.name_length),
            _ => self.longest_file = self.longest_file.max(named.name_length),
        }
    }

    /// Ends the current tree.
    pub(super) fn end(&mut self, sha: Sha, base: Option<&TreeBase>) {
        if let Some(base) = base {
            self.push(base.sha, BASE);
        }
        self.trees.push(FolderTree {
            sha,
            end: self.keys.len() as u32,
            longest_file: std::mem::take(&mut self.longest_file),
        });
    }

    fn push(&mut self, sha: Sha, length: u16) {
        self.keys.push(key(sha));
        self.lengths.push(length);
    }

    /// How many folders are kept.
    pub(super) fn count(&self) -> usize {
        self.keys.len()
    }

    /// Bytes of memory.
    pub(super) fn memory(&self) -> usize {
        self.trees.capacity() * size_of::<FolderTree>()
            + self.keys.capacity() * size_of::<u64>()
            + self.lengths.capacity() * size_of::<u16>()
    }

    /// Finds a tree with too many levels, or with a path that is too long.
    pub(super) fn check(&self) -> Result<(), (Sha, GitError)> {
        let by_key: HashMap<u64, u32> = (0..)
            .zip(&self.trees)
            .map(|(index, tree)| (key(tree.sha), index))
            .collect();
        let mut visits = vec![Visit::Not; self.trees.len()];
        let mut open: Vec<(usize, usize)> = Vec::new();
        for root in 0..self.trees.len() {
            if matches!(visits[root], Visit::Not) {
                visits[root] = Visit::Begun(self.files(root));
                open.push((root, self.start(root)));
            }
            while let Some((tree, at)) = open.pop() {
                let Visit::Begun(mut extent) = visits[tree] else {
                    continue;
                };
                if at == self.trees[tree].end as usize {
                    if let Some(reason) = extent.fault() {
                        let kind = ObjectKind::Tree;
                        let cause = GitError::Malformed { kind, reason };
                        return Err((self.trees[tree].sha, cause));
                    }
                    visits[tree] = Visit::Done(extent);
                    continue;
                }
                let below = by_key.get(&self.keys[at]).map(|below| *below as usize);
                let below_extent = match below.map(|below| visits[below]) {
                    None => Extent::default(),
                    Some(Visit::Done(extent)) => extent,
                    // Names that begin alike; no tree contains itself.
                    Some(Visit::Begun(_)) => Extent::default(),
                    Some(Visit::Not) => {
                        let below = below.unwrap_or_default();
                        visits[below] = Visit::Begun(self.files(below));
                        open.push((tree, at));
                        open.push((below, self.start(below)));
                        continue;
                    }
                };
                extent.add(below_extent, self.lengths[at]);
                visits[tree] = Visit::Begun(extent);
                open.push((tree, at + 1));
            }
        }
        Ok(())
    }

    /// Where the folders of a tree start.
    fn start(&self, tree: usize) -> usize {
        match tree {
            0 => 0,
            _ => self.trees[tree - 1].end as usize,
        }
    }

    fn files(&self, tree: usize) -> Extent {
        Extent {
            folders: 0,
            path: usize::from(self.trees[tree].longest_file),
        }
    }
}

impl Extent {
    /// Adds what is below a folder whose name has this length.
    fn add(&mut self, below: Self, length: u16) {
        let (more, above) = match length {
            BASE => (0, 0),
            _ => (1, usize::from(length) + 1),
        };
        self.folders = self.folders.max(below.folders + more);
        self.path = self.path.max(below.path + above);
    }

    fn fault(self) -> Option<&'static str> {
        if self.folders > MOST_FOLDERS {
            return Some("its folders are nested deeper than 1024 levels");
        }
        (self.path > LONGEST_PATH).then_some("a path in it is longer than 4096 bytes")
    }
}

/// The first bytes of a name.
fn key(sha: Sha) -> u64 {
    let bytes = sha.as_bytes().iter().take(8);
    bytes.fold(0, |key, byte| key << 8 | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sha(number: usize) -> Sha {
        let mut bytes = [0; Sha::BYTES];
        bytes[..8].copy_from_slice(&(number as u64).to_be_bytes());
        Sha::from_bytes(bytes)
    }

    fn folder(number: usize, name_length: u16) -> NamedObject {
        NamedObject {
            sha: sha(number),
            kind: ObjectKind::Tree,
            name_length,
            git_file: None,
        }
    }

    /// Tree 0 has a file; each other tree has the one before it. Added in this order.
    fn chain(order: impl Iterator<Item = usize>, name_length: u16) -> Folders {
        let mut folders = Folders::default();
        for number in order {
            match number {
                0 => folders.add(
                    &NamedObject {
                        kind: ObjectKind::Blob,
                        ..folder(9999, 1)
                    },
                    None,
                ),
                _ => folders.add(&folder(number - 1, name_length), None),
            }
            folders.end(sha(number), None);
        }
        folders
    }

    #[test]
    fn levels_are_counted_in_any_order() {
        for (trees, valid) in [(MOST_FOLDERS + 1, true), (MOST_FOLDERS + 2, false)] {
            assert_eq!(chain(0..trees, 1).check().is_ok(), valid);
            assert_eq!(chain((0..trees).rev(), 1).check().is_ok(), valid);
        }
        let endless = chain((0..300_000).rev(), 1);
        assert!(endless.check().is_err());
    }

    #[test]
    fn the_longest_path_is_found() {
        // 15 folders with 272 bytes and their slashes, and a file with one.
        let length = |name: u16| {
            chain(0..16, name)
                .check()
                .map_err(|(_, error)| error.to_string())
        };
        assert_eq!(length(272), Ok(()));
        assert!(length(273).unwrap_err().contains("longer than 4096"));
    }

    #[test]
    fn a_delta_is_as_deep_as_its_base() {
        let mut folders = chain(0..MOST_FOLDERS + 1, 1);
        let base = TreeBase {
            sha: sha(MOST_FOLDERS),
            folders: vec![sha(MOST_FOLDERS - 1)],
        };
        let before = folders.count();
        folders.add(&folder(MOST_FOLDERS - 1, 1), Some(&base));
        folders.end(sha(5000), Some(&base));
        assert_eq!(folders.count(), before + 1);
        folders.check().unwrap();
        folders.add(&folder(5000, 1), None);
        folders.end(sha(5001), None);
        let (tree, _) = folders.check().unwrap_err();
        assert_eq!(tree, sha(5001));
    }
}
