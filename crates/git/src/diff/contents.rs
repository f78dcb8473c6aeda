//! Sizes and content chunks of files that may have been renamed. Reads a bounded number of
//! bytes at a time, and keeps only the chunks of a file.

use std::collections::HashMap;

use sea_orm::DbErr;

use super::changes::DiffObjects;
use super::similarity::{Chunks, sizes_rule_out};
use super::{File, LARGEST_TEXT};
use crate::store::{ObjectHeader, heads, load_many_packed, unpack};
use crate::{GitError, Sha};
use storage::heavy;

/// Bytes per read, unless a single file is larger.
const BYTES_AT_ONCE: i64 = LARGEST_TEXT;

/// Bytes read in total. Files beyond this are not considered for renames.
const MOST_BYTES: i64 = 64 * 1024 * 1024;

pub(super) struct FileContents {
    heads: HashMap<Sha, ObjectHeader>,
    chunks: HashMap<Sha, Chunks>,
    /// Bytes that may still be read.
    remaining_bytes: i64,
}

impl FileContents {
    /// Reads the sizes of files.
    pub(super) async fn measure(
        objects: &DiffObjects<'_>,
        files: impl Iterator<Item = &File>,
    ) -> Result<Self, DbErr> {
        let shas: Vec<Sha> = files
            .filter(|file| file.mode.is_regular())
            .map(|file| file.sha)
            .collect();
        let mut sizes = heads(objects.connection, objects.repository_id, &shas).await?;
        sizes.extend(shas.into_iter().filter_map(|sha| {
            let object = objects.overlay.get(sha)?;
            let size = i64::try_from(object.content.len()).unwrap_or(i64::MAX);
            let kind = object.kind;
            Some((sha, ObjectHeader { kind, size }))
        }));
        Ok(Self {
            heads: sizes,
            chunks: HashMap::new(),
            remaining_bytes: MOST_BYTES,
        })
    }

    fn size(&self, file: &File) -> Option<i64> {
        let size = self.heads.get(&file.sha)?.size;
        (file.mode.is_regular() && size <= LARGEST_TEXT).then_some(size)
    }

    /// Whether two files can reach a score, judging by their sizes.
    pub(super) fn comparable(&self, old: &File, new: &File, least: i32) -> bool {
        match (self.size(old), self.size(new)) {
            (Some(old), Some(new)) => !sizes_rule_out(old, new, least),
            _ => false,
        }
    }

    /// Reads the files that were not read yet.
    pub(super) async fn read(
        &mut self,
        objects: &DiffObjects<'_>,
        files: impl Iterator<Item = &File>,
    ) -> Result<(), GitError> {
        let mut unread: Vec<(Sha, i64)> = files
            .filter(|file| !self.chunks.contains_key(&file.sha))
            .filter_map(|file| Some((file.sha, self.size(file)?)))
            .collect();
        unread.sort_unstable();
        unread.dedup();
        let mut batch = Vec::new();
        let mut bytes = 0;
        for (sha, size) in unread {
            if size > self.remaining_bytes {
                break;
            }
            self.remaining_bytes -= size;
            if bytes + size > BYTES_AT_ONCE {
                self.read_batch(objects, &std::mem::take(&mut batch))
                    .await?;
                bytes = 0;
            }
            batch.push(sha);
            bytes += size;
        }
        self.read_batch(objects, &batch).await
    }

    async fn read_batch(
        &mut self,
        objects: &DiffObjects<'_>,
        shas: &[Sha],
    ) -> Result<(), GitError> {
        let (connection, repository) = (objects.connection, objects.repository_id);
        let overlaid = shas.iter().filter_map(|sha| {
            let object = objects.overlay.get(*sha)?;
            Some((*sha, Chunks::of(&object.content)))
        });
        self.chunks.extend(overlaid);
        let work = async {
            let rows = load_many_packed(connection, repository, shas).await?;
            let chunks = move || {
                let chunks = rows.iter().map(|row| {
                    let content = unpack(row.sha, row)?.content;
                    Ok((row.sha, Chunks::of(&content)))
                });
                chunks.collect::<Result<Vec<_>, GitError>>()
            };
            heavy::compute(chunks).await?
        };
        self.chunks.extend(heavy::with_permit(work).await?);
        Ok(())
    }

    /// The cost of comparing two files.
    pub(super) fn effort(&self, old: &File, new: &File) -> usize {
        let chunks = |file: &File| self.chunks.get(&file.sha).map_or(0, Chunks::len);
        chunks(old) + chunks(new)
    }

    /// The similarity of two files; 0 if one of them was not read.
    pub(super) fn score(&self, old: &File, new: &File) -> i32 {
        match (self.chunks.get(&old.sha), self.chunks.get(&new.sha)) {
            (Some(old), Some(new)) => old.score(new),
            _ => 0,
        }
    }
}
