//! What changed between two trees, as `git diff --no-color -M` shows it: which
//! files, renames included, and hunks with three lines of context, byte for byte.
//!
//! Text is bytes here: neither a path nor a line need be UTF-8. Files above
//! `LARGEST_TEXT` have no hunks and are not compared for renames unless they
//! are equal. Nor have files that differ in more lines than a request may spend time
//! on, and diffs that are longer than GitHub shows them.

mod contents;
mod follow;
pub mod hunks;
mod position;
mod renames;
mod similarity;
mod texts;
mod trees;

use std::borrow::Cow;

use sea_orm::ConnectionTrait;

use super::tree::Mode;
use super::{GitError, Sha};
use texts::Compared;

pub use follow::{follow, line_after};
pub use position::Place;
pub use trees::entry_at;

/// Bytes of a file beyond which it is not compared line by line.
pub const LARGEST_TEXT: i64 = 5 * 1024 * 1024;

/// Files and folders beyond which two trees are not compared as a whole.
pub const MOST_CHANGES: usize = 100_000;

/// Lines of one file's diff beyond which it is not shown, as on GitHub.
const MOST_SHOWN: usize = 20_000;

/// A file on one side of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    pub path: Vec<u8>,
    pub mode: Mode,
    pub sha: Sha,
}

/// How a file changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    Added,
    Deleted,
    /// Content, permission, or both.
    Modified,
    /// From another path, with this percentage of its content kept.
    Renamed {
        similarity: u8,
    },
    /// From a file to a symbolic link or a submodule, or between those.
    TypeChanged,
}

/// A changed file, before anyone looked at its lines. One of the sides is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    pub old: Option<File>,
    pub new: Option<File>,
    pub status: Status,
}

/// A changed file with its lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileDiff {
    pub old_path: Option<Vec<u8>>,
    pub new_path: Option<Vec<u8>>,
    pub status: Status,
    pub content: Content,
    /// Empty when only the name or the mode changed, and unless the content is text.
    pub hunks: Vec<Hunk>,
}

/// Whether a file could be compared by lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    Text,
    /// A NUL among the first 8000 bytes of either side, as Git decides it.
    Binary,
    TooLarge,
}

/// Lines that changed together, with those around them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hunk {
    /// The line that begins with `@@`, function heading included, without its end.
    pub header: Vec<u8>,
    pub old_start: u32,
    pub old_lines: u32,
    pub new_start: u32,
    pub new_lines: u32,
    pub lines: Vec<Line>,
}

/// A line of a hunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    pub kind: LineKind,
    /// Set for context and removed lines.
    pub old_no: Option<u32>,
    /// Set for context and added lines.
    pub new_no: Option<u32>,
    /// Without the sign before it and the newline after it.
    pub text: Vec<u8>,
}

/// What a line of a hunk says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineKind {
    Context,
    Added,
    Removed,
    /// `\ No newline at end of file`, about the line above it.
    NoNewline,
}

impl Change {
    /// The path by which the change is known: the new one, if there is one.
    pub fn path(&self) -> &[u8] {
        let file = self.new.as_ref().or(self.old.as_ref());
        file.map_or(b"", |file| &file.path)
    }
}

impl FileDiff {
    /// The path by which the file is known: the new one, if there is one.
    pub fn path(&self) -> Cow<'_, str> {
        let path = self.new_path.as_ref().or(self.old_path.as_ref());
        String::from_utf8_lossy(path.map_or(b"", |path| path))
    }
}

/// The files that differ between two trees, with renames, in the order of their
/// paths; None if there are more than [`MOST_CHANGES`]. Reads the directories that
/// differ, level by level, and the content of files only where a rename has to be
/// told from a deletion and an addition.
pub async fn changes(
    connection: &impl ConnectionTrait,
    repository_id: i64,
    old_tree: Sha,
    new_tree: Sha,
) -> Result<Option<Vec<Change>>, GitError> {
    let raw = trees::compare(connection, repository_id, old_tree, new_tree, MOST_CHANGES).await?;
    match raw {
        Some(raw) => renames::detect(connection, repository_id, raw)
            .await
            .map(Some),
        None => Ok(None),
    }
}

/// The lines of one change. Reads at most two objects.
pub async fn file_diff(
    connection: &impl ConnectionTrait,
    repository_id: i64,
    change: &Change,
) -> Result<FileDiff, GitError> {
    let (content, hunks) = match (&change.old, &change.new) {
        (Some(old), Some(new)) if change.status == Status::TypeChanged => {
            let removed = compare(connection, repository_id, Some(old), None).await?;
            let added = compare(connection, repository_id, None, Some(new)).await?;
            let content = match removed.0 {
                Content::Text => added.0,
                other => other,
            };
            (content, [removed.1, added.1].concat())
        }
        (old, new) => compare(connection, repository_id, old.as_ref(), new.as_ref()).await?,
    };
    Ok(FileDiff {
        old_path: change.old.as_ref().map(|file| file.path.clone()),
        new_path: change.new.as_ref().map(|file| file.path.clone()),
        status: change.status,
        content,
        hunks,
    })
}

/// The diff of one path, or None if the path is not in the diff. A path that both
/// trees have costs its directories and two files. One that only one of them has
/// may be half of a rename, which takes all changed names to tell; where those are
/// too many it is taken for no rename, as Git does.
pub async fn diff_path(
    connection: &impl ConnectionTrait,
    repository_id: i64,
    old_tree: Sha,
    new_tree: Sha,
    path: &str,
) -> Result<Option<FileDiff>, GitError> {
    let old = file_at(connection, repository_id, old_tree, path).await?;
    let new = file_at(connection, repository_id, new_tree, path).await?;
    let change = match (old, new) {
        (None, None) => None,
        (Some(old), Some(new)) => trees::changed(old, new),
        (old, new) => match changes(connection, repository_id, old_tree, new_tree).await? {
            Some(changes) => changes
                .into_iter()
                .find(|change| change.path() == path.as_bytes()),
            None => Some(Change {
                status: match new {
                    Some(_) => Status::Added,
                    None => Status::Deleted,
                },
                old,
                new,
            }),
        },
    };
    match change {
        Some(change) => Ok(Some(file_diff(connection, repository_id, &change).await?)),
        None => Ok(None),
    }
}

async fn file_at(
    connection: &impl ConnectionTrait,
    repository_id: i64,
    tree: Sha,
    path: &str,
) -> Result<Option<File>, GitError> {
    let entry = entry_at(connection, repository_id, tree, path).await?;
    Ok(entry
        .filter(|entry| entry.mode != Mode::Tree)
        .map(|entry| File {
            path: path.into(),
            mode: entry.mode,
            sha: entry.sha,
        }))
}

/// Lines that one change adds and removes; nothing of what is binary or too large.
pub async fn count_lines(
    connection: &impl ConnectionTrait,
    repository_id: i64,
    change: &Change,
) -> Result<(usize, usize), GitError> {
    let (old, new) = (change.old.as_ref(), change.new.as_ref());
    if let (Some(old), Some(new)) = (old, new)
        && change.status != Status::TypeChanged
    {
        let (old, new) = (Some(old), Some(new));
        let compared = texts::compared(connection, repository_id, old, new, hunks::count);
        return match compared.await? {
            Compared::As(counts) => counts,
            Compared::Not(_) => Ok((0, 0)),
        };
    }
    let added = texts::lines_of(connection, repository_id, new).await?;
    Ok((
        added,
        texts::lines_of(connection, repository_id, old).await?,
    ))
}

async fn compare(
    connection: &impl ConnectionTrait,
    repository_id: i64,
    old: Option<&File>,
    new: Option<&File>,
) -> Result<(Content, Vec<Hunk>), GitError> {
    let find = |old: &[u8], new: &[u8]| hunks::within(old, new, MOST_SHOWN);
    Ok(
        match texts::compared(connection, repository_id, old, new, find).await? {
            Compared::As(found) => match found? {
                Some(hunks) => (Content::Text, hunks),
                None => (Content::TooLarge, Vec::new()),
            },
            Compared::Not(content) => (content, Vec::new()),
        },
    )
}
