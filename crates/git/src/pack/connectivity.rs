//! Checks that every object referenced by a received one exists, so that no reference ever leads
//! to a missing object.

use super::PackError;
use super::index::ReceivedPack;
use crate::{Sha, store};
use storage::database::Connection;
use storage::entities::git_object::ObjectKind;
use storage::heavy;

/// Names that are checked before a missing one is reported.
const NAMES: usize = 1000;

impl ReceivedPack {
    /// Checks that each object that a received one references is in the pack or stored, and has
    /// the expected kind. Commits of submodules belong to other repositories, and the empty
    /// tree always exists, as in Git. One query per 100 objects outside the pack, and a permit for
    /// each 1000.
    pub async fn connected(
        self,
        connection: &Connection,
        repository_id: i64,
    ) -> Result<Self, PackError> {
        let find = move || {
            let outside = self.outside()?;
            Ok::<_, PackError>((self, outside))
        };
        let (pack, outside) = heavy::compute(find).await??;
        for chunk in outside.chunks(NAMES) {
            let names: Vec<Sha> = chunk.iter().map(|(sha, _)| *sha).collect();
            let heads = store::heads(connection, repository_id, &names);
            let heads = heavy::with_permit(heads).await?;
            for &(sha, kind) in chunk {
                let head = heads.get(&sha).ok_or(PackError::Missing { sha, kind })?;
                same_kind(sha, kind, head.kind)?;
            }
        }
        Ok(pack)
    }

    /// The referenced objects that the pack does not have.
    fn outside(&self) -> Result<Vec<(Sha, ObjectKind)>, PackError> {
        let mut outside: Vec<(Sha, ObjectKind)> = Vec::new();
        for (&sha, expected) in &self.facts.referenced {
            let expected = expected.kind;
            match self.kind_of(sha) {
                Some(actual) => same_kind(sha, expected, actual)?,
                None if sha == Sha::EMPTY_TREE && expected == ObjectKind::Tree => {}
                None => outside.push((sha, expected)),
            }
        }
        // Sorted, so that the queries read neighbouring rows and the error is deterministic.
        outside.sort_unstable();
        Ok(outside)
    }
}

fn same_kind(sha: Sha, expected: ObjectKind, actual: ObjectKind) -> Result<(), PackError> {
    match expected == actual {
        true => Ok(()),
        false => Err(PackError::WrongKind {
            sha,
            expected,
            actual,
        }),
    }
}
