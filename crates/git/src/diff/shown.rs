//! As much of a diff as is shown, within the limits of GitHub: the texts of single files,
//! and the text of a whole diff.

use super::unified::{self, halves};
use super::{ContentKind, FileChange, FileDiff, FileStatus, LineKind, count_lines, file_diff};
use crate::GitError;
use storage::database::Connection;

/// The most files of a diff that is shown as a text, and of one page of a list of files.
pub const MOST_FILES: usize = 300;

/// The most files of all pages.
pub const MOST_LISTED: usize = 3000;

/// The most lines of a diff that is shown as a text.
pub const MOST_LINES: usize = 20_000;

/// The most bytes of a diff that is shown as a text, and of the patches of a page.
pub const MOST_BYTES: usize = 1024 * 1024;

/// The most bytes of the patch of one file.
const MOST_PATCH: usize = 500 * 1024;

/// Why a diff is not shown as a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TooLarge {
    Files,
    Lines,
    Bytes,
}

/// How many lines a file gained and lost, and its hunks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileText {
    pub additions: usize,
    pub deletions: usize,
    /// The hunks without the last newline; None if there are none, the file is not text,
    /// or they are too long.
    pub patch: Option<Vec<u8>>,
}

/// A changed file in the text of a diff.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenFile {
    pub change: FileChange,
    pub additions: usize,
    pub deletions: usize,
    /// Not text.
    pub binary: bool,
    pub text: Vec<u8>,
}

/// The texts of some changed files, together at most [`MOST_BYTES`] long. Reads at most
/// two objects for each.
pub async fn file_texts(
    connection: &Connection,
    repository_id: i64,
    changes: &[FileChange],
) -> Result<Vec<FileText>, GitError> {
    let mut remaining = MOST_BYTES;
    let mut texts = Vec::with_capacity(changes.len());
    for change in changes {
        let diff = file_diff(connection, repository_id, change).await?;
        let mut text = match diff.content {
            ContentKind::TooLarge => {
                let (additions, deletions) = count_lines(connection, repository_id, change).await?;
                FileText {
                    additions,
                    deletions,
                    patch: None,
                }
            }
            _ => FileText::of(&diff),
        };
        let length = text.patch.as_ref().map_or(0, Vec::len);
        match remaining.checked_sub(length) {
            Some(rest) if length <= MOST_PATCH => remaining = rest,
            _ => text.patch = None,
        }
        texts.push(text);
    }
    Ok(texts)
}

/// The text of a whole diff, file by file, unless it is too large.
pub async fn diff_text(
    connection: &Connection,
    repository_id: i64,
    changes: &[FileChange],
) -> Result<Result<Vec<WrittenFile>, TooLarge>, GitError> {
    if changes.len() > MOST_FILES {
        return Ok(Err(TooLarge::Files));
    }
    let (mut lines, mut bytes) = (0, 0);
    let mut files = Vec::with_capacity(changes.len());
    for change in changes {
        let mut file = WrittenFile::new(change);
        for half in halves(change) {
            let diff = file_diff(connection, repository_id, &half).await?;
            lines += diff
                .hunks
                .iter()
                .map(|hunk| hunk.lines.len())
                .sum::<usize>();
            if diff.content == ContentKind::TooLarge || lines > MOST_LINES {
                return Ok(Err(TooLarge::Lines));
            }
            file.push(&half, &diff);
        }
        if change.status == FileStatus::TypeChanged {
            // Git counts what differs between the two contents.
            let modified = FileChange {
                status: FileStatus::Modified,
                ..change.clone()
            };
            let counts = count_lines(connection, repository_id, &modified).await?;
            (file.additions, file.deletions) = counts;
        }
        bytes += file.text.len();
        if bytes > MOST_BYTES {
            return Ok(Err(TooLarge::Bytes));
        }
        files.push(file);
    }
    Ok(Ok(files))
}

impl WrittenFile {
    fn new(change: &FileChange) -> Self {
        Self {
            change: change.clone(),
            additions: 0,
            deletions: 0,
            binary: false,
            text: Vec::new(),
        }
    }

    fn push(&mut self, change: &FileChange, diff: &FileDiff) {
        let (additions, deletions) = counts(diff);
        self.additions += additions;
        self.deletions += deletions;
        self.binary |= diff.content == ContentKind::Binary;
        self.text.extend(unified::write(change, diff));
    }
}

/// The texts of all files, one after the other.
pub fn joined(files: &[WrittenFile]) -> Vec<u8> {
    files.iter().flat_map(|file| &file.text).copied().collect()
}

impl FileText {
    fn of(diff: &FileDiff) -> Self {
        let (additions, deletions) = counts(diff);
        let mut patch = unified::hunks(&diff.hunks);
        patch.pop();
        Self {
            additions,
            deletions,
            patch: (!patch.is_empty()).then_some(patch),
        }
    }
}

/// The numbers of added and of removed lines.
fn counts(diff: &FileDiff) -> (usize, usize) {
    let lines = || diff.hunks.iter().flat_map(|hunk| &hunk.lines);
    let count = |kind| lines().filter(|line| line.kind == kind).count();
    (count(LineKind::Added), count(LineKind::Removed))
}
