//! The files that differ between two trees.

use super::{FileChange, MOST_CHANGES, renames, trees};
use crate::overlay::Overlay;
use crate::{GitError, Sha};
use storage::database::Connection;

/// The objects that are compared.
pub(super) struct DiffObjects<'a> {
    pub connection: &'a Connection,
    pub repository_id: i64,
    /// Those beside the stored ones.
    pub overlay: &'a Overlay,
}

/// The files that differ between two trees, with renames, ordered by path; None if there
/// are more than [`MOST_CHANGES`]. Reads the differing directories level by level. Reads
/// file contents only to tell a rename from a deletion and an addition.
pub async fn changes(
    connection: &Connection,
    repository_id: i64,
    old_tree: Sha,
    new_tree: Sha,
) -> Result<Option<Vec<FileChange>>, GitError> {
    let stored = Overlay::default();
    changes_over(connection, repository_id, &stored, old_tree, new_tree).await
}

/// The same of trees that may be made of objects beside the stored ones.
pub(in super::super) async fn changes_over(
    connection: &Connection,
    repository_id: i64,
    overlay: &Overlay,
    old_tree: Sha,
    new_tree: Sha,
) -> Result<Option<Vec<FileChange>>, GitError> {
    let objects = DiffObjects {
        connection,
        repository_id,
        overlay,
    };
    match trees::compare(&objects, old_tree, new_tree, MOST_CHANGES).await? {
        Some(raw) => renames::detect(&objects, raw).await.map(Some),
        None => Ok(None),
    }
}

/// The files that differ between two trees, without looking for renames, ordered by path;
/// None if there are more than `most`. Reads no file contents.
pub async fn changed_paths(
    connection: &Connection,
    repository_id: i64,
    old_tree: Sha,
    new_tree: Sha,
    most: usize,
) -> Result<Option<Vec<FileChange>>, GitError> {
    let objects = DiffObjects {
        connection,
        repository_id,
        overlay: &Overlay::default(),
    };
    trees::compare(&objects, old_tree, new_tree, most).await
}
