//! The changes between two trees, as `git diff --no-color -M` shows them: files, renames
//! included, and hunks with three lines of context, byte for byte.
//!
//! Text is bytes here: neither a path nor a line need be UTF-8. Some files have no hunks:
//! those above `LARGEST_TEXT` (which are renames only if equal), those with more lines to
//! compare than a request may spend, and those whose diff is longer than GitHub shows.

mod changes;
mod contents;
mod follow;
pub mod hunks;
mod position;
mod renames;
mod shown;
mod similarity;
pub(super) mod stat;
mod texts;
mod trees;
mod unified;

use std::borrow::Cow;

use super::tree::Mode;
use super::{GitError, Sha};
use storage::database::Connection;
use texts::TextComparison;

pub(super) use changes::changes_over;
pub use changes::{changed_paths, changes};
pub use follow::{follow, line_after};
pub use position::DiffPosition;
pub use shown::{
    FileText, MOST_BYTES, MOST_FILES, MOST_LINES, MOST_LISTED, TooLarge, WrittenFile, diff_text,
    file_texts, joined,
};
pub(super) use similarity::is_binary;
pub use trees::entry_at;

/// Files above this size in bytes are not compared by lines.
pub const LARGEST_TEXT: i64 = 5 * 1024 * 1024;

/// Trees with more changes than this are not compared as a whole.
pub const MOST_CHANGES: usize = 100_000;

/// A diff of one file with more lines than this is not shown, as on GitHub.
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
pub enum FileStatus {
    Added,
    Deleted,
    /// Its content, its mode, or both.
    Modified,
    /// From another path, with this percentage of its content kept.
    Renamed {
        similarity: u8,
    },
    /// From a file to a symbolic link or a submodule, or between those.
    TypeChanged,
}

/// A changed file without its lines. At least one side is present.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChange {
    pub old: Option<File>,
    pub new: Option<File>,
    pub status: FileStatus,
}

/// A changed file with its lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileDiff {
    pub old_path: Option<Vec<u8>>,
    pub new_path: Option<Vec<u8>>,
    pub status: FileStatus,
    pub content: ContentKind,
    /// Empty if only the name or the mode changed, or the content is not text.
    pub hunks: Vec<Hunk>,
}

/// Whether a file could be compared by lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContentKind {
    Text,
    /// A NUL in the first 8000 bytes of either side, as in Git.
    Binary,
    TooLarge,
}

/// Adjacent changed lines with their context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hunk {
    /// The line that begins with `@@`, with the function heading, without a newline.
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
    /// Without the sign and the newline.
    pub text: Vec<u8>,
}

/// The kind of a hunk line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineKind {
    Context,
    Added,
    Removed,
    /// `\ No newline at end of file`, about the line above it.
    NoNewline,
}

impl FileChange {
    /// The path of the change: the new one, if there is one.
    pub fn path(&self) -> &[u8] {
        let file = self.new.as_ref().or(self.old.as_ref());
        file.map_or(b"", |file| &file.path)
    }
}

impl FileDiff {
    /// The path of the file: the new one, if there is one.
    pub fn path(&self) -> Cow<'_, str> {
        let path = self.new_path.as_ref().or(self.old_path.as_ref());
        String::from_utf8_lossy(path.map_or(b"", |path| path))
    }
}

/// The lines of one change. Reads at most two objects.
pub async fn file_diff(
    connection: &Connection,
    repository_id: i64,
    change: &FileChange,
) -> Result<FileDiff, GitError> {
    let (content, hunks) = match (&change.old, &change.new) {
        (Some(old), Some(new)) if change.status == FileStatus::TypeChanged => {
            let removed = compare(connection, repository_id, Some(old), None).await?;
            let added = compare(connection, repository_id, None, Some(new)).await?;
            let content = match removed.0 {
                ContentKind::Text => added.0,
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

/// The diff of one path, or None if it did not change. For a path in both trees this reads
/// its directories and two files. A path in only one tree may be half of a rename, which
/// requires all changed names; if those are too many, it is not treated as a rename, as in
/// Git.
pub async fn diff_path(
    connection: &Connection,
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
            None => Some(FileChange {
                status: match new {
                    Some(_) => FileStatus::Added,
                    None => FileStatus::Deleted,
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
    connection: &Connection,
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

/// The numbers of lines that a change adds and removes; 0 for binary or too large files.
pub async fn count_lines(
    connection: &Connection,
    repository_id: i64,
    change: &FileChange,
) -> Result<(usize, usize), GitError> {
    let (old, new) = (change.old.as_ref(), change.new.as_ref());
    if let (Some(old), Some(new)) = (old, new)
        && change.status != FileStatus::TypeChanged
    {
        let (old, new) = (Some(old), Some(new));
        let compared = texts::compared(connection, repository_id, old, new, hunks::count);
        return match compared.await? {
            TextComparison::As(counts) => counts,
            TextComparison::Not(_) => Ok((0, 0)),
        };
    }
    let added = texts::lines_of(connection, repository_id, new).await?;
    Ok((
        added,
        texts::lines_of(connection, repository_id, old).await?,
    ))
}

async fn compare(
    connection: &Connection,
    repository_id: i64,
    old: Option<&File>,
    new: Option<&File>,
) -> Result<(ContentKind, Vec<Hunk>), GitError> {
    let find = |old: &[u8], new: &[u8]| hunks::within(old, new, MOST_SHOWN);
    Ok(
        match texts::compared(connection, repository_id, old, new, find).await? {
            TextComparison::As(found) => match found? {
                Some(hunks) => (ContentKind::Text, hunks),
                None => (ContentKind::TooLarge, Vec::new()),
            },
            TextComparison::Not(content) => (content, Vec::new()),
        },
    )
}
