//! Sizes and pieces of the files that may have been renamed, read a bounded
//! number of bytes at a time. Of a file that was read only its pieces stay.

use std::collections::HashMap;

use sea_orm::{ConnectionTrait, DbErr};

use super::similarity::{Pieces, sizes_rule_out};
use super::{File, LARGEST_TEXT};
use crate::git::store::{Head, heads, load_many};
use crate::git::{GitError, Sha};

/// Bytes that are read at once, unless one file alone has more.
const BYTES_AT_ONCE: i64 = LARGEST_TEXT;

pub(super) struct Contents {
    repository_id: i64,
    heads: HashMap<Sha, Head>,
    pieces: HashMap<Sha, Pieces>,
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
        for (sha, object) in load_many(connection, self.repository_id, shas).await? {
            self.pieces.insert(sha, Pieces::of(&object.content));
        }
        Ok(())
    }

    /// How similar two files are that were read; 0 if one was not.
    pub(super) fn score(&self, old: &File, new: &File) -> i32 {
        match (self.pieces.get(&old.sha), self.pieces.get(&new.sha)) {
            (Some(old), Some(new)) => old.score(new),
            _ => 0,
        }
    }
}
