//! Why a pack is refused, in the words of `git index-pack` where it has some.

use std::io;

use sea_orm::DbErr;

use crate::{GitError, Sha};
use contract::problem::Problem;
use storage::entities::git_object::ObjectKind;
use storage::heavy::MemoryExhausted;

/// Errors of receiving, checking and storing a pack.
#[derive(Debug, thiserror::Error)]
pub enum PackError {
    #[error("pack signature mismatch")]
    Signature,
    #[error("pack version {0} unsupported")]
    Version(u32),
    /// The input ended before the pack.
    #[error("early EOF")]
    EarlyEof,
    #[error("pack is corrupted (SHA1 mismatch)")]
    Checksum,
    #[error("pack has junk at the end")]
    Junk,
    #[error("pack has bad object at offset {offset}: {reason}")]
    BadObject { offset: u64, reason: &'static str },
    #[error("pack has {0} unresolved deltas")]
    Unresolved(usize),
    #[error("the same object {0} appears twice in the pack")]
    Duplicate(Sha),
    /// Bytes that are not an object of this kind.
    #[error("fsck error in packed object {sha}: {cause}")]
    Fsck { sha: Sha, cause: GitError },
    /// An object that another names is neither in the pack nor stored.
    #[error("missing {} {sha}", .kind.keyword())]
    Missing { sha: Sha, kind: ObjectKind },
    #[error("object {sha} is used as a {}, but it is a {}", .expected.keyword(), .actual.keyword())]
    WrongKind {
        sha: Sha,
        expected: ObjectKind,
        actual: ObjectKind,
    },
    /// One of [`super::PackLimits`].
    #[error("pack exceeds maximum allowed {resource} ({limit})")]
    Limit { resource: &'static str, limit: u64 },
    /// The sender failed.
    #[error("cannot read the pack: {0}")]
    Input(io::Error),
    /// The temporary file could not be written or read, or a thread failed.
    #[error("cannot store the pack: {0}")]
    Spool(io::Error),
    /// There is no room for it in memory.
    #[error(transparent)]
    Refused(Problem),
    #[error(transparent)]
    Store(GitError),
}

impl PackError {
    /// Whether the service failed, and not the pack or its sender.
    pub fn is_internal(&self) -> bool {
        matches!(self, Self::Spool(_) | Self::Store(_))
    }
}

impl From<GitError> for PackError {
    fn from(error: GitError) -> Self {
        Self::Store(error)
    }
}

impl From<PackError> for GitError {
    fn from(error: PackError) -> Self {
        match error {
            PackError::Store(error) => error,
            other => Self::Repository(other.to_string()),
        }
    }
}

impl From<MemoryExhausted> for PackError {
    fn from(error: MemoryExhausted) -> Self {
        Self::Refused(error.into())
    }
}

impl From<DbErr> for PackError {
    fn from(error: DbErr) -> Self {
        Self::Store(error.into())
    }
}

impl From<tokio::task::JoinError> for PackError {
    fn from(error: tokio::task::JoinError) -> Self {
        Self::Spool(io::Error::other(error))
    }
}
