//! Builds trees, commits and annotated tags for histories written in a world file, and for
//! the operations that make them. They get the same SHA-1 as in Git.
//!
//! Nothing is stored here: the caller stores the returned objects with `store` and `graph`
//! before it builds on them.

use std::collections::BTreeMap;

use sea_orm::ConnectionTrait;

use super::ident::{Ident, tidy_message};
use super::objects::{Commit, Object, Tag};
use super::store::load_tree;
use super::tree::{Mode, Tree, TreeEntry};
use super::{GitError, Sha};
use crate::entities::git_object::ObjectKind;

/// The changes of a commit, by path from the root of the repository.
#[derive(Clone, Debug, Default)]
pub struct TreeChanges {
    /// Files to write, with mode 100644.
    pub set: BTreeMap<String, Vec<u8>>,
    /// Files or whole directories to remove, before any file is written.
    pub delete: Vec<String>,
}

/// A new tree, and all objects created for it.
#[derive(Clone, Debug)]
pub struct Built {
    pub tree: Sha,
    pub objects: Vec<Object>,
}

/// Applies changes to a stored tree, or to an empty one. Reads only the directories that
/// the changes touch, one object each.
pub async fn edit_tree(
    connection: &impl ConnectionTrait,
    repository_id: i64,
    base: Option<Sha>,
    changes: &TreeChanges,
) -> Result<Built, GitError> {
    let mut editor = Editor {
        directories: BTreeMap::new(),
    };
    editor.directories.insert(
        String::new(),
        match base {
            Some(sha) => load_tree(connection, repository_id, sha).await?,
            None => Tree::default(),
        },
    );
    for path in &changes.delete {
        editor.open(connection, repository_id, path).await?;
        editor.delete(path)?;
    }
    let mut objects = Vec::new();
    for (path, content) in &changes.set {
        editor.open(connection, repository_id, path).await?;
        let blob = Object::blob(content.clone());
        editor.set(path, Mode::File, blob.sha())?;
        objects.push(blob);
    }
    editor.finish(objects)
}

/// A change of the entry at a path; None removes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    pub path: String,
    pub entry: Option<(Mode, Sha)>,
}

/// Applies edits to a stored tree, or to an empty one, one after the other. An entry
/// replaces the one at its path, even a whole directory.
pub async fn edit_entries(
    connection: &impl ConnectionTrait,
    repository_id: i64,
    base: Option<Sha>,
    edits: &[Edit],
) -> Result<Built, GitError> {
    let root = match base {
        Some(sha) => load_tree(connection, repository_id, sha).await?,
        None => Tree::default(),
    };
    let mut editor = Editor {
        directories: BTreeMap::from([(String::new(), root)]),
    };
    for Edit { path, entry } in edits {
        editor.open(connection, repository_id, path).await?;
        match entry {
            None => editor.delete(path)?,
            Some((mode, sha)) => {
                editor.forget(path);
                editor.put(path, *mode, *sha)?;
            }
        }
    }
    editor.finish(Vec::new())
}

/// Builds a commit as `git commit -m` does.
pub fn commit(
    tree: Sha,
    parents: Vec<Sha>,
    author: &Ident<'_>,
    committer: &Ident<'_>,
    message: &str,
) -> Commit {
    Commit {
        tree,
        parents,
        author: author.line(),
        committer: committer.line(),
        more: Vec::new(),
        message: Some(tidy_message(message).into_bytes()),
    }
}

/// Builds an annotated tag as `git tag -m` does, except that no line is treated as a
/// comment.
pub fn tag(
    name: &str,
    target: Sha,
    target_kind: ObjectKind,
    tagger: &Ident<'_>,
    message: &str,
) -> Tag {
    Tag {
        target,
        target_kind,
        name: name.as_bytes().to_vec(),
        tagger: Some(tagger.line()),
        more: Vec::new(),
        message: Some(tidy_message(message).into_bytes()),
    }
}

/// The directories being changed, by path; the root is "".
struct Editor {
    directories: BTreeMap<String, Tree>,
}

impl Editor {
    /// Reads the existing directories along a path.
    async fn open(
        &mut self,
        connection: &impl ConnectionTrait,
        repository_id: i64,
        path: &str,
    ) -> Result<(), GitError> {
        check_path(path)?;
        for (end, _) in path.match_indices('/') {
            let directory = &path[..end];
            if self.directories.contains_key(directory) {
                continue;
            }
            match self.entry(directory) {
                Some(entry) if entry.mode == Mode::Tree => {
                    let tree = load_tree(connection, repository_id, entry.sha).await?;
                    self.directories.insert(directory.to_owned(), tree);
                }
                _ => return Ok(()),
            }
        }
        Ok(())
    }

    fn entry(&self, path: &str) -> Option<&TreeEntry> {
        let (directory, name) = split(path);
        let tree = self.directories.get(directory)?;
        tree.entries
            .iter()
            .find(|entry| entry.name == name.as_bytes())
    }

    fn delete(&mut self, path: &str) -> Result<(), GitError> {
        if self.entry(path).is_none() {
            return Err(invalid_path(path, "does not exist and cannot be deleted"));
        }
        self.forget(path);
        self.remove_entry(path);
        Ok(())
    }

    /// Drops the directories at and below a path.
    fn forget(&mut self, path: &str) {
        let below = format!("{path}/");
        self.directories
            .retain(|directory, _| directory != path && !directory.starts_with(&below));
    }

    /// Removes an entry, and the directories that become empty: Git keeps none.
    fn remove_entry(&mut self, path: &str) {
        let (directory, name) = split(path);
        let Some(tree) = self.directories.get_mut(directory) else {
            return;
        };
        tree.entries.retain(|entry| entry.name != name.as_bytes());
        if tree.entries.is_empty() && !directory.is_empty() {
            self.directories.remove(directory);
            self.remove_entry(directory);
        }
    }

    fn set(&mut self, path: &str, mode: Mode, sha: Sha) -> Result<(), GitError> {
        let old = self.entry(path).map(|entry| entry.mode);
        if old == Some(Mode::Tree) && mode != Mode::Tree {
            return Err(invalid_path(path, "is a directory"));
        }
        self.put(path, mode, sha)
    }

    fn put(&mut self, path: &str, mode: Mode, sha: Sha) -> Result<(), GitError> {
        let (directory, name) = split(path);
        if !self.directories.contains_key(directory) {
            if self.entry(directory).is_some() {
                return Err(invalid_path(path, "has a file in place of a directory"));
            }
            // Writing the directory fills in the real name.
            self.put(directory, Mode::Tree, Sha::EMPTY_TREE)?;
            self.directories
                .insert(directory.to_owned(), Tree::default());
        }
        if let Some(tree) = self.directories.get_mut(directory) {
            tree.entries.retain(|entry| entry.name != name.as_bytes());
            tree.entries.push(TreeEntry {
                mode,
                name: name.as_bytes().to_vec(),
                sha,
            });
        }
        Ok(())
    }

    /// Writes the directories, deepest first: a longer path sorts after its parents.
    fn finish(mut self, mut objects: Vec<Object>) -> Result<Built, GitError> {
        loop {
            let Some((path, tree)) = self.directories.pop_last() else {
                return Ok(Built {
                    tree: Sha::EMPTY_TREE,
                    objects,
                });
            };
            let object = tree.write();
            let sha = object.sha();
            objects.push(object);
            if path.is_empty() {
                return Ok(Built { tree: sha, objects });
            }
            self.set(&path, Mode::Tree, sha)?;
        }
    }
}

fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

/// Refuses paths that `git fsck` reports.
fn check_path(path: &str) -> Result<(), GitError> {
    if path.contains('\0') {
        return Err(invalid_path(path, "contains a NUL"));
    }
    for name in path.split('/') {
        if name.is_empty() {
            return Err(invalid_path(
                path,
                "is empty, starts or ends with a slash, or has two in a row",
            ));
        }
        if name == "." || name == ".." || name.eq_ignore_ascii_case(".git") {
            return Err(invalid_path(
                path,
                "has a component that Git does not allow",
            ));
        }
    }
    Ok(())
}

fn invalid_path(path: &str, reason: &'static str) -> GitError {
    GitError::Path {
        path: path.to_owned(),
        reason,
    }
}
