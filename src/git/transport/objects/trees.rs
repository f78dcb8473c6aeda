//! Compares trees with those that the client has or gets, in bounded batches and away from
//! the threads that answer requests.

use std::collections::HashSet;

use sea_orm::{ConnectionTrait, DbErr};

use super::ObjectSelection;
use super::comparison::TreeDifferences;
use crate::git::store::{ObjectContents, Similar, heads};
use crate::git::transport::filter::ObjectFilter;
use crate::git::{GitError, Sha};
use crate::heavy;

/// Trees that are compared in one go, and the bytes that they and their bases may have.
const JOBS: usize = 512;
const BYTES: u64 = 16 * 1024 * 1024;

/// Bases of one tree. More would only find more of what need not be sent.
const BASES: usize = 4;

/// Trees that were looked at lately and are not looked at again; cleared when full.
const RECENT: usize = 262_144;

/// Names whose sizes are asked for in one go.
const SIZES: usize = 1000;

/// A tree to look at.
pub(super) struct TreeJob {
    pub(super) tree: Sha,
    /// What the client has or gets at the same path.
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

    /// Adds the trees and what is below them, except for what their bases have.
    pub(super) async fn walk(
        &mut self,
        connection: &impl ConnectionTrait,
        mut open: Vec<TreeJob>,
        selection: &mut ObjectSelection,
    ) -> Result<(), GitError> {
        if self.filter == ObjectFilter::Trees {
            return Ok(());
        }
        // In their order, from the end: the first are often the bases of the others.
        open.reverse();
        let mut most = JOBS;
        while !open.is_empty() {
            let mut jobs = open.split_off(open.len().saturating_sub(most));
            jobs.retain(|job| !job.bases.contains(&job.tree) && !self.recent.contains(&job.tree));
            let Some(loaded) = self.load(connection, &jobs).await? else {
                most = most.div_ceil(2).min(jobs.len().div_ceil(2));
                open.append(&mut jobs);
                continue;
            };
            most = JOBS;
            jobs.retain(|job| self.recent.insert(job.tree));
            jobs.reverse();
            let blobs = !self.filter.omits_all_blobs();
            let mut found =
                heavy::compute(move || TreeDifferences::of(&jobs, &loaded, blobs)).await??;
            selection.trees.append(&mut found.trees);
            selection.blobs.append(&mut found.blobs);
            open.extend(found.deeper.into_iter().rev());
            if self.recent.len() > RECENT {
                self.recent.clear();
            }
        }
        Ok(())
    }

    /// The trees of some jobs; none if they are too large for one go.
    async fn load(
        &mut self,
        connection: &impl ConnectionTrait,
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
        // Git knows the empty tree even where it is not stored.
        let missing = names
            .iter()
            .find(|sha| !loaded.contains_key(sha) && **sha != Sha::EMPTY_TREE);
        match missing {
            Some(sha) => Err(GitError::Missing(*sha)),
            None => Ok(Some(loaded)),
        }
    }
}

/// Leaves out blobs of at least this size.
pub(super) async fn keep_small(
    connection: &impl ConnectionTrait,
    repository_id: i64,
    names: &mut Vec<Sha>,
    from: u64,
) -> Result<(), DbErr> {
    let mut small = Vec::with_capacity(names.len());
    for some in names.chunks(SIZES) {
        let sizes = heads(connection, repository_id, some).await?;
        let is_small = |sha: &&Sha| {
            let size = sizes.get(*sha).map(|head| head.size.unsigned_abs());
            size.is_none_or(|size| size < from)
        };
        small.extend(some.iter().filter(is_small));
    }
    *names = small;
    Ok(())
}
