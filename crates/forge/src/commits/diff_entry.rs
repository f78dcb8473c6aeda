//! Views of changed files, and the error for a diff that is too large.

use crate::urls::Urls;
use contract::problem::Problem;
use contract::shared::diff_entry::{DiffEntry, DiffStatus};
use git::Sha;
use git::diff::{FileChange, FileStatus, FileText, MOST_FILES, MOST_LINES, TooLarge};

/// The two sides of a diff.
#[derive(Debug, Clone, Copy)]
pub struct Sides<'a> {
    pub urls: &'a Urls,
    pub full_name: &'a str,
    /// The commit with the removed files; None before the first commit.
    pub old: Option<Sha>,
    /// The commit with all other files.
    pub new: Sha,
}

impl Sides<'_> {
    pub fn entry(&self, change: &FileChange, text: FileText) -> DiffEntry {
        let file = change.new.as_ref().or(change.old.as_ref());
        let commit = match (&change.new, self.old) {
            (None, Some(old)) => old,
            _ => self.new,
        };
        let commit = &commit.to_string();
        let renamed = matches!(change.status, FileStatus::Renamed { .. });
        let previous = change.old.as_ref().filter(|_| renamed);
        let path = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let (urls, name, at) = (self.urls, self.full_name, change.path());
        DiffEntry {
            sha: file.map(|file| file.sha.to_string()).into(),
            filename: path(at),
            status: status(change.status),
            additions: count(text.additions),
            deletions: count(text.deletions),
            changes: count(text.additions + text.deletions),
            blob_url: urls.file_page(name, "blob", commit, at).into(),
            raw_url: urls.file_page(name, "raw", commit, at).into(),
            contents_url: urls.changed_contents(name, commit, at).into(),
            patch: text.patch.map(|patch| path(&patch)),
            previous_filename: previous.map(|old| path(&old.path)),
        }
    }
}

/// The error for a diff that is too large to show as text. `resource` is `PullRequest` or
/// `Commit`.
pub fn too_large(resource: &'static str, why: TooLarge) -> Problem {
    let message = match why {
        TooLarge::Files => format!(
            "Sorry, the diff exceeded the maximum number of files ({MOST_FILES}). Consider using \
             'List pull requests files' API or locally cloning the repository instead."
        ),
        TooLarge::Lines => {
            format!("Sorry, the diff exceeded the maximum number of lines ({MOST_LINES})")
        }
        TooLarge::Bytes => "Sorry, the diff exceeded the maximum size (1 MB)".to_owned(),
    };
    Problem::DiffTooLarge {
        resource,
        message: message.into(),
    }
}

fn status(status: FileStatus) -> DiffStatus {
    match status {
        FileStatus::Added => DiffStatus::Added,
        FileStatus::Deleted => DiffStatus::Removed,
        FileStatus::Modified => DiffStatus::Modified,
        FileStatus::Renamed { .. } => DiffStatus::Renamed,
        FileStatus::TypeChanged => DiffStatus::Changed,
    }
}

fn count(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
