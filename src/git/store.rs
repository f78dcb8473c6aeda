//! Objects in the database: whole, compressed one by one, and named by what they
//! hold. The graph of commits is kept by `graph`; whoever stores a commit must
//! tell it.
//!
//! Content is written once: storing what is there changes nothing.

use std::collections::HashMap;
use std::io::Read;

use flate2::read::ZlibDecoder;
use flate2::{Compress, Compression, FlushCompress, Status};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QuerySelect,
};

use super::objects::{Commit, Object};
use super::tree::Tree;
use super::{GitError, LARGEST_OBJECT, Sha};
use crate::entities::git_object::{self, Kind};

/// Rows per statement. More make a statement slower to prepare than they save.
const ROWS: usize = 100;

/// Bytes per statement, beyond which it is not filled up.
const BYTES: usize = 4 * 1024 * 1024;

/// Bytes by which the room for compressed content grows.
const GROWTH: usize = 16 * 1024;

/// An object ready to be stored: named and compressed.
#[derive(Clone, Debug)]
pub struct Packed {
    pub sha: Sha,
    pub kind: Kind,
    pub size: i64,
    pub compressed: Vec<u8>,
}

/// What an object is, without its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    pub kind: Kind,
    pub size: i64,
}

/// Names and compresses objects. One is kept for many objects: its tables are
/// large, and making them anew for each object scatters the memory.
pub struct Packer {
    engine: Compress,
    buffer: Vec<u8>,
}

impl Default for Packer {
    fn default() -> Self {
        Self {
            engine: Compress::new(Compression::fast(), true),
            buffer: Vec::new(),
        }
    }
}

impl Packer {
    /// Pure work of the processor; no more memory than the object has.
    pub fn pack(&mut self, object: &Object) -> Result<Packed, GitError> {
        let sha = object.sha();
        let size = object.content.len() as u64;
        let limit = object.kind.largest();
        if size > limit {
            return Err(GitError::TooLarge { sha, size, limit });
        }
        Ok(Packed {
            sha,
            kind: object.kind,
            size: i64::try_from(size).map_err(|_| damaged(sha))?,
            compressed: self.compress(&object.content).ok_or(damaged(sha))?,
        })
    }

    fn compress(&mut self, content: &[u8]) -> Option<Vec<u8>> {
        self.engine.reset();
        self.buffer.clear();
        loop {
            self.buffer.reserve(GROWTH);
            let rest = content.get(usize::try_from(self.engine.total_in()).ok()?..)?;
            let status = self
                .engine
                .compress_vec(rest, &mut self.buffer, FlushCompress::Finish)
                .ok()?;
            if status == Status::StreamEnd {
                return Some(self.buffer.clone());
            }
        }
    }
}

/// Stores objects that are not there yet. One statement per 100 objects or 4 MiB.
pub async fn store_objects(
    connection: &impl ConnectionTrait,
    repository_id: i64,
    objects: &[Object],
) -> Result<(), GitError> {
    let mut packer = Packer::default();
    let packed: Vec<Packed> = objects
        .iter()
        .map(|object| packer.pack(object))
        .collect::<Result<_, _>>()?;
    store_packed(connection, repository_id, packed).await?;
    Ok(())
}

/// Stores objects that are not there yet, and says how many were new.
pub async fn store_packed(
    connection: &impl ConnectionTrait,
    repository_id: i64,
    objects: Vec<Packed>,
) -> Result<u64, DbErr> {
    let mut stored = 0;
    let mut rows = Vec::new();
    let mut bytes = 0;
    for object in objects {
        bytes += object.compressed.len();
        rows.push(git_object::ActiveModel {
            repository_id: Set(repository_id),
            sha: Set(object.sha.to_string()),
            kind: Set(object.kind),
            size: Set(object.size),
            content: Set(object.compressed),
        });
        if rows.len() == ROWS || bytes >= BYTES {
            stored += insert(connection, std::mem::take(&mut rows)).await?;
            bytes = 0;
        }
    }
    Ok(stored + insert(connection, rows).await?)
}

async fn insert(
    connection: &impl ConnectionTrait,
    rows: Vec<git_object::ActiveModel>,
) -> Result<u64, DbErr> {
    let outcome = git_object::Entity::insert_many(rows)
        .on_conflict_do_nothing_on([git_object::Column::RepositoryId, git_object::Column::Sha])
        .exec_without_returning(connection)
        .await?;
    Ok(match outcome {
        sea_orm::TryInsertResult::Inserted(count) => count,
        sea_orm::TryInsertResult::Empty | sea_orm::TryInsertResult::Conflicted => 0,
    })
}

/// Reads one object. One query by primary key.
pub async fn load(
    connection: &impl ConnectionTrait,
    repository_id: i64,
    sha: Sha,
) -> Result<Option<Object>, GitError> {
    let row = load_packed(connection, repository_id, sha).await?;
    row.map(|row| unpack(sha, &row)).transpose()
}

/// Reads one object as it is stored, for whoever unpacks it elsewhere.
pub(super) async fn load_packed(
    connection: &impl ConnectionTrait,
    repository_id: i64,
    sha: Sha,
) -> Result<Option<git_object::Model>, DbErr> {
    git_object::Entity::find_by_id((repository_id, sha.to_string()))
        .one(connection)
        .await
}

/// Reads many objects; those that are not stored are not in the answer. One
/// query per 100. All of their content is held at once: ask [`heads`] first
/// when it may be large.
pub async fn load_many(
    connection: &impl ConnectionTrait,
    repository_id: i64,
    shas: &[Sha],
) -> Result<HashMap<Sha, Object>, GitError> {
    let rows = load_many_packed(connection, repository_id, shas).await?;
    let objects = rows.iter().map(|row| {
        let sha = Sha::stored(&row.sha)?;
        Ok((sha, unpack(sha, row)?))
    });
    objects.collect()
}

/// Reads many objects as they are stored, for whoever unpacks them elsewhere.
pub(super) async fn load_many_packed(
    connection: &impl ConnectionTrait,
    repository_id: i64,
    shas: &[Sha],
) -> Result<Vec<git_object::Model>, DbErr> {
    let mut found = Vec::with_capacity(shas.len());
    for some in shas.chunks(ROWS) {
        let rows = git_object::Entity::find()
            .filter(git_object::Column::RepositoryId.eq(repository_id))
            .filter(git_object::Column::Sha.is_in(some.iter().map(Sha::to_string)))
            .all(connection)
            .await?;
        found.extend(rows);
    }
    Ok(found)
}

/// Kind and size of objects, without reading them; those that are not stored are
/// not in the answer. One query per 100.
pub async fn heads(
    connection: &impl ConnectionTrait,
    repository_id: i64,
    shas: &[Sha],
) -> Result<HashMap<Sha, Head>, DbErr> {
    let mut found = HashMap::with_capacity(shas.len());
    for some in shas.chunks(ROWS) {
        let rows: Vec<(String, Kind, i64)> = git_object::Entity::find()
            .select_only()
            .columns([
                git_object::Column::Sha,
                git_object::Column::Kind,
                git_object::Column::Size,
            ])
            .filter(git_object::Column::RepositoryId.eq(repository_id))
            .filter(git_object::Column::Sha.is_in(some.iter().map(Sha::to_string)))
            .into_tuple()
            .all(connection)
            .await?;
        for (sha, kind, size) in rows {
            found.insert(Sha::stored(&sha)?, Head { kind, size });
        }
    }
    Ok(found)
}

/// The kind of an object, or None if it is not stored. One query, no content.
pub async fn kind_of(
    connection: &impl ConnectionTrait,
    repository_id: i64,
    sha: Sha,
) -> Result<Option<Kind>, DbErr> {
    let found = heads(connection, repository_id, &[sha]).await?;
    Ok(found.get(&sha).map(|head| head.kind))
}

/// Whether an object is stored. One query, no content.
pub async fn exists(
    connection: &impl ConnectionTrait,
    repository_id: i64,
    sha: Sha,
) -> Result<bool, DbErr> {
    Ok(kind_of(connection, repository_id, sha).await?.is_some())
}

/// Reads a commit, or says that it is missing or something else.
pub async fn load_commit(
    connection: &impl ConnectionTrait,
    repository_id: i64,
    sha: Sha,
) -> Result<Commit, GitError> {
    let object = load(connection, repository_id, sha).await?;
    Commit::parse(&expect(sha, object, Kind::Commit)?)
}

/// Reads a tree, or says that it is missing or something else. The empty tree is
/// always there, as in Git.
pub async fn load_tree(
    connection: &impl ConnectionTrait,
    repository_id: i64,
    sha: Sha,
) -> Result<Tree, GitError> {
    if sha == Sha::EMPTY_TREE {
        return Ok(Tree::default());
    }
    let object = load(connection, repository_id, sha).await?;
    Tree::parse(&expect(sha, object, Kind::Tree)?)
}

/// The content of an object that must be there and of that kind.
pub(super) fn expect(
    sha: Sha,
    object: Option<Object>,
    expected: Kind,
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

/// Never reads more than the size that was stored beside the content.
pub(super) fn unpack(sha: Sha, row: &git_object::Model) -> Result<Object, GitError> {
    let size = u64::try_from(row.size).map_err(|_| damaged(sha))?;
    let mut content = Vec::with_capacity(usize::try_from(size.min(LARGEST_OBJECT)).unwrap_or(0));
    ZlibDecoder::new(row.content.as_slice())
        .take(size + 1)
        .read_to_end(&mut content)
        .map_err(|_| damaged(sha))?;
    if content.len() as u64 != size {
        return Err(damaged(sha));
    }
    Ok(Object {
        kind: row.kind,
        content,
    })
}

fn damaged(sha: Sha) -> GitError {
    GitError::Damaged(sha.to_string())
}
