//! Whether everything that received objects name is there, so that no reference ever leads
//! to a missing object.

use sea_orm::ConnectionTrait;

use super::PackError;
use super::index::ReceivedPack;
use crate::entities::git_object::ObjectKind;
use crate::git::{Sha, store};

/// Names that are checked before a missing one is reported.
const NAMES: usize = 1000;

impl ReceivedPack {
    /// Checks that each object that a received one names is in the pack or stored, and of
    /// the kind that it is named as. Commits of submodules belong to other repositories, and
    /// the empty tree always exists, as in Git. One query per 100 objects outside the pack.
    pub async fn check_connectivity(
        &self,
        connection: &impl ConnectionTrait,
        repository_id: i64,
    ) -> Result<(), PackError> {
        let mut outside: Vec<(Sha, ObjectKind)> = Vec::new();
        for (&sha, named) in &self.facts.named {
            let named = named.kind;
            match self.kind_of(sha) {
                Some(found) => same_kind(sha, named, found)?,
                None if sha == Sha::EMPTY_TREE && named == ObjectKind::Tree => {}
                None => outside.push((sha, named)),
            }
        }
        // Sorted, so that the queries read neighbouring rows and the answer is stable.
        outside.sort_unstable();
        for some in outside.chunks(NAMES) {
            let names: Vec<Sha> = some.iter().map(|(sha, _)| *sha).collect();
            let heads = store::heads(connection, repository_id, &names).await?;
            for &(sha, kind) in some {
                let head = heads.get(&sha).ok_or(PackError::Missing { sha, kind })?;
                same_kind(sha, kind, head.kind)?;
            }
        }
        Ok(())
    }
}

fn same_kind(sha: Sha, named: ObjectKind, found: ObjectKind) -> Result<(), PackError> {
    match named == found {
        true => Ok(()),
        false => Err(PackError::WrongKind { sha, named, found }),
    }
}
