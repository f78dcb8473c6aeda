//! Trees and texts that a merge reads and creates. New ones stay in memory until the caller
//! stores them, so that one merge can build on another.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use super::side::split;
use crate::diff::{FileChange, changes_over};
use crate::objects::ObjectKind;
use crate::overlay::Overlay;
use crate::store::{expect, heads, load, load_tree};
use crate::tree::{Mode, Tree, TreeEntry};
use crate::{GitError, Sha};
use storage::database::Connection;

/// The new entry for each path; None deletes it.
pub(super) type Edits = BTreeMap<Vec<u8>, Option<MergeEntry>>;

/// A file, a link or a submodule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MergeEntry {
    pub mode: Mode,
    pub sha: Sha,
}

/// A tree after edits.
pub(super) enum Edited {
    Tree(Sha),
    /// A file and a directory have the same path.
    Clash,
    /// More directories than one merge may edit.
    TooLarge,
}

/// Bytes of the paths of the directories that one merge may edit.
const MOST_BYTES: usize = 16 * 1024 * 1024;

/// Bytes of the trees that one merge may write.
const MOST_WRITTEN: usize = 64 * 1024 * 1024;

/// Entries of trees that are kept to be read again.
const CACHED_ENTRIES: usize = 500_000;

/// The objects of a repository, and new ones.
pub(super) struct Workspace<'a> {
    pub connection: &'a Connection,
    pub repository_id: i64,
    pub overlay: Overlay,
    trees: HashMap<Sha, Arc<Tree>>,
    /// The entries of these.
    cached_entries: usize,
}

impl<'a> Workspace<'a> {
    pub fn new(connection: &'a Connection, repository_id: i64) -> Self {
        Self {
            connection,
            repository_id,
            overlay: Overlay::default(),
            trees: HashMap::new(),
            cached_entries: 0,
        }
    }

    /// The files that differ between two trees; None if they are too many.
    pub async fn changes(&self, old: Sha, new: Sha) -> Result<Option<Vec<FileChange>>, GitError> {
        let (connection, id) = (self.connection, self.repository_id);
        changes_over(connection, id, &self.overlay, old, new).await
    }

    async fn tree(&mut self, sha: Sha) -> Result<Arc<Tree>, GitError> {
        if let Some(tree) = self.trees.get(&sha) {
            return Ok(tree.clone());
        }
        let tree = match self.overlay.get(sha) {
            Some(object) => Tree::parse(&object.content)?,
            None => load_tree(self.connection, self.repository_id, sha).await?,
        };
        let tree = Arc::new(tree);
        self.cached_entries += tree.entries.len();
        if self.cached_entries > CACHED_ENTRIES {
            self.trees.clear();
            self.cached_entries = tree.entries.len();
        }
        self.trees.insert(sha, tree.clone());
        Ok(tree)
    }

    /// The entry of a tree at a path.
    pub async fn find(&mut self, tree: Sha, path: &[u8]) -> Result<Option<MergeEntry>, GitError> {
        let mut at = MergeEntry {
            mode: Mode::Tree,
            sha: tree,
        };
        for name in path.split(|byte| *byte == b'/') {
            if at.mode != Mode::Tree {
                return Ok(None);
            }
            let tree = self.tree(at.sha).await?;
            let entry = tree.entries.iter().find(|entry| entry.name == name);
            let Some(TreeEntry { mode, sha, .. }) = entry.cloned() else {
                return Ok(None);
            };
            at = MergeEntry { mode, sha };
        }
        Ok(Some(at))
    }

    /// The contents of files, or None if they have more than this many bytes together.
    pub async fn texts(
        &self,
        files: [Option<Sha>; 3],
        most: i64,
    ) -> Result<Option<[Vec<u8>; 3]>, GitError> {
        let shas = files.into_iter().flatten();
        let (new_objects, stored): (Vec<Sha>, Vec<Sha>) =
            shas.partition(|sha| self.overlay.get(*sha).is_some());
        let sizes = heads(self.connection, self.repository_id, &stored).await?;
        let stored: i64 = sizes.values().map(|head| head.size).sum();
        let new_objects = new_objects.iter().filter_map(|sha| self.overlay.get(*sha));
        let new_objects: usize = new_objects.map(|object| object.content.len()).sum();
        if stored.saturating_add_unsigned(new_objects as u64) > most {
            return Ok(None);
        }
        let mut texts = [const { Vec::new() }; 3];
        for (text, sha) in texts.iter_mut().zip(files) {
            if let Some(sha) = sha {
                *text = self.text(sha).await?;
            }
        }
        Ok(Some(texts))
    }

    async fn text(&self, sha: Sha) -> Result<Vec<u8>, GitError> {
        let object = match self.overlay.get(sha) {
            Some(object) => Some(object.clone()),
            None => load(self.connection, self.repository_id, sha).await?,
        };
        expect(sha, object, ObjectKind::Blob)
    }

    /// Edits a tree. Reads only the directories that the edits touch.
    pub async fn edit(&mut self, tree: Sha, edits: Edits) -> Result<Edited, GitError> {
        let Some(mut touched) = directories(edits) else {
            return Ok(Edited::TooLarge);
        };
        // A directory comes after those above it, so its own name is known when its turn comes.
        let mut names: HashMap<Vec<u8>, Sha> = HashMap::from([(Vec::new(), tree)]);
        for (path, directory) in &mut touched {
            directory.tree = names.remove(path);
            let Some(sha) = directory.tree else {
                continue;
            };
            for entry in &self.tree(sha).await?.entries {
                let below = directory.edits.get(&entry.name);
                if entry.mode == Mode::Tree && below.is_some_and(|edit| edit.below) {
                    names.insert(join(path, &entry.name), entry.sha);
                }
            }
        }
        // The new names of directories; those that become empty have none.
        let mut written: HashMap<Vec<u8>, Sha> = HashMap::new();
        let mut bytes = 0;
        while let Some((path, TouchedDirectory { tree, edits })) = touched.pop_last() {
            let mut entries = match tree {
                Some(sha) => self.tree(sha).await?.entries.clone(),
                None => Vec::new(),
            };
            let mut places: HashMap<Vec<u8>, usize> = (0..)
                .zip(&entries)
                .map(|(place, entry)| (place, &entry.name))
                .filter(|(_, name)| edits.contains_key(*name))
                .map(|(place, name)| (name.clone(), place))
                .collect();
            let mut removed = HashSet::new();
            for (name, edit) in edits {
                let old = places.remove(&name);
                let below = written.remove(&join(&path, &name));
                let Ok(entry) = edit.apply(old.map(|place| &entries[place]), below) else {
                    return Ok(Edited::Clash);
                };
                let entry = entry.map(|MergeEntry { mode, sha }| TreeEntry { mode, name, sha });
                match (old, entry) {
                    (Some(place), Some(entry)) => entries[place] = entry,
                    (Some(place), None) => drop(removed.insert(place)),
                    (None, entry) => entries.extend(entry),
                }
            }
            let mut place = 0..;
            entries.retain(|_| place.next().is_none_or(|place| !removed.contains(&place)));
            if !entries.is_empty() {
                let object = Tree { entries }.write();
                bytes += object.content.len();
                if bytes > MOST_WRITTEN {
                    return Ok(Edited::TooLarge);
                }
                written.insert(path, self.overlay.add(object));
            }
        }
        let root = written.remove(&Vec::new());
        Ok(Edited::Tree(root.unwrap_or(Sha::EMPTY_TREE)))
    }
}

/// A directory that edits touch.
#[derive(Default)]
struct TouchedDirectory {
    /// As it was.
    tree: Option<Sha>,
    edits: BTreeMap<Vec<u8>, NameEdit>,
}

/// The edits of one name in a directory.
#[derive(Default)]
struct NameEdit {
    itself: Option<Option<MergeEntry>>,
    /// Whether there are edits below it.
    below: bool,
}

struct Clash;

impl NameEdit {
    /// The entry after the edit, given the old one, and the new directory if there are edits below.
    fn apply(
        self,
        old: Option<&TreeEntry>,
        below: Option<Sha>,
    ) -> Result<Option<MergeEntry>, Clash> {
        let old = old.map(|TreeEntry { mode, sha, .. }| MergeEntry {
            mode: *mode,
            sha: *sha,
        });
        let (directory, old_file) = match old {
            Some(old) if old.mode == Mode::Tree => (Some(old.sha), None),
            file => (None, file),
        };
        let file = self.itself.unwrap_or(old_file);
        let directory = if self.below { below } else { directory };
        let directory = directory.map(|sha| MergeEntry {
            mode: Mode::Tree,
            sha,
        });
        match (file, directory) {
            (Some(_), Some(_)) => Err(Clash),
            (file, directory) => Ok(file.or(directory)),
        }
    }
}

/// The directories that edits touch, by path; None if they are too many.
fn directories(edits: Edits) -> Option<BTreeMap<Vec<u8>, TouchedDirectory>> {
    let mut directories: BTreeMap<Vec<u8>, TouchedDirectory> = BTreeMap::new();
    let mut bytes = 0;
    directories.insert(Vec::new(), TouchedDirectory::default());
    for (path, entry) in edits {
        let mut rest = &path[..];
        let mut below = false;
        let mut entry = Some(entry);
        loop {
            let (above, name) = split(rest);
            let directory = above.unwrap_or_default();
            let known = directories.contains_key(directory);
            if !known {
                bytes += directory.len() + size_of::<TouchedDirectory>();
                if bytes > MOST_BYTES {
                    return None;
                }
                directories.insert(directory.to_vec(), TouchedDirectory::default());
            }
            if let Some(directory) = directories.get_mut(directory) {
                let edit = directory.edits.entry(name.to_vec()).or_default();
                edit.below |= below;
                if let Some(entry) = entry.take() {
                    edit.itself = Some(entry);
                }
            }
            // Those above a known directory are known.
            match above {
                Some(above) if !known => rest = above,
                _ => break,
            }
            below = true;
        }
    }
    Some(directories)
}

fn join(directory: &[u8], name: &[u8]) -> Vec<u8> {
    match directory {
        [] => name.to_vec(),
        _ => [directory, b"/", name].concat(),
    }
}
