//! Builds trees, commits and annotated tags for histories written in a world file, and for
//! the operations that make them. They get the same SHA-1 as in Git.
//!
//! Nothing is stored here: the caller stores the returned objects with `store` and `graph`
//! before it builds on them.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::ident::{Ident, tidy_message};
use super::names::GitFile;
use super::objects::{Commit, Object, Tag};
use super::store::load_tree;
use super::tree::{Mode, Tree, TreeEntry};
use super::{GitError, Sha, fsck, names, path_fault, store};
use storage::database::Connection;
use storage::entities::git_object::ObjectKind;
use storage::heavy;

/// Bytes of the directories that one change may touch.
const MOST_BYTES: usize = 64 * 1024 * 1024;

/// Bytes of the files that Git itself reads which one change may name.
const MOST_GIT_FILES: u64 = 4 * fsck::LARGEST_GIT_FILE;

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
    connection: &Connection,
    repository_id: i64,
    base: Option<Sha>,
    changes: &TreeChanges,
) -> Result<Built, GitError> {
    let mut editor = Editor::of(connection, repository_id, base).await?;
    for path in &changes.delete {
        editor.open(connection, path).await?;
        editor.delete(path)?;
    }
    let mut objects = Vec::new();
    for (path, content) in &changes.set {
        editor.open(connection, path).await?;
        let blob = Object::blob(content.clone());
        editor.set(path, Mode::File, blob.sha())?;
        objects.push(blob);
    }
    let files = objects.iter().zip(changes.set.keys());
    let files = files.map(|(blob, path)| (&path[..], Mode::File, blob.sha()));
    check_git_files(connection, repository_id, files, &objects).await?;
    editor.finish(objects).await
}

/// A change of the entry at a path; None removes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    pub path: String,
    pub entry: Option<(Mode, Sha)>,
}

/// Applies edits to a stored tree, or to an empty one, one after the other. An entry
/// replaces the one at its path, even a whole directory. `new_blobs` are those that the edits name
/// and the caller stores later.
pub async fn edit_entries(
    connection: &Connection,
    repository_id: i64,
    base: Option<Sha>,
    edits: &[Edit],
    new_blobs: &[Object],
) -> Result<Built, GitError> {
    let mut editor = Editor::of(connection, repository_id, base).await?;
    for Edit { path, entry } in edits {
        editor.open(connection, path).await?;
        match entry {
            None => editor.delete(path)?,
            Some((mode, sha)) => {
                editor.forget(path);
                editor.put(path, *mode, *sha)?;
            }
        }
    }
    let files = edits.iter().filter_map(|edit| {
        let (mode, sha) = edit.entry?;
        Some((&edit.path[..], mode, sha))
    });
    check_git_files(connection, repository_id, files, new_blobs).await?;
    editor.finish(Vec::new()).await
}

/// Whether Git itself reads the file at a path, so that a change needs its content.
pub fn is_read_by_git(path: &str) -> bool {
    GitFile::of(Mode::File, split(path).1.as_bytes()).is_some()
}

/// Why Git should not read a new file at a path.
pub fn content_fault(path: &str, content: &[u8]) -> Option<&'static str> {
    file_fault(GitFile::of(Mode::File, split(path).1.as_bytes())?, content)
}

/// The fault as what a path does.
fn file_fault(file: GitFile, content: &[u8]) -> Option<&'static str> {
    let reason = fsck::git_file_fault(file, content)?;
    Some(reason.strip_prefix("it ").unwrap_or(reason))
}

/// Checks the content of those files that Git itself reads. The files of stored trees were checked
/// when they came.
async fn check_git_files<'a>(
    connection: &Connection,
    repository_id: i64,
    files: impl Iterator<Item = (&'a str, Mode, Sha)>,
    new_blobs: &[Object],
) -> Result<(), GitError> {
    let mut named: HashMap<Sha, Vec<(&str, GitFile)>> = HashMap::new();
    for (path, mode, sha) in files {
        if let Some(file) = GitFile::of(mode, split(path).1.as_bytes()) {
            named.entry(sha).or_default().push((path, file));
        }
    }
    if named.is_empty() {
        return Ok(());
    }
    let check = |sha: Sha, content: &[u8]| {
        for (path, file) in named.get(&sha).into_iter().flatten() {
            if let Some(reason) = file_fault(*file, content) {
                return Err(invalid_path(path, reason));
            }
        }
        Ok(())
    };
    let mut stored: HashSet<Sha> = named.keys().copied().collect();
    for blob in new_blobs {
        let sha = blob.sha();
        if stored.remove(&sha) {
            check(sha, &blob.content)?;
        }
    }
    let stored: Vec<Sha> = stored.into_iter().collect();
    let sizes = store::sizes(connection, repository_id, &stored).await?;
    let total: u64 = sizes.iter().map(|(_, size)| size.unsigned_abs()).sum();
    if total > MOST_GIT_FILES {
        let paths = named.values().flatten().map(|(path, _)| *path);
        let path = paths.min().unwrap_or_default();
        return Err(invalid_path(path, "is too large for a file that Git reads"));
    }
    store::read_sized(connection, repository_id, &sizes, |sha, object| {
        check(sha, &object.content)
    })
    .await
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
    repository_id: i64,
    directories: BTreeMap<String, EditedDirectory>,
    /// Bytes of the paths and the entries of all that were read or made.
    bytes: usize,
}

/// The entries of a directory, by name.
type EditedDirectory = BTreeMap<Vec<u8>, (Mode, Sha)>;

impl Editor {
    async fn of(
        connection: &Connection,
        repository_id: i64,
        base: Option<Sha>,
    ) -> Result<Self, GitError> {
        let mut editor = Self {
            repository_id,
            directories: BTreeMap::new(),
            bytes: 0,
        };
        match base {
            Some(sha) => editor.read(connection, "", sha).await?,
            None => editor.insert("", EditedDirectory::new())?,
        }
        Ok(editor)
    }

    /// Reads the existing directories along a path.
    async fn open(&mut self, connection: &Connection, path: &str) -> Result<(), GitError> {
        if let Some(reason) = path_fault(path) {
            return Err(invalid_path(path, reason));
        }
        for (end, _) in path.match_indices('/') {
            let directory = &path[..end];
            if self.directories.contains_key(directory) {
                continue;
            }
            match self.entry(directory) {
                Some((Mode::Tree, sha)) => self.read(connection, directory, sha).await?,
                _ => return Ok(()),
            }
        }
        Ok(())
    }

    async fn read(
        &mut self,
        connection: &Connection,
        path: &str,
        sha: Sha,
    ) -> Result<(), GitError> {
        let tree = load_tree(connection, self.repository_id, sha).await?;
        let entries = tree.entries.into_iter();
        let entries = entries.map(|entry| (entry.name, (entry.mode, entry.sha)));
        self.insert(path, entries.collect())
    }

    /// Adds a directory, unless there are too many.
    fn insert(&mut self, path: &str, directory: EditedDirectory) -> Result<(), GitError> {
        let names: usize = directory.keys().map(Vec::len).sum();
        self.bytes += path.len() + names + directory.len() * size_of::<(Vec<u8>, Mode, Sha)>();
        if self.bytes > MOST_BYTES {
            return Err(invalid_path(
                path,
                "is in more directories than one change may have",
            ));
        }
        self.directories.insert(path.to_owned(), directory);
        Ok(())
    }

    fn entry(&self, path: &str) -> Option<(Mode, Sha)> {
        let (directory, name) = split(path);
        self.directories
            .get(directory)?
            .get(name.as_bytes())
            .copied()
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
        self.directories.remove(path);
        let below = format!("{path}/");
        loop {
            let next = self.directories.range::<String, _>(&below..).next();
            let Some((directory, _)) = next.filter(|(next, _)| next.starts_with(&below)) else {
                return;
            };
            let directory = directory.clone();
            self.directories.remove(&directory);
        }
    }

    /// Removes an entry, and the directories that become empty: Git keeps none.
    fn remove_entry(&mut self, path: &str) {
        let mut path = path;
        loop {
            let (directory, name) = split(path);
            let Some(entries) = self.directories.get_mut(directory) else {
                return;
            };
            entries.remove(name.as_bytes());
            if !entries.is_empty() || directory.is_empty() {
                return;
            }
            self.directories.remove(directory);
            path = directory;
        }
    }

    fn set(&mut self, path: &str, mode: Mode, sha: Sha) -> Result<(), GitError> {
        if matches!(self.entry(path), Some((Mode::Tree, _))) && mode != Mode::Tree {
            return Err(invalid_path(path, "is a directory"));
        }
        self.put(path, mode, sha)
    }

    /// Sets an entry, and makes the directories that it lacks.
    fn put(&mut self, path: &str, mode: Mode, sha: Sha) -> Result<(), GitError> {
        match names::fault(mode, split(path).1.as_bytes()) {
            Some(_) if mode == Mode::Symlink => {
                return Err(invalid_path(path, "may not be a symbolic link"));
            }
            Some(_) => return Err(invalid_path(path, "must be a file")),
            None => {}
        }
        let (mut path, mut entry) = (path, (mode, sha));
        loop {
            let (directory, name) = split(path);
            if let Some(entries) = self.directories.get_mut(directory) {
                entries.insert(name.as_bytes().to_vec(), entry);
                return Ok(());
            }
            if self.entry(directory).is_some() {
                return Err(invalid_path(path, "has a file in place of a directory"));
            }
            let only = EditedDirectory::from([(name.as_bytes().to_vec(), entry)]);
            self.insert(directory, only)?;
            // Writing the directory fills in the real name.
            (path, entry) = (directory, (Mode::Tree, Sha::EMPTY_TREE));
        }
    }

    /// Writes the directories, off the serving threads.
    async fn finish(self, objects: Vec<Object>) -> Result<Built, GitError> {
        heavy::compute(move || self.write(objects)).await?
    }

    /// Writes the directories, deepest first: a longer path sorts after its parents.
    fn write(mut self, mut objects: Vec<Object>) -> Result<Built, GitError> {
        loop {
            let Some((path, directory)) = self.directories.pop_last() else {
                return Ok(Built {
                    tree: Sha::EMPTY_TREE,
                    objects,
                });
            };
            let entries = directory.into_iter();
            let entries = entries.map(|(name, (mode, sha))| TreeEntry { mode, name, sha });
            let tree = Tree {
                entries: entries.collect(),
            };
            let object = tree.write();
            let sha = object.sha();
            let (size, limit) = (
                object.content.len() as u64,
                crate::largest(ObjectKind::Tree),
            );
            if size > limit {
                return Err(GitError::TooLarge { sha, size, limit });
            }
            objects.push(object);
            if path.is_empty() {
                return Ok(Built { tree: sha, objects });
            }
            self.put(&path, Mode::Tree, sha)?;
        }
    }
}

fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

fn invalid_path(path: &str, reason: &'static str) -> GitError {
    GitError::Path {
        path: path.to_owned(),
        reason,
    }
}
