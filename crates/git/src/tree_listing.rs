//! Lists a tree, optionally recursively, within a limit. The limit is needed because a few
//! trees that contain each other repeatedly can expand to more entries than fit in memory.

use std::collections::{HashMap, HashSet};

use super::store::{heads, load_many, load_tree};
use super::tree::{Mode, Tree, TreeEntry};
use super::{GitError, Sha};
use storage::database::Connection;
use storage::entities::git_object::ObjectKind;

/// Trees per query.
const TREES: usize = 100;

/// The entry of that name in each of the trees that has it. One query per 100 trees.
pub async fn entries_named(
    connection: &Connection,
    repository_id: i64,
    trees: HashSet<Sha>,
    name: &[u8],
) -> Result<HashMap<Sha, (Mode, Sha)>, GitError> {
    let trees: Vec<Sha> = trees.into_iter().collect();
    let mut entries = HashMap::new();
    for (sha, object) in load_many(connection, repository_id, &trees).await? {
        let tree = Tree::parse(&object.content)?;
        let entry = tree.entries.into_iter().find(|entry| entry.name == name);
        entries.extend(entry.map(|entry| (sha, (entry.mode, entry.sha))));
    }
    Ok(entries)
}

/// The limits of a listing.
#[derive(Debug, Clone, Copy)]
pub struct ListingLimit {
    pub entries: usize,
    pub bytes: usize,
    /// Bytes that an entry takes besides its path.
    pub overhead: usize,
}

impl ListingLimit {
    /// The same limit for entries with more overhead.
    pub fn with_overhead(self, overhead: usize) -> Self {
        Self { overhead, ..self }
    }
}

/// Entries in Git's order, each tree before its children.
#[derive(Debug, Default)]
pub struct TreeListing {
    pub entries: Vec<PathEntry>,
    /// Whether the limit cut the listing off, or a tree is not stored.
    pub truncated: bool,
    bytes: usize,
}

/// An entry, by its path from the listed tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathEntry {
    pub path: Vec<u8>,
    pub mode: Mode,
    pub sha: Sha,
    /// The size of a stored file.
    pub size: Option<i64>,
}

/// Lists a tree. If there is too much, lists the entries nearest to the root.
pub async fn list(
    connection: &Connection,
    repository_id: i64,
    tree: Sha,
    recursive: bool,
    limit: ListingLimit,
) -> Result<TreeListing, GitError> {
    let mut listing = TreeListing::default();
    let root = load_tree(connection, repository_id, tree).await?;
    listing.take(b"", root, limit);
    let mut unread = 0;
    while recursive && !listing.truncated && unread < listing.entries.len() {
        let subtrees = listing.trees_from(&mut unread);
        let shas: Vec<_> = subtrees.iter().map(|(_, sha)| *sha).collect();
        let remaining = limit.bytes.saturating_sub(listing.bytes);
        let trees = read(connection, repository_id, &shas, remaining).await?;
        for (path, sha) in &subtrees {
            match trees.get(sha) {
                Some(tree) => listing.take(&[path, &b"/"[..]].concat(), tree.clone(), limit),
                None => listing.truncated = true,
            }
        }
    }
    listing.measure(connection, repository_id).await?;
    listing.entries.sort_by_cached_key(PathEntry::sort_key);
    Ok(listing)
}

impl TreeListing {
    fn take(&mut self, prefix: &[u8], tree: Tree, limit: ListingLimit) {
        for TreeEntry { mode, name, sha } in tree.entries {
            let path = [prefix, &name].concat();
            let bytes = self.bytes + path.len() + limit.overhead;
            if self.entries.len() == limit.entries || bytes > limit.bytes {
                self.truncated = true;
                return;
            }
            self.bytes = bytes;
            self.entries.push(PathEntry {
                path,
                mode,
                sha,
                size: None,
            });
        }
    }

    /// The next trees among the unvisited entries.
    fn trees_from(&self, unread: &mut usize) -> Vec<(Vec<u8>, Sha)> {
        let mut trees = Vec::new();
        while *unread < self.entries.len() && trees.len() < TREES {
            let entry = &self.entries[*unread];
            if entry.mode == Mode::Tree {
                trees.push((entry.path.clone(), entry.sha));
            }
            *unread += 1;
        }
        trees
    }

    async fn measure(
        &mut self,
        connection: &Connection,
        repository_id: i64,
    ) -> Result<(), GitError> {
        let is_blob = |entry: &&PathEntry| entry.mode.kind() == Some(ObjectKind::Blob);
        let blobs = self.entries.iter().filter(is_blob);
        let mut blobs: Vec<_> = blobs.map(|entry| entry.sha).collect();
        blobs.sort_unstable();
        blobs.dedup();
        let heads = heads(connection, repository_id, &blobs).await?;
        for entry in &mut self.entries {
            entry.size = heads.get(&entry.sha).map(|head| head.size);
        }
        Ok(())
    }
}

impl PathEntry {
    /// Git sorts a directory as if its name ended in a slash.
    fn sort_key(&self) -> Vec<u8> {
        let end: &[u8] = if self.mode == Mode::Tree { b"/" } else { b"" };
        [&self.path, end].concat()
    }
}

/// Reads as many of the trees as fit in the limit. An entry takes more space than its
/// tree's bytes, so a tree that does not fit could not be listed whole.
async fn read(
    connection: &Connection,
    repository_id: i64,
    shas: &[Sha],
    mut remaining: usize,
) -> Result<HashMap<Sha, Tree>, GitError> {
    let heads = heads(connection, repository_id, shas).await?;
    let mut fitting: Vec<Sha> = Vec::new();
    for sha in shas {
        let Some(head) = heads.get(sha).filter(|head| head.kind == ObjectKind::Tree) else {
            continue;
        };
        match remaining.checked_sub(usize::try_from(head.size).unwrap_or(usize::MAX)) {
            Some(rest) => remaining = rest,
            None => break,
        }
        fitting.push(*sha);
    }
    fitting.dedup();
    let objects = load_many(connection, repository_id, &fitting).await?;
    let mut trees = HashMap::with_capacity(objects.len() + 1);
    trees.insert(Sha::EMPTY_TREE, Tree::default());
    for (sha, object) in objects {
        trees.insert(sha, Tree::parse(&object.content)?);
    }
    Ok(trees)
}
