//! The content of a large object, read piece by piece.

use std::io::{Cursor, Read};

use bytes::Bytes;
use flate2::read::ZlibDecoder;
use sea_orm::sea_query::Expr;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QuerySelect};

use super::chains::{load_packed, unpack};
use super::packing::{Packer, damaged};
use crate::uploads::visible;
use crate::{GitError, Sha};
use storage::database::Connection;
use storage::entities::git_object;

/// The compressed content of an object.
#[derive(Clone, Debug)]
pub struct CompressedContent {
    sha: Sha,
    size: u64,
    compressed: Bytes,
}

impl CompressedContent {
    /// The most bytes that reading an object takes.
    pub async fn loading_bytes(
        connection: &Connection,
        repository_id: i64,
        sha: Sha,
    ) -> Result<usize, GitError> {
        let row: Option<(i64, i64, Option<String>)> = git_object::Entity::find()
            .select_only()
            .column(git_object::Column::Size)
            .column_as(Expr::cust("CAST(LENGTH(content) AS BIGINT)"), "stored")
            .column(git_object::Column::BaseSha)
            .filter(git_object::Column::RepositoryId.eq(repository_id))
            .filter(git_object::Column::Sha.eq(sha.to_string()))
            .filter(visible(repository_id, git_object::Column::UploadId))
            .into_tuple()
            .one(connection)
            .await?;
        let bytes = match row.ok_or(GitError::Missing(sha))? {
            (_, stored, None) => stored,
            // A base is at most twice as large, and the result is beside it.
            (size, stored, Some(_)) => stored.saturating_add(size.saturating_mul(4)),
        };
        Ok(usize::try_from(bytes).unwrap_or(0))
    }

    /// Reads an object that must exist. One that is stored as a delta is rebuilt and compressed.
    pub async fn load(
        connection: &Connection,
        repository_id: i64,
        sha: Sha,
    ) -> Result<Self, GitError> {
        let chain = load_packed(connection, repository_id, sha).await?;
        let chain = chain.ok_or(GitError::Missing(sha))?;
        match chain.into_whole() {
            Ok((size, compressed)) => Ok(Self {
                sha,
                size,
                compressed: compressed.into(),
            }),
            Err(chain) => {
                let rebuild = move || Packer::default().pack(&unpack(sha, &chain)?);
                let packed = tokio::task::spawn_blocking(rebuild).await??;
                Ok(Self {
                    sha,
                    size: u64::try_from(packed.size).map_err(|_| damaged(sha))?,
                    compressed: packed.compressed.into(),
                })
            }
        }
    }

    /// Bytes in memory.
    pub fn bytes(&self) -> usize {
        self.compressed.len()
    }

    /// Reads the content from its beginning.
    pub fn reader(&self) -> ContentReader {
        ContentReader {
            sha: self.sha,
            remaining: self.size,
            decoder: ZlibDecoder::new(Cursor::new(self.compressed.clone())),
        }
    }
}

/// Decompresses an object.
#[derive(Debug)]
pub struct ContentReader {
    sha: Sha,
    remaining: u64,
    decoder: ZlibDecoder<Cursor<Bytes>>,
}

impl ContentReader {
    /// The next bytes, at most this many, and fewer only at the end.
    pub fn next(&mut self, most: usize) -> Result<Vec<u8>, GitError> {
        let length = self.remaining.min(most as u64);
        let mut piece = Vec::with_capacity(usize::try_from(length).unwrap_or(0));
        let read = (&mut self.decoder).take(length).read_to_end(&mut piece);
        read.map_err(|_| damaged(self.sha))?;
        self.remaining -= length;
        match piece.len() as u64 == length {
            true => Ok(piece),
            false => Err(damaged(self.sha)),
        }
    }
}
