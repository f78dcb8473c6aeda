//! Git in the service's own database: objects, the commit graph, reference
//! names, diffs, and the way in and out of a real repository. What a request may
//! do with them is decided in `areas/`; rows of `git_ref` are theirs too, except
//! when a repository is imported.
//!
//! Every function takes the connection that its caller holds and none begins a
//! transaction. Objects are kept byte for byte as Git has them, so their SHA-1
//! names are true.

/// Which commits contain which, and where two lines of history met.
pub mod ancestry;
/// Commits, trees and tags made by hand.
pub mod build;
/// What changed between two trees, as `git diff -M` shows it.
pub mod diff;
/// The database as a bare repository on disk.
pub mod export;
/// Nodes and edges of the commit graph.
pub mod graph;
/// Author and committer lines.
pub mod ident;
/// A repository on disk as the database.
pub mod import;
/// Commits, tags and objects of any kind: parse, write, name.
pub mod objects;
mod paint;
/// Names of references.
pub mod pushes;
mod reach;
pub mod refs;
/// Names of objects.
pub mod sha;
/// Objects in the database.
pub mod store;
/// Directories.
pub mod tree;
/// What directories hold, all the way down.
pub mod tree_listing;
/// Walks over a part of the commit graph.
pub mod walk;

use sea_orm::DbErr;

use crate::contract::problem::Problem;
use crate::entities::git_object::Kind;
pub use sha::Sha;

/// Objects larger than this are not stored; the forge that sets the custom
/// refuses them too.
const LARGEST_OBJECT: u64 = 100 * 1024 * 1024;

/// Nor are commits and tags larger than this: they are shown whole, and as JSON they
/// may be six times as large.
pub const LARGEST_TEXT: usize = 1024 * 1024;

/// Why the Git layer could not answer.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    #[error(transparent)]
    Database(#[from] DbErr),
    /// Named, but not stored.
    #[error("the repository has no object {0}")]
    Missing(Sha),
    #[error("object {sha} is a {}, not a {}", .found.word(), .expected.word())]
    WrongKind {
        sha: Sha,
        expected: Kind,
        found: Kind,
    },
    /// Bytes that are no such object.
    #[error("malformed {}: {reason}", .kind.word())]
    Malformed { kind: Kind, reason: &'static str },
    /// The database holds something that this layer never writes.
    #[error("the stored object {0} is damaged")]
    Damaged(String),
    #[error("object {sha} has {size} bytes, more than the {limit} that are stored")]
    TooLarge { sha: Sha, size: u64, limit: u64 },
    /// A path that cannot be in a tree, or does not fit into the given one.
    #[error("path `{path}`: {reason}")]
    Path { path: String, reason: &'static str },
    #[error("libgit2: {}", .0.message())]
    Libgit2(#[from] git2::Error),
    /// A repository on disk that cannot be imported, or a place that cannot be
    /// exported to.
    #[error("{0}")]
    Repository(String),
}

impl Kind {
    /// The word that Git uses in object headers.
    pub fn word(self) -> &'static str {
        match self {
            Self::Commit => "commit",
            Self::Tree => "tree",
            Self::Blob => "blob",
            Self::Tag => "tag",
        }
    }

    /// The bytes that such an object may have.
    pub fn largest(self) -> u64 {
        match self {
            Self::Commit | Self::Tag => LARGEST_TEXT as u64,
            Self::Tree | Self::Blob => LARGEST_OBJECT,
        }
    }
}

impl From<GitError> for Problem {
    /// What a request can get wrong is asked before; whatever is left is ours.
    fn from(error: GitError) -> Self {
        match error {
            GitError::Database(error) => error.into(),
            other => Self::internal(other),
        }
    }
}
