//! Sizes and pieces of the files that may have been renamed, read a bounded
//! number of bytes at a time. Of a file that was read only its pieces stay.

use std::collections::HashMap;

use sea_orm::{ConnectionTrait, DbErr};

use super::similarity::{Pieces, sizes_rule_out};
use super::texts::computed;
use super::{File, LARGEST_TEXT};
use crate::git::store::{Head, heads, load_many_packed, unpack};
use crate::git::{GitError, Sha};
use crate::heavy;

/// Bytes that are read at once, unless one file alone has more.
const BYTES_AT_ONCE: i64 = LARGEST_TEXT;

/// Bytes that are read in all. Files beyond them are taken for no renames.
const MOST_BYTES: i64 = 64 * 1024 * 1024;

pub(super) struct Contents {
    repository_id: i64,
    heads: HashMap<Sha, Head>,
    pieces: HashMap<Sha, Pieces>,
    /// Bytes that may still be read.
    left: i64,
}

impl Contents {
    /// Learns the sizes of files.
    pub(super) async fn measure(
        connection: &impl ConnectionTrait,
        repository_id: i64,
        files: impl Iterator<Item = &File>,
    ) -> Result<Self, DbErr> {
        let shas: Vec<Sha> = files
            .filter(|file| file.mode.is_regular())
            .map(|file| file.sha)
            .collect();
        Ok(Self {
            repository_id,
            heads: heads(connection, repository_id, &shas).await?,
            pieces: HashMap::new(),
            left: MOST_BYTES,
        })
    }

    fn size(&self, file: &File) -> Option<i64> {
        let size = self.heads.get(&file.sha)?.size;
        (file.mode.is_regular() && size <= LARGEST_TEXT).then_some(size)
    }

    /// Whether two files may reach a score at all, by their sizes.
    pub(super) fn comparable(&self, old: &File, new: &File, least: i32) -> bool {
        match (self.size(old), self.size(new)) {
            (Some(old), Some(new)) => !sizes_rule_out(old, new, least),
            _ => false,
        }
    }

    /// Reads the files that were not read yet.
    pub(super) async fn read(
        &mut self,
        connection: &impl ConnectionTrait,
        files: impl Iterator<Item = &File>,
    ) -> Result<(), GitError> {
        let mut wanted: Vec<(Sha, i64)> = files
            .filter(|file| !self.pieces.contains_key(&file.sha))
            .filter_map(|file| Some((file.sha, self.size(file)?)))
            .collect();
        wanted.sort_unstable();
        wanted.dedup();
        let mut some = Vec::new();
        let mut bytes = 0;
        for (sha, size) in wanted {
            if size > self.left {
                break;
            }
            self.left -= size;
            if bytes + size > BYTES_AT_ONCE {
                self.read_some(connection, &std::mem::take(&mut some))
                    .await?;
                bytes = 0;
            }
            some.push(sha);
            bytes += size;
        }
        self.read_some(connection, &some).await
    }

    async fn read_some(
        &mut self,
        connection: &impl ConnectionTrait,
        shas: &[Sha],
    ) -> Result<(), GitError> {
        let repository = self.repository_id;
        let work = async {
            let rows = load_many_packed(connection, repository, shas).await?;
            let pieces = move || {
                let pieces = rows.iter().map(|row| {
                    let sha = Sha::stored(&row.sha)?;
                    Ok((sha, Pieces::of(&unpack(sha, row)?.content)))
                });
                pieces.collect::<Result<Vec<_>, GitError>>()
            };
            computed(pieces).await?
        };
        self.pieces.extend(heavy::in_turn(work).await?);
        Ok(())
    }

    /// What it takes to compare two files.
    pub(super) fn effort(&self, old: &File, new: &File) -> usize {
        let pieces = |file: &File| self.pieces.get(&file.sha).map_or(0, Pieces::len);
        pieces(old) + pieces(new)
    }

    /// How similar two files are that were read; 0 if one was not.
    pub(super) fn score(&self, old: &File, new: &File) -> i32 {
        match (self.pieces.get(&old.sha), self.pieces.get(&new.sha)) {
            (Some(old), Some(new)) => old.score(new),
            _ => 0,
        }
    }
}
