//! Trees and texts that a merge reads and creates. New ones stay in memory until the caller
//! stores them, so that one merge can build on another.

use std::collections::{BTreeMap, HashMap};
use std::pin::Pin;
use std::sync::Arc;

use sea_orm::ConnectionTrait;

use crate::git::diff::{FileChange, changes_over};
use crate::git::objects::ObjectKind;
use crate::git::overlay::Overlay;
use crate::git::store::{expect, heads, load, load_tree};
use crate::git::tree::{Mode, Tree, TreeEntry};
use crate::git::{GitError, Sha};

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
}

/// The objects of a repository, and new ones.
pub(super) struct Workspace<'a, C> {
    pub connection: &'a C,
    pub repository_id: i64,
    pub overlay: Overlay,
    trees: HashMap<Sha, Arc<Tree>>,
}

/// A directory that edits change, recursively.
type TreeWrite<'b> = Pin<Box<dyn Future<Output = Result<Option<Edited>, GitError>> + Send + 'b>>;

impl<'a, C: ConnectionTrait> Workspace<'a, C> {
    pub fn new(connection: &'a C, repository_id: i64) -> Self {
        Self {
            connection,
            repository_id,
            overlay: Overlay::default(),
            trees: HashMap::new(),
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
        let edited = self.write(Some(tree), edits).await?;
        Ok(edited.unwrap_or(Edited::Tree(Sha::EMPTY_TREE)))
    }

    /// Edits a directory, or creates one; None if it becomes empty.
    fn write(&mut self, tree: Option<Sha>, edits: Edits) -> TreeWrite<'_> {
        Box::pin(async move {
            let mut entries = match tree {
                Some(sha) => self.tree(sha).await?.entries.clone(),
                None => Vec::new(),
            };
            for (name, edit) in by_name(edits) {
                let index = entries.iter().position(|entry| entry.name == name);
                let old = index.map(|index| entries.swap_remove(index));
                let old = old.map(|TreeEntry { mode, sha, .. }| MergeEntry { mode, sha });
                match self.write_entry(old, edit).await? {
                    Ok(None) => {}
                    Ok(Some(MergeEntry { mode, sha })) => {
                        entries.push(TreeEntry { mode, name, sha });
                    }
                    Err(Clash) => return Ok(Some(Edited::Clash)),
                }
            }
            if entries.is_empty() {
                return Ok(None);
            }
            let object = Tree { entries }.write();
            Ok(Some(Edited::Tree(self.overlay.add(object))))
        })
    }

    async fn write_entry(
        &mut self,
        old: Option<MergeEntry>,
        edit: NameEdit,
    ) -> Result<Result<Option<MergeEntry>, Clash>, GitError> {
        let directory = old.filter(|old| old.mode == Mode::Tree).map(|old| old.sha);
        let file = match edit.itself {
            Some(file) => file,
            None => old.filter(|old| old.mode != Mode::Tree),
        };
        let below = match (directory, edit.below.is_empty()) {
            (Some(sha), true) => Some(Edited::Tree(sha)),
            (None, true) => None,
            (directory, false) => self.write(directory, edit.below).await?,
        };
        Ok(match (file, below) {
            (_, Some(Edited::Clash)) | (Some(_), Some(_)) => Err(Clash),
            (None, Some(Edited::Tree(sha))) => Ok(Some(MergeEntry {
                mode: Mode::Tree,
                sha,
            })),
            (file, None) => Ok(file),
        })
    }
}

struct Clash;

/// The edits of one name in a directory.
#[derive(Default)]
struct NameEdit {
    itself: Option<Option<MergeEntry>>,
    /// Edits below it, by the rest of their paths.
    below: Edits,
}

fn by_name(edits: Edits) -> BTreeMap<Vec<u8>, NameEdit> {
    let mut names: BTreeMap<Vec<u8>, NameEdit> = BTreeMap::new();
    for (path, entry) in edits {
        match path.iter().position(|byte| *byte == b'/') {
            Some(at) => {
                let name = names.entry(path[..at].to_vec()).or_default();
                name.below.insert(path[at + 1..].to_vec(), entry);
            }
            None => names.entry(path).or_default().itself = Some(entry),
        }
    }
    names
}
