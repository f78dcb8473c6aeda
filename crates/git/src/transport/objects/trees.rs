//! Compares trees with those that the client has or gets, in bounded batches and on the threads
//! for heavy work.

use std::collections::HashSet;

use sea_orm::DbErr;

use super::ObjectSelection;
use super::comparison::TreeDifferences;
use crate::store::{ObjectContents, Similar, heads};
use crate::transport::filter::ObjectFilter;
use crate::{GitError, Sha};
use storage::database::Connection;
use storage::heavy;

/// Trees that are compared together, and the most bytes of them and their bases.
const JOBS: usize = 512;
const BYTES: u64 = 16 * 1024 * 1024;

/// Bases of one tree. More would only omit a few more objects.
const BASES: usize = 4;

/// Recently visited trees, which are not visited again; cleared when full.
const RECENT: usize = 262_144;

/// Names per query for sizes.
const SIZES: usize = 1000;

/// A tree to compare.
pub(super) struct TreeJob {
    pub(super) tree: Sha,
    /// The trees that the client has or gets at the same path.
    pub(super) bases: Vec<Sha>,
}

impl TreeJob {
    pub(super) fn new(tree: Sha, mut bases: Vec<Sha>) -> Self {
        bases.truncate(BASES);
        Self { tree, bases }
    }

    fn names(&self) -> impl Iterator<Item = Sha> {
        self.bases.iter().copied().chain([self.tree])
    }
}

pub(super) struct Trees {
    filter: ObjectFilter,
    recent: HashSet<Sha>,
    read: Similar,
}

impl Trees {
    pub(super) fn new(repository_id: i64, filter: ObjectFilter) -> Self {
        Self {
            filter,
            recent: HashSet::new(),
            read: Similar::new(repository_id),
        }
    }

    /// Adds the trees and everything below them that their bases do not have.
    pub(super) async fn walk(
        &mut self,
        connection: &Connection,
        mut pending: Vec<TreeJob>,
        selection: &mut ObjectSelection,
    ) -> Result<(), GitError> {
        if self.filter == ObjectFilter::Trees {
            return Ok(());
        }
        // Popped from the end, so in order: the first are often the bases of the others.
        pending.reverse();
        let mut batch_size = JOBS;
        while !pending.is_empty() {
            let mut jobs = pending.split_off(pending.len().saturating_sub(batch_size));
            jobs.retain(|job| !job.bases.contains(&job.tree) && !self.recent.contains(&job.tree));
            let Some(loaded) = self.load(connection, &jobs).await? else {
                batch_size = batch_size.div_ceil(2).min(jobs.len().div_ceil(2));
                pending.append(&mut jobs);
                continue;
            };
            batch_size = JOBS;
            jobs.retain(|job| self.recent.insert(job.tree));
            jobs.reverse();
            let blobs = !self.filter.omits_all_blobs();
            let mut differences =
                heavy::compute(move || TreeDifferences::of(&jobs, &loaded, blobs)).await??;
            selection.trees.append(&mut differences.trees);
            selection.blobs.append(&mut differences.blobs);
            pending.extend(differences.deeper.into_iter().rev());
            if self.recent.len() > RECENT {
                self.recent.clear();
            }
        }
        Ok(())
    }

    /// The trees of some jobs; None if they are too large to load together.
    async fn load(
        &mut self,
        connection: &Connection,
        jobs: &[TreeJob],
    ) -> Result<Option<ObjectContents>, GitError> {
        let mut names: Vec<Sha> = jobs.iter().flat_map(TreeJob::names).collect();
        names.sort_unstable();
        names.dedup();
        let most = match jobs.len() {
            0 | 1 => u64::MAX,
            _ => BYTES,
        };
        let Some(loaded) = self.read.load(connection, &names, most).await? else {
            return Ok(None);
        };
        // The empty tree exists even if it is not stored, as in Git.
        let missing = names
            .iter()
            .find(|sha| !loaded.contains_key(sha) && **sha != Sha::EMPTY_TREE);
        match missing {
            Some(sha) => Err(GitError::Missing(*sha)),
            None => Ok(Some(loaded)),
        }
    }
}

/// Removes blobs of at least this size.
pub(super) async fn keep_small(
    connection: &Connection,
    repository_id: i64,
    names: &mut Vec<Sha>,
    from: u64,
) -> Result<(), DbErr> {
    let mut small = Vec::with_capacity(names.len());
    for chunk in names.chunks(SIZES) {
        let sizes = heads(connection, repository_id, chunk).await?;
        let is_small = |sha: &&Sha| {
            let size = sizes.get(*sha).map(|head| head.size.unsigned_abs());
            size.is_none_or(|size| size < from)
        };
        small.extend(chunk.iter().filter(is_small));
    }
    *names = small;
    Ok(())
}
