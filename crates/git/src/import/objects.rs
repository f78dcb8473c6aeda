//! Reads objects of a repository on disk, verifies their SHA-1s, compresses them, and sends
//! them in batches.
//!
//! For each commit, reads only what none of its parents has at the same path. So no set of
//! all visited objects is needed.

use std::collections::HashMap;
use std::rc::Rc;

use git2::{ObjectType, Odb, Oid, Repository};
use tokio::sync::mpsc::Sender;

use super::ImportBatch;
use super::reader::{oid, sha};
use crate::graph::NewCommit;
use crate::names::GitFile;
use crate::objects::Object;
use crate::store::Packer;
use crate::tree::{Mode, Tree, TreeEntry};
use crate::{GitError, Sha, fsck};
use storage::entities::git_object::ObjectKind;

/// The size of a batch.
const BATCH_OBJECTS: usize = 500;
const BATCH_BYTES: usize = 4 * 1024 * 1024;

/// Recent object names that are not read again, and cached trees. Both are cleared when
/// full.
const RECENT: usize = 65_536;
const RECENT_TREES: usize = 4096;

pub(super) struct ObjectImporter<'a> {
    repository: &'a Repository,
    odb: Odb<'a>,
    sender: &'a Sender<ImportBatch>,
    batch: ImportBatch,
    batch_bytes: usize,
    packer: Packer,
    recent: HashMap<Sha, ObjectKind>,
    trees: HashMap<Sha, Rc<Tree>>,
}

/// A tree to read, except for what one of the bases has at the same path.
struct PendingTree {
    tree: Sha,
    bases: Vec<Sha>,
    by: Sha,
    /// The folders above it, and the bytes of its path.
    folders: usize,
    path: usize,
}

impl<'a> ObjectImporter<'a> {
    pub(super) fn new(
        repository: &'a Repository,
        sender: &'a Sender<ImportBatch>,
        commits_total: usize,
    ) -> Result<Self, GitError> {
        Ok(Self {
            repository,
            odb: repository.odb()?,
            sender,
            batch: ImportBatch {
                commits_total,
                ..ImportBatch::default()
            },
            batch_bytes: 0,
            packer: Packer::default(),
            recent: HashMap::new(),
            trees: HashMap::new(),
        })
    }

    pub(super) fn kind(&self, oid: Oid) -> Result<ObjectKind, GitError> {
        kind(&self.odb, oid)
    }

    /// Reads commits, parents first, with all objects that are new in them.
    pub(super) fn read_commits(&mut self, commits: &[Oid]) -> Result<(), GitError> {
        for oid in commits {
            let name = sha(*oid);
            let content = self.read(*oid, ObjectKind::Commit, name)?.content;
            let commit = fsck::commit(&content).map_err(|cause| faulty(name, &cause))?;
            let mut bases = Vec::with_capacity(commit.parents.len());
            for parent in &commit.parents {
                let parent = self.repository.find_commit(self::oid(*parent)?)?;
                bases.push(sha(parent.tree_id()));
            }
            self.read_tree(commit.tree, &bases, name)?;
            self.batch.commits.push(NewCommit::new(name, &commit));
        }
        Ok(())
    }

    /// Reads a tree and everything below it, except for what one of the bases has at the
    /// same path.
    pub(super) fn read_tree(&mut self, tree: Sha, bases: &[Sha], by: Sha) -> Result<(), GitError> {
        let mut pending = vec![PendingTree {
            tree,
            bases: bases.to_vec(),
            by,
            folders: 0,
            path: 0,
        }];
        while let Some(next) = pending.pop() {
            let PendingTree {
                tree,
                bases,
                by,
                folders,
                path,
            } = next;
            if bases.contains(&tree) || self.is_recent(tree, ObjectKind::Tree, by)? {
                continue;
            }
            let content = self.read(oid(tree)?, ObjectKind::Tree, by)?.content;
            let parsed = fsck::tree(&content).map_err(|cause| faulty(tree, &cause))?;
            let parsed = Rc::new(parsed);
            self.cache_tree(tree, &parsed);
            fsck::nesting(folders, path, &parsed).map_err(|cause| faulty(tree, &cause))?;
            let bases = bases
                .into_iter()
                .map(|base| self.tree(base))
                .collect::<Result<Vec<_>, _>>()?;
            let bases: Vec<HashMap<&[u8], &TreeEntry>> =
                bases.iter().map(|tree| by_name(tree)).collect();
            for entry in &parsed.entries {
                let at_path = bases.iter().filter_map(|base| base.get(&entry.name[..]));
                let unchanged = |base: &&TreeEntry| {
                    base.sha == entry.sha && base.mode.kind() == entry.mode.kind()
                };
                match entry.mode {
                    _ if at_path.clone().any(unchanged) => {}
                    Mode::Submodule => {}
                    Mode::Tree => {
                        let trees = at_path.filter(|base| base.mode == Mode::Tree);
                        pending.push(PendingTree {
                            tree: entry.sha,
                            bases: trees.map(|base| base.sha).collect(),
                            by: tree,
                            folders: folders + 1,
                            path: path + entry.name.len() + 1,
                        });
                    }
                    Mode::File | Mode::Executable | Mode::Symlink => {
                        self.read_blob(entry.sha, tree)?;
                        if let Some(file) = GitFile::of(entry.mode, &entry.name) {
                            let content = fetch(&self.odb, oid(entry.sha)?)?.content;
                            fsck::git_file(file, &content)
                                .map_err(|cause| faulty(entry.sha, &cause))?;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    pub(super) fn read_blob(&mut self, blob: Sha, by: Sha) -> Result<(), GitError> {
        if !self.is_recent(blob, ObjectKind::Blob, by)? {
            self.read(oid(blob)?, ObjectKind::Blob, by)?;
        }
        Ok(())
    }

    /// Whether an object was read recently, with the claimed kind.
    fn is_recent(&self, sha: Sha, kind: ObjectKind, by: Sha) -> Result<bool, GitError> {
        match self.recent.get(&sha) {
            Some(actual) => fsck::same_kind(sha, *actual, kind, by).map(|()| true),
            None => Ok(false),
        }
    }

    /// Reads an object of the claimed kind into the batch.
    pub(super) fn read(&mut self, oid: Oid, kind: ObjectKind, by: Sha) -> Result<Object, GitError> {
        let object = fetch(&self.odb, oid)?;
        fsck::same_kind(sha(oid), object.kind, kind, by)?;
        let packed = self.packer.pack(&object)?;
        if packed.sha != sha(oid) {
            return Err(GitError::Damaged(oid.to_string()));
        }
        if self.recent.len() == RECENT {
            self.recent.clear();
        }
        self.recent.insert(packed.sha, packed.kind);
        self.batch_bytes += packed.compressed.len();
        self.batch.objects.push(packed);
        if self.batch.objects.len() >= BATCH_OBJECTS || self.batch_bytes >= BATCH_BYTES {
            self.hand_over()?;
        }
        Ok(object)
    }

    pub(super) fn finish(mut self) -> Result<(), GitError> {
        self.hand_over()
    }

    fn tree(&mut self, tree: Sha) -> Result<Rc<Tree>, GitError> {
        if let Some(tree) = self.trees.get(&tree) {
            return Ok(Rc::clone(tree));
        }
        let read = Rc::new(Tree::parse(&fetch(&self.odb, oid(tree)?)?.content)?);
        self.cache_tree(tree, &read);
        Ok(read)
    }

    fn cache_tree(&mut self, sha: Sha, tree: &Rc<Tree>) {
        if self.trees.len() == RECENT_TREES {
            self.trees.clear();
        }
        self.trees.insert(sha, Rc::clone(tree));
    }

    fn hand_over(&mut self) -> Result<(), GitError> {
        let commits_total = self.batch.commits_total;
        let batch = std::mem::take(&mut self.batch);
        self.batch.commits_total = commits_total;
        self.batch_bytes = 0;
        self.sender
            .blocking_send(batch)
            .map_err(|_| GitError::Repository("the import was cancelled".to_owned()))
    }
}

/// The kind of an object that is not too large.
fn kind(odb: &Odb<'_>, oid: Oid) -> Result<ObjectKind, GitError> {
    let (size, kind) = odb.read_header(oid).map_err(|error| lost(oid, &error))?;
    let kind = match kind {
        ObjectType::Commit => ObjectKind::Commit,
        ObjectType::Tree => ObjectKind::Tree,
        ObjectType::Blob => ObjectKind::Blob,
        ObjectType::Tag => ObjectKind::Tag,
        ObjectType::Any => return Err(GitError::Missing(sha(oid))),
    };
    let (size, limit) = (size as u64, crate::largest(kind));
    match size > limit {
        true => Err(GitError::TooLarge {
            sha: sha(oid),
            size,
            limit,
        }),
        false => Ok(kind),
    }
}

/// Reads an object that is not too large.
pub(super) fn fetch(odb: &Odb<'_>, oid: Oid) -> Result<Object, GitError> {
    let kind = kind(odb, oid)?;
    let read = odb.read(oid).map_err(|error| lost(oid, &error))?;
    Ok(Object {
        kind,
        content: read.data().to_vec(),
    })
}

fn by_name(tree: &Tree) -> HashMap<&[u8], &TreeEntry> {
    let entries = tree.entries.iter();
    entries.map(|entry| (&entry.name[..], entry)).collect()
}

/// Adds the name of the object to an error.
pub(super) fn faulty(sha: Sha, cause: &GitError) -> GitError {
    GitError::Repository(format!("object {sha} is invalid: {cause}"))
}

fn lost(oid: Oid, error: &git2::Error) -> GitError {
    GitError::Repository(format!(
        "cannot read object {oid} from the repository: {}",
        error.message()
    ))
}
