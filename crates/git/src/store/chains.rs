//! Reading objects that are stored as deltas: a row holds the whole object, or a delta of
//! another row, and so on. `pack/index.rs` bounds how long and how large a chain can be.

use std::collections::HashMap;
use std::sync::Arc;

use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, Statement, Value};

use super::ROWS;
use super::packing::{damaged, inflate};
use crate::delta;
use crate::objects::Object;
use crate::uploads::visible;
use crate::{GitError, Sha};
use storage::database::Connection;
use storage::entities::git_object;

/// An object in compressed form.
#[derive(Clone, Debug)]
pub(crate) struct PackedChain {
    pub(crate) sha: Sha,
    /// The row of the object, that of its base, and so on; the last one is whole.
    rows: Vec<Arc<git_object::Model>>,
}

impl PackedChain {
    /// Bytes of the object.
    pub(crate) fn size(&self) -> i64 {
        self.rows.first().map_or(0, |row| row.size)
    }

    /// The size and the compressed content of an object that is not stored as a delta.
    pub(super) fn into_whole(mut self) -> Result<(u64, Vec<u8>), Self> {
        match self.rows.pop() {
            Some(row) if self.rows.is_empty() => {
                let row = Arc::unwrap_or_clone(row);
                Ok((u64::try_from(row.size).unwrap_or(u64::MAX), row.content))
            }
            last => {
                self.rows.extend(last);
                Err(self)
            }
        }
    }
}

/// Reads one object in compressed form, for decompression on another thread.
pub(crate) async fn load_packed(
    connection: &Connection,
    repository_id: i64,
    sha: Sha,
) -> Result<Option<PackedChain>, GitError> {
    let chains = load_many_packed(connection, repository_id, &[sha]).await?;
    Ok(chains.into_iter().next())
}

/// Reads many objects in compressed form, for decompression on another thread.
pub(crate) async fn load_many_packed(
    connection: &Connection,
    repository_id: i64,
    shas: &[Sha],
) -> Result<Vec<PackedChain>, GitError> {
    let mut stored = Vec::with_capacity(shas.len());
    let mut by_sha = HashMap::with_capacity(shas.len());
    for row in rows(connection, repository_id, shas).await? {
        let sha = Sha::stored(&row.sha)?;
        stored.push(sha);
        by_sha.insert(sha, Arc::new(row));
    }
    let bases = by_sha.values().filter_map(|row| row.base_sha.as_deref());
    let mut bases = bases.map(Sha::stored).collect::<Result<Vec<_>, _>>()?;
    bases.sort_unstable();
    bases.dedup();
    bases.retain(|base| by_sha.get(base).is_none_or(|row| row.base_sha.is_some()));
    for chunk in bases.chunks(ROWS) {
        for row in with_bases(connection, repository_id, chunk).await? {
            by_sha
                .entry(Sha::stored(&row.sha)?)
                .or_insert(Arc::new(row));
        }
    }
    let chains = stored.into_iter().map(|sha| chain(sha, &by_sha));
    chains.collect()
}

/// The rows of objects, without those of their bases. One query per 100.
async fn rows(
    connection: &Connection,
    repository_id: i64,
    shas: &[Sha],
) -> Result<Vec<git_object::Model>, DbErr> {
    let mut models = Vec::with_capacity(shas.len());
    for chunk in shas.chunks(ROWS) {
        let rows = git_object::Entity::find()
            .filter(git_object::Column::RepositoryId.eq(repository_id))
            .filter(git_object::Column::Sha.is_in(chunk.iter().map(Sha::to_string)))
            .filter(visible(repository_id, git_object::Column::UploadId))
            .all(connection)
            .await?;
        models.extend(rows);
    }
    Ok(models)
}

/// The rows of objects and of all their bases, each once. The bases of a visible object are visible
/// too. CROSS JOIN keeps SQLite from reading every object of the repository to look each up in the
/// chain.
async fn with_bases(
    connection: &Connection,
    repository_id: i64,
    shas: &[Sha],
) -> Result<Vec<git_object::Model>, DbErr> {
    let placeholders: Vec<String> = (2..shas.len() + 2)
        .map(|number| format!("${number}"))
        .collect();
    let placeholders = placeholders.join(", ");
    let sql = format!(
        "WITH RECURSIVE chain (sha, base_sha) AS (
             SELECT sha, base_sha FROM git_object WHERE repository_id = $1 AND sha IN ({placeholders})
             UNION
             SELECT base.sha, base.base_sha FROM chain CROSS JOIN git_object AS base
             WHERE base.repository_id = $1 AND base.sha = chain.base_sha
         )
         SELECT git_object.* FROM chain CROSS JOIN git_object
         WHERE git_object.repository_id = $1 AND git_object.sha = chain.sha"
    );
    let shas = shas.iter().map(|sha| Value::from(sha.to_string()));
    let values = std::iter::once(Value::from(repository_id)).chain(shas);
    let backend = connection.get_database_backend();
    let statement = Statement::from_sql_and_values(backend, sql, values);
    git_object::Entity::find()
        .from_raw_sql(statement)
        .all(connection)
        .await
}

/// Follows the bases of an object.
fn chain(sha: Sha, by_sha: &HashMap<Sha, Arc<git_object::Model>>) -> Result<PackedChain, GitError> {
    let mut rows: Vec<Arc<git_object::Model>> = Vec::new();
    let mut next = Some(sha);
    while let Some(name) = next.take() {
        let row = by_sha.get(&name).ok_or_else(|| damaged(sha))?;
        if rows.len() == by_sha.len() {
            return Err(damaged(sha));
        }
        next = row.base_sha.as_deref().map(Sha::stored).transpose()?;
        rows.push(Arc::clone(row));
    }
    Ok(PackedChain { sha, rows })
}

/// Rebuilds an object from its chain. Never decompresses more than the stored sizes.
pub(crate) fn unpack(sha: Sha, chain: &PackedChain) -> Result<Object, GitError> {
    let mut content = Vec::new();
    let mut kind = None;
    for row in chain.rows.iter().rev() {
        let size = u64::try_from(row.size).map_err(|_| damaged(sha))?;
        content = match row.base_sha {
            None => inflate(sha, &row.content, size)?,
            Some(_) => {
                let (length, delta) = row.content.split_first_chunk().ok_or(damaged(sha))?;
                let delta = inflate(sha, delta, u64::from(u32::from_be_bytes(*length)))?;
                delta::apply(&content, &delta, size).map_err(|_| damaged(sha))?
            }
        };
        if content.len() as u64 != size || kind.is_some_and(|kind| kind != row.kind) {
            return Err(damaged(sha));
        }
        kind = Some(row.kind);
    }
    let kind = kind.ok_or(damaged(sha))?;
    Ok(Object { kind, content })
}
