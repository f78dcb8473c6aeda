//! Object storage: content-addressed, each object compressed on its own, or as a delta of
//! another one where it came in a pack. Callers that store a commit must also add it to
//! `graph`.
//!
//! Content is immutable: storing an existing object changes nothing.

mod chains;
mod content;
mod entries;
mod inserting;
mod packing;
mod similar;

use std::collections::HashMap;

use sea_orm::{ColumnTrait, DbErr, EntityTrait, QueryFilter, QuerySelect};

use super::objects::{Commit, Object};
use super::tree::Tree;
use super::uploads::visible;
use super::{GitError, Sha};
pub(super) use chains::{PackedChain, load_many_packed, load_packed, unpack};
pub use content::{CompressedContent, ContentReader};
pub(super) use entries::{StoredEntry, entries};
pub use inserting::store_packed;
pub(super) use inserting::store_upload;
pub use packing::{PackedObject, Packer};
pub(super) use similar::{ObjectContents, Similar};
use storage::database::Connection;
use storage::entities::git_object::{self, ObjectKind};

/// Rows per statement. A larger statement takes longer to prepare than it saves.
const ROWS: usize = 100;

/// Bytes of objects that are read at a time, if their sizes are not bounded otherwise.
const READ_BYTES: i64 = 4 * 1024 * 1024;

/// More bytes are decompressed on a blocking thread.
const UNPACKED_IN_PLACE: i64 = 256 * 1024;

/// The kind and size of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObjectHeader {
    pub kind: ObjectKind,
    pub size: i64,
}

/// Stores new objects. One statement per 100 objects or 4 MiB.
pub async fn store_objects(
    connection: &Connection,
    repository_id: i64,
    objects: &[Object],
) -> Result<(), GitError> {
    let mut packer = Packer::default();
    let packed: Vec<PackedObject> = objects
        .iter()
        .map(|object| packer.pack(object))
        .collect::<Result<_, _>>()?;
    store_packed(connection, repository_id, packed).await?;
    Ok(())
}

/// Reads one object. One query by primary key, and one for the bases of a delta.
pub async fn load(
    connection: &Connection,
    repository_id: i64,
    sha: Sha,
) -> Result<Option<Object>, GitError> {
    let row = load_packed(connection, repository_id, sha).await?;
    row.map(|row| unpack(sha, &row)).transpose()
}

/// Reads many objects; the result omits those that are not stored. Two queries per 100. Holds
/// all of their content in memory: check [`heads`] first if it may be large.
pub async fn load_many(
    connection: &Connection,
    repository_id: i64,
    shas: &[Sha],
) -> Result<HashMap<Sha, Object>, GitError> {
    let rows = load_many_packed(connection, repository_id, shas).await?;
    let objects = rows.iter().map(|row| Ok((row.sha, unpack(row.sha, row)?)));
    objects.collect()
}

/// Reads many objects of any size and passes each to `keep`, in order. Fails if one is not stored.
/// Holds a few megabytes at a time, and decompresses more than a little on a blocking thread.
pub async fn read_each(
    connection: &Connection,
    repository_id: i64,
    shas: &[Sha],
    keep: impl FnMut(Sha, Object) -> Result<(), GitError> + Send,
) -> Result<(), GitError> {
    let sizes = sizes(connection, repository_id, shas).await?;
    read_sized(connection, repository_id, &sizes, keep).await
}

/// The sizes of objects, in order. Fails if one is not stored.
pub async fn sizes(
    connection: &Connection,
    repository_id: i64,
    shas: &[Sha],
) -> Result<Vec<(Sha, i64)>, GitError> {
    let stored = heads(connection, repository_id, shas).await?;
    let sizes = shas.iter().map(|sha| match stored.get(sha) {
        Some(head) => Ok((*sha, head.size)),
        None => Err(GitError::Missing(*sha)),
    });
    sizes.collect()
}

/// [`read_each`] of objects whose sizes are known.
pub async fn read_sized(
    connection: &Connection,
    repository_id: i64,
    sizes: &[(Sha, i64)],
    mut keep: impl FnMut(Sha, Object) -> Result<(), GitError> + Send,
) -> Result<(), GitError> {
    let size_of: HashMap<Sha, i64> = sizes.iter().copied().collect();
    for batch in batches(sizes.iter().copied(), READ_BYTES) {
        let packed = load_many_packed(connection, repository_id, &batch).await?;
        let bytes: i64 = batch.iter().filter_map(|sha| size_of.get(sha)).sum();
        let unpack = move || {
            let objects = packed
                .iter()
                .map(|row| Ok((row.sha, unpack(row.sha, row)?)));
            objects.collect::<Result<HashMap<Sha, Object>, GitError>>()
        };
        let mut objects = match bytes <= UNPACKED_IN_PLACE {
            true => unpack()?,
            false => tokio::task::spawn_blocking(unpack).await??,
        };
        for (at, sha) in batch.iter().enumerate() {
            let object = match batch[at + 1..].contains(sha) {
                true => objects.get(sha).cloned(),
                false => objects.remove(sha),
            };
            keep(*sha, object.ok_or(GitError::Missing(*sha))?)?;
        }
    }
    Ok(())
}

/// Splits objects with their sizes into batches of bounded size, in order. A larger object
/// is a batch of its own.
pub(super) fn batches(sizes: impl Iterator<Item = (Sha, i64)>, most: i64) -> Vec<Vec<Sha>> {
    let mut batches: Vec<Vec<Sha>> = Vec::new();
    let mut bytes = most;
    for (sha, size) in sizes {
        bytes = bytes.saturating_add(size);
        match batches.last_mut() {
            Some(batch) if bytes <= most => batch.push(sha),
            _ => {
                batches.push(vec![sha]);
                bytes = size;
            }
        }
    }
    batches
}

/// Kind and size of objects, without their content; omits those that are not stored. One
/// query per 100.
pub async fn heads(
    connection: &Connection,
    repository_id: i64,
    shas: &[Sha],
) -> Result<HashMap<Sha, ObjectHeader>, DbErr> {
    let mut headers = HashMap::with_capacity(shas.len());
    for chunk in shas.chunks(ROWS) {
        let rows: Vec<(String, ObjectKind, i64)> = git_object::Entity::find()
            .select_only()
            .columns([
                git_object::Column::Sha,
                git_object::Column::Kind,
                git_object::Column::Size,
            ])
            .filter(git_object::Column::RepositoryId.eq(repository_id))
            .filter(git_object::Column::Sha.is_in(chunk.iter().map(Sha::to_string)))
            .filter(visible(repository_id, git_object::Column::UploadId))
            .into_tuple()
            .all(connection)
            .await?;
        for (sha, kind, size) in rows {
            headers.insert(Sha::stored(&sha)?, ObjectHeader { kind, size });
        }
    }
    Ok(headers)
}

/// The kind of an object, or None if it is not stored. One query, no content.
pub async fn kind_of(
    connection: &Connection,
    repository_id: i64,
    sha: Sha,
) -> Result<Option<ObjectKind>, DbErr> {
    let headers = heads(connection, repository_id, &[sha]).await?;
    Ok(headers.get(&sha).map(|head| head.kind))
}

/// Whether an object is stored. One query, no content.
pub async fn exists(connection: &Connection, repository_id: i64, sha: Sha) -> Result<bool, DbErr> {
    Ok(kind_of(connection, repository_id, sha).await?.is_some())
}

/// Reads a commit; fails if it is missing or has another kind.
pub async fn load_commit(
    connection: &Connection,
    repository_id: i64,
    sha: Sha,
) -> Result<Commit, GitError> {
    let object = load(connection, repository_id, sha).await?;
    Commit::parse(&expect(sha, object, ObjectKind::Commit)?)
}

/// Reads a tree; fails if it is missing or has another kind. The empty tree always exists,
/// as in Git.
pub async fn load_tree(
    connection: &Connection,
    repository_id: i64,
    sha: Sha,
) -> Result<Tree, GitError> {
    if sha == Sha::EMPTY_TREE {
        return Ok(Tree::default());
    }
    let object = load(connection, repository_id, sha).await?;
    Tree::parse(&expect(sha, object, ObjectKind::Tree)?)
}

/// The content of an object that must exist and have this kind.
pub(super) fn expect(
    sha: Sha,
    object: Option<Object>,
    expected: ObjectKind,
) -> Result<Vec<u8>, GitError> {
    let object = object.ok_or(GitError::Missing(sha))?;
    if object.kind != expected {
        return Err(GitError::WrongKind {
            sha,
            expected,
            found: object.kind,
        });
    }
    Ok(object.content)
}
