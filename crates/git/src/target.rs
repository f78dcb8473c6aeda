//! The target of a reference: an object of the repository, and the commit that it leads to, if
//! any. `rules.rs` decides whether a reference may point there.

use crate::ancestry::is_ancestor;
use crate::objects::Tag;
use crate::store::{kind_of, load};
use crate::{GitError, Sha};
use storage::database::Connection;
use storage::entities::git_object::ObjectKind;
use storage::entities::git_ref;

/// The name of a reference, and the id and kind of its object.
pub type RefRow = (String, String, ObjectKind);

/// The most nested tags that are followed. Only a world file could have more.
const DEEPEST: usize = 32;

/// An object of the repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RefTarget {
    pub sha: Sha,
    pub kind: ObjectKind,
}

impl RefTarget {
    /// The object that a request names, if the repository has it. A name that is not 40
    /// hexadecimal digits is unknown.
    pub async fn find(
        connection: &Connection,
        repository_id: i64,
        sha: &str,
    ) -> Result<Option<Self>, GitError> {
        let Ok(sha) = sha.parse::<Sha>() else {
            return Ok(None);
        };
        let kind = kind_of(connection, repository_id, sha).await?;
        Ok(kind.map(|kind| Self { sha, kind }))
    }

    /// The target of a reference.
    pub fn of(row: &git_ref::Model) -> Result<Self, GitError> {
        Ok(Self {
            sha: Sha::stored(&row.sha)?,
            kind: row.kind,
        })
    }

    /// The target of a listed reference.
    pub fn listed((_, sha, kind): RefRow) -> Result<Self, GitError> {
        let sha = Sha::stored(&sha)?;
        Ok(Self { sha, kind })
    }

    /// The commit, also through annotated tags; None for trees and blobs.
    pub async fn commit(
        self,
        connection: &Connection,
        repository_id: i64,
    ) -> Result<Option<Sha>, GitError> {
        let target = self.peeled(connection, repository_id).await?;
        Ok(target
            .filter(|target| target.kind == ObjectKind::Commit)
            .map(|target| target.sha))
    }

    /// The object that annotated tags lead to; None if they are nested too deeply.
    pub async fn peeled(
        self,
        connection: &Connection,
        repository_id: i64,
    ) -> Result<Option<Self>, GitError> {
        let Self { mut sha, mut kind } = self;
        for _ in 0..DEEPEST {
            if kind != ObjectKind::Tag {
                return Ok(Some(Self { sha, kind }));
            }
            let object = load(connection, repository_id, sha).await?;
            let tag = Tag::parse(&object.ok_or(GitError::Missing(sha))?.content)?;
            (sha, kind) = (tag.target, tag.target_kind);
        }
        Ok(None)
    }

    /// Whether moving a reference from here to `new` loses nothing: `new` leads to the commit
    /// that was named before. A tree or a blob has no history to lose.
    pub async fn is_behind(
        self,
        connection: &Connection,
        repository_id: i64,
        new: Self,
    ) -> Result<bool, GitError> {
        let Some(old) = self.commit(connection, repository_id).await? else {
            return Ok(true);
        };
        match new.commit(connection, repository_id).await? {
            Some(new) => is_ancestor(connection, repository_id, old, new).await,
            None => Ok(false),
        }
    }
}
