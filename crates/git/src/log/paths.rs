//! What many trees have at one path. Trees are read many at a time, level by level.

use std::collections::{HashMap, HashSet};

use crate::tree::Mode;
use crate::tree_listing::entries_named;
use crate::walk::CommitCache;
use crate::{GitError, Sha};
use storage::database::Connection;

/// Trees that are read together.
const AT_ONCE: usize = 100;

/// An entry at the path.
pub(super) type EntryAtPath = Option<(Mode, Sha)>;

/// The entries read so far, by root tree.
pub(super) struct PathEntries {
    repository_id: i64,
    names: Vec<Vec<u8>>,
    by_tree: HashMap<Sha, EntryAtPath>,
}

impl PathEntries {
    pub(super) fn new(repository_id: i64, path: &str) -> Self {
        let names = path.split('/').filter(|name| !name.is_empty());
        Self {
            repository_id,
            names: names.map(|name| name.as_bytes().to_vec()).collect(),
            by_tree: HashMap::new(),
        }
    }

    /// The entry of a tree. Also reads ahead for the trees that the walk will visit next.
    pub(super) async fn get(
        &mut self,
        connection: &Connection,
        cache: &CommitCache,
        tree: Sha,
    ) -> Result<EntryAtPath, GitError> {
        if let Some(entry) = self.by_tree.get(&tree) {
            return Ok(*entry);
        }
        let upcoming = cache.trees().into_iter();
        let unread = upcoming.filter(|tree| !self.by_tree.contains_key(tree));
        let mut trees: Vec<Sha> = std::iter::once(tree).chain(unread).take(AT_ONCE).collect();
        trees.sort_unstable();
        trees.dedup();
        self.read(connection, trees).await?;
        Ok(self.by_tree.get(&tree).copied().flatten())
    }

    async fn read(&mut self, connection: &Connection, trees: Vec<Sha>) -> Result<(), GitError> {
        let root = |tree: &Sha| (*tree, Some((Mode::Tree, *tree)));
        let mut at: HashMap<Sha, EntryAtPath> = trees.iter().map(root).collect();
        for name in &self.names {
            let directories: HashSet<Sha> = at
                .values()
                .filter_map(|entry| entry.filter(|(mode, _)| *mode == Mode::Tree))
                .map(|(_, sha)| sha)
                .collect();
            let entries = entries_named(connection, self.repository_id, directories, name).await?;
            for entry in at.values_mut() {
                *entry = match entry {
                    Some((Mode::Tree, sha)) => entries.get(sha).copied(),
                    _ => None,
                };
            }
        }
        self.by_tree.extend(at);
        Ok(())
    }
}
