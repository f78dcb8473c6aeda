//! Paths that differ between two trees. Equal directories have equal SHA-1s and are never
//! opened. `renames` detects renames.

use std::collections::{BTreeMap, HashMap};

use super::changes::DiffObjects;
use super::{File, FileChange, FileStatus};
use crate::names::LONGEST_PATH;
use crate::store::{self, PackedChain, load_many_packed, load_tree, unpack};
use crate::tree::{Mode, Tree, TreeEntry};
use crate::{GitError, Sha};
use storage::database::Connection;
use storage::entities::git_object::ObjectKind;

/// Pairs of directories that are read together, and the bytes of a few large ones.
const PAIRS: usize = 250;
const PAIR_BYTES: i64 = 4 * 1024 * 1024;

/// Bytes of the paths of all changes.
const PATH_BYTES: usize = 32 * 1024 * 1024;

/// Two directories at one path; one may be missing.
struct DirectoryPair {
    prefix: Vec<u8>,
    old: Option<Sha>,
    new: Option<Sha>,
}

impl DirectoryPair {
    fn trees(&self) -> impl Iterator<Item = Sha> + use<> {
        [self.old, self.new].into_iter().flatten()
    }
}

/// The entry at a path of a tree, or None. Reads one object per directory along the path.
pub async fn entry_at(
    connection: &Connection,
    repository_id: i64,
    tree: Sha,
    path: &str,
) -> Result<Option<TreeEntry>, GitError> {
    let mut directory = tree;
    let mut names = path.split('/').peekable();
    while let Some(name) = names.next() {
        let tree = load_tree(connection, repository_id, directory).await?;
        let entry = tree
            .entries
            .into_iter()
            .find(|entry| entry.name == name.as_bytes());
        match entry {
            Some(entry) if names.peek().is_none() => return Ok(Some(entry)),
            Some(entry) if entry.mode == Mode::Tree => directory = entry.sha,
            _ => return Ok(None),
        }
    }
    Ok(None)
}

/// All files that differ, ordered by path; None if there are more than `most`, or a path is too
/// long. The limits are needed because a few trees that contain each other repeatedly can expand
/// to more files than fit in memory.
pub(super) async fn compare(
    objects: &DiffObjects<'_>,
    old: Sha,
    new: Sha,
    most: usize,
) -> Result<Option<Vec<FileChange>>, GitError> {
    let mut changes = Vec::new();
    let mut pending = Vec::new();
    if old != new {
        pending.push(DirectoryPair {
            prefix: Vec::new(),
            old: Some(old),
            new: Some(new),
        });
    }
    let mut bytes = 0;
    while !pending.is_empty() {
        let (batch, trees) = read(objects, &mut pending).await?;
        for pair in batch {
            let (changed, opened) = (changes.len(), pending.len());
            compare_pair(&pair, &trees, &mut changes, &mut pending)?;
            let opened = pending[opened..].iter().map(|pair| pair.prefix.len());
            let changed = changes[changed..].iter().map(|change| change.path().len());
            for length in opened.chain(changed) {
                if length > LONGEST_PATH + 1 {
                    return Ok(None);
                }
                bytes += length;
            }
            if changes.len() + pending.len() > most || bytes > PATH_BYTES {
                return Ok(None);
            }
        }
    }
    changes.sort_by(|one, other| one.path().cmp(other.path()));
    Ok(Some(changes))
}

/// Takes the last pairs, as many as are not too large together, and reads their trees.
async fn read(
    objects: &DiffObjects<'_>,
    pending: &mut Vec<DirectoryPair>,
) -> Result<(Vec<DirectoryPair>, BTreeMap<Sha, Tree>), GitError> {
    let DiffObjects {
        connection,
        repository_id,
        overlay,
    } = *objects;
    let mut batch = pending.split_off(pending.len().saturating_sub(PAIRS));
    let shas = batch.iter().flat_map(DirectoryPair::trees);
    let mut shas: Vec<Sha> = shas.filter(|sha| overlay.get(*sha).is_none()).collect();
    shas.sort_unstable();
    shas.dedup();
    let packed = load_many_packed(connection, repository_id, &shas).await?;
    let packed: HashMap<Sha, PackedChain> = packed.into_iter().map(|row| (row.sha, row)).collect();
    let mut bytes = 0;
    let fitting = batch.iter().rev().take_while(|pair| {
        let sizes = pair.trees().filter_map(|sha| packed.get(&sha));
        let size: i64 = sizes.map(PackedChain::size).sum();
        let fits = bytes == 0 || bytes + size <= PAIR_BYTES;
        bytes += size;
        fits
    });
    let rest = batch.len() - fitting.count();
    pending.extend(batch.drain(..rest));
    let mut trees = BTreeMap::new();
    for sha in batch.iter().flat_map(DirectoryPair::trees) {
        if sha == Sha::EMPTY_TREE || trees.contains_key(&sha) {
            continue;
        }
        let object = match packed.get(&sha) {
            Some(row) => Some(unpack(sha, row)?),
            None => overlay.get(sha).cloned(),
        };
        let content = store::expect(sha, object, ObjectKind::Tree)?;
        trees.insert(sha, Tree::parse(&content)?);
    }
    Ok((batch, trees))
}

fn compare_pair(
    pair: &DirectoryPair,
    trees: &BTreeMap<Sha, Tree>,
    changes: &mut Vec<FileChange>,
    pending: &mut Vec<DirectoryPair>,
) -> Result<(), GitError> {
    let entries = |sha: Option<Sha>| {
        let tree = sha.and_then(|sha| trees.get(&sha));
        tree.map_or(&[][..], |tree| &tree.entries)
    };
    let mut names: BTreeMap<&[u8], (Option<&TreeEntry>, Option<&TreeEntry>)> = BTreeMap::new();
    for entry in entries(pair.old) {
        names.entry(&entry.name).or_default().0 = Some(entry);
    }
    for entry in entries(pair.new) {
        names.entry(&entry.name).or_default().1 = Some(entry);
    }
    for (name, (old, new)) in names {
        if let (Some(old), Some(new)) = (old, new)
            && old.sha == new.sha
            && old.mode == new.mode
        {
            continue;
        }
        let path = [&pair.prefix, name].concat();
        let directory = |entry: Option<&TreeEntry>| {
            entry
                .filter(|entry| entry.mode == Mode::Tree)
                .map(|entry| entry.sha)
        };
        if directory(old).is_some() || directory(new).is_some() {
            pending.push(DirectoryPair {
                prefix: [&path[..], b"/"].concat(),
                old: directory(old),
                new: directory(new),
            });
        }
        let file = |entry: Option<&TreeEntry>| {
            entry
                .filter(|entry| entry.mode != Mode::Tree)
                .map(|entry| File {
                    path: path.clone(),
                    mode: entry.mode,
                    sha: entry.sha,
                })
        };
        changes.extend(change(file(old), file(new)));
    }
    Ok(())
}

fn change(old: Option<File>, new: Option<File>) -> Option<FileChange> {
    let status = match (old, new) {
        (None, None) => return None,
        (Some(old), Some(new)) => return changed(old, new),
        (None, new) => FileChange {
            old: None,
            new,
            status: FileStatus::Added,
        },
        (old, None) => FileChange {
            old,
            new: None,
            status: FileStatus::Deleted,
        },
    };
    Some(status)
}

/// The change of a file that exists at the same path in both trees, if it differs.
pub(super) fn changed(old: File, new: File) -> Option<FileChange> {
    if old.sha == new.sha && old.mode == new.mode {
        return None;
    }
    let same_type = old.mode == new.mode || (old.mode.is_regular() && new.mode.is_regular());
    Some(FileChange {
        old: Some(old),
        new: Some(new),
        status: if same_type {
            FileStatus::Modified
        } else {
            FileStatus::TypeChanged
        },
    })
}
