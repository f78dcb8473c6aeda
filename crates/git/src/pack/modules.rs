//! Checks the content of the files that Git itself reads, `.gitmodules` and `.gitattributes`, in
//! the trees of a pack.

use std::collections::HashMap;
use std::sync::Arc;

use quick_cache::unsync::Cache;

use super::PackError;
use super::index::{ReceivedPack, derive};
use super::resolver::Bytes;
use crate::names::GitFile;
use crate::{GitError, Sha, fsck, store};
use storage::database::Connection;
use storage::entities::git_object::ObjectKind;
use storage::heavy;

/// Bytes of files that stay in memory: most are deltas of each other.
const CACHED_BYTES: u64 = 4 * 1024 * 1024;
const CACHED_FILES: usize = 64;

/// Bytes that may be inflated and made of deltas to read them.
const MOST_BYTES: u64 = 1024 * 1024 * 1024;

/// The bytes of a turn, and what each file adds to it.
const TURN: u64 = 4 * 1024 * 1024;
const FILE: u64 = 1024;

/// Checks all of them: those in the pack, and those that are stored already.
pub(super) async fn check(
    mut pack: ReceivedPack,
    connection: &Connection,
    repository_id: i64,
) -> Result<ReceivedPack, PackError> {
    if pack.facts.git_files.is_empty() {
        return Ok(pack);
    }
    let mut check = GitFileCheck::of(&pack);
    while !check.files.is_empty() {
        let turn = move || {
            check.run(&pack, TURN)?;
            Ok::<_, PackError>((pack, check))
        };
        (pack, check) = heavy::compute(turn).await??;
    }
    let mut stored: HashMap<Sha, Vec<GitFile>> = HashMap::new();
    for (sha, file) in &pack.facts.git_files {
        if pack.find(*sha).is_none() {
            stored.entry(*sha).or_default().push(*file);
        }
    }
    let names: Vec<Sha> = stored.keys().copied().collect();
    let heads = store::heads(connection, repository_id, &names).await?;
    // Missing ones are reported with all that is missing.
    let blobs = names.into_iter().filter_map(|sha| {
        let head = heads.get(&sha)?;
        (head.kind == ObjectKind::Blob).then_some((sha, head.size))
    });
    let blobs: Vec<(Sha, i64)> = blobs.collect();
    for (sha, size) in &blobs {
        check_size(*sha, size.unsigned_abs())?;
    }
    let each = store::read_sized(connection, repository_id, &blobs, |sha, object| {
        let mut files = stored.get(&sha).into_iter().flatten();
        files.try_for_each(|file| fsck::git_file(*file, &object.content))
    });
    heavy::with_permit(each).await?;
    Ok(pack)
}

/// The files of a pack that are still to be checked.
pub(super) struct GitFileCheck {
    /// Those with short chains come last, and are checked first.
    files: Vec<(u32, GitFile)>,
    cache: Cache<u32, Arc<Vec<u8>>, Bytes>,
    spent: u64,
}

impl GitFileCheck {
    pub(super) fn of(pack: &ReceivedPack) -> Self {
        let files = pack.facts.git_files.iter().filter_map(|(sha, file)| {
            let (index, kind) = pack.find(*sha)?;
            (kind == ObjectKind::Blob).then_some((index, *file))
        });
        let mut files: Vec<(u32, GitFile)> = files.collect();
        files.sort_unstable_by_key(|(index, file)| {
            std::cmp::Reverse((pack.entries[*index as usize].chain, *index, *file))
        });
        Self {
            files,
            cache: Cache::with_weighter(CACHED_FILES, CACHED_BYTES, Bytes),
            spent: 0,
        }
    }

    /// Checks files until about so many bytes are made.
    pub(super) fn run(&mut self, pack: &ReceivedPack, most: u64) -> Result<(), PackError> {
        let mut turn = 0;
        while turn < most
            && let Some((index, file)) = self.files.pop()
        {
            let entry = &pack.entries[index as usize];
            check_size(entry.sha, u64::from(entry.size))?;
            let cached = |index| self.cache.get(&index).cloned();
            let (content, spent) = derive(&pack.spool, &pack.entries, index, cached)?;
            turn += spent + FILE;
            self.spent += spent + FILE;
            if self.spent > MOST_BYTES {
                return Err(PackError::Limit {
                    resource: "size of all .gitmodules and .gitattributes files",
                    limit: MOST_BYTES,
                });
            }
            fsck::git_file(file, &content).map_err(|cause| PackError::Fsck {
                sha: entry.sha,
                cause,
            })?;
            self.cache.insert(index, content);
        }
        Ok(())
    }
}

fn check_size(sha: Sha, size: u64) -> Result<(), PackError> {
    let limit = fsck::LARGEST_GIT_FILE;
    match size > limit {
        true => Err(PackError::Fsck {
            sha,
            cause: GitError::TooLarge { sha, size, limit },
        }),
        false => Ok(()),
    }
}
