//! Git in the service's own database: objects, the commit graph, reference names, diffs,
//! import and export. the nouns of `forge` decide what a request may do, and own the rows of
//! `git_ref`, except during an import.
//!
//! Every function uses the caller's connection, and none begins a transaction. Objects are
//! read back byte for byte, so their SHA-1 names are valid.

/// Ancestry and merge bases.
pub mod ancestry;
mod attributes;
/// Builds commits, trees and tags.
pub mod build;
mod delta;
/// Changes between two trees, as `git diff -M` shows them.
pub mod diff;
/// Export to a bare repository on disk.
pub mod export;
mod fsck;
/// Nodes and edges of the commit graph.
pub mod graph;
/// Author and committer lines.
pub mod ident;
/// Import of a repository on disk.
pub mod import;
/// History in the order of `git log`.
pub mod log;
/// Three-way merges and rebases.
pub mod merge;
mod modules;
mod names;
/// Commits, tags and objects of any kind: parsing, writing, naming.
pub mod objects;
mod overlay;
pub mod pack;
mod paint;
/// Commits as mails.
pub mod patch;
/// The progress of an import or export.
pub mod progress;
/// When references last changed.
pub mod pushes;
mod reach;
pub mod refs;
/// Names of objects.
pub mod sha;
mod statistics;
/// Storage of objects in the database.
pub mod store;
/// The targets of references.
pub mod target;
/// Git's wire protocol.
pub mod transport;
/// Directories.
pub mod tree;
/// Recursive tree listings.
pub mod tree_listing;
/// Objects of pushes that are not visible yet.
pub mod uploads;
/// Walks of the commit graph.
pub mod walk;

use sea_orm::DbErr;
use tokio::task::JoinError;

use contract::problem::Problem;
pub use names::path_fault;
pub use sha::Sha;
use storage::entities::git_object::ObjectKind;

/// Larger objects are not stored; GitHub refuses them too.
const LARGEST_OBJECT: u64 = 100 * 1024 * 1024;

/// Larger trees are not stored: each walk reads them whole. This one has 300,000 files.
const LARGEST_TREE: u64 = 16 * 1024 * 1024;

/// Larger commits and tags are not stored: they are shown whole, and as JSON may be six
/// times as large.
pub const LARGEST_TEXT: usize = 1024 * 1024;

/// Commits and tags with a longer name, author, committer or tagger are not stored.
pub const LONGEST_LINE: usize = 4096;

/// Commits with more parents are not stored. The largest known merge has 66.
pub const MOST_PARENTS: usize = 256;

/// Errors of the Git layer.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    #[error(transparent)]
    Database(#[from] DbErr),
    /// An object that is referenced but not stored.
    #[error("the repository has no object {0}")]
    Missing(Sha),
    #[error("object {sha} is a {}, not a {}", .found.keyword(), .expected.keyword())]
    WrongKind {
        sha: Sha,
        expected: ObjectKind,
        found: ObjectKind,
    },
    /// Bytes that do not parse as an object of this kind.
    #[error("malformed {}: {reason}", .kind.keyword())]
    Malformed {
        kind: ObjectKind,
        reason: &'static str,
    },
    /// A stored object that this layer could not have written.
    #[error("the stored object {0} is damaged")]
    Damaged(String),
    #[error("object {sha} has {size} bytes; the limit is {limit}")]
    TooLarge { sha: Sha, size: u64, limit: u64 },
    /// A path that is invalid, or conflicts with the tree.
    #[error("path `{path}`: {reason}")]
    Path { path: String, reason: &'static str },
    #[error("libgit2: {}", .0.message())]
    Libgit2(#[from] git2::Error),
    /// A repository that cannot be imported, or a target that cannot be exported to.
    #[error("{0}")]
    Repository(String),
}

/// The largest size of an object of a kind, in bytes.
pub fn largest(kind: ObjectKind) -> u64 {
    match kind {
        ObjectKind::Commit | ObjectKind::Tag => LARGEST_TEXT as u64,
        ObjectKind::Tree => LARGEST_TREE,
        ObjectKind::Blob => LARGEST_OBJECT,
    }
}

impl From<JoinError> for GitError {
    /// A computation on another thread that did not end.
    fn from(error: JoinError) -> Self {
        Self::Repository(error.to_string())
    }
}

impl From<GitError> for Problem {
    /// Operations check invalid input beforehand, so any other error is internal.
    fn from(error: GitError) -> Self {
        match error {
            GitError::Database(error) => error.into(),
            GitError::TooLarge { .. } => Self::Refused(error.to_string().into()),
            other => Self::internal(other),
        }
    }
}
