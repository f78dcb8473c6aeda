//! Compares trees with those that the client has or gets, in bounded batches and away from
//! the threads that answer requests.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use sea_orm::{ConnectionTrait, DbErr};

use super::Selection;
use crate::git::store::{PackedChain, heads, load_many_packed, unpack};
use crate::git::transport::filter::Filter;
use crate::git::tree::{Mode, Tree};
use crate::git::{GitError, Sha};
use crate::heavy;

/// Trees that are compared in one go, and the bytes that they and their bases may have.
const JOBS: usize = 128;
const BYTES: u64 = 16 * 1024 * 1024;

/// Bases of one tree. More would only find more of what need not be sent.
const BASES: usize = 4;

/// Trees that were looked at lately and are not looked at again; trees that are kept. Both
/// are cleared when full.
const RECENT: usize = 262_144;
const KEPT_BYTES: u64 = 16 * 1024 * 1024;

/// Names whose sizes are asked for in one go.
const SIZES: usize = 1000;

/// A tree to look at.
pub(super) struct TreeJob {
    tree: Sha,
    /// What the client has or gets at the same path.
    bases: Vec<Sha>,
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

type Loaded = HashMap<Sha, Arc<Tree>>;

/// What a comparison finds.
#[derive(Default)]
struct Found {
    trees: Vec<Sha>,
    blobs: Vec<Sha>,
    deeper: Vec<TreeJob>,
}

pub(super) struct Trees {
    repository_id: i64,
    filter: Filter,
    recent: HashSet<Sha>,
    kept: Loaded,
    kept_bytes: u64,
}

impl Trees {
    pub(super) fn new(repository_id: i64, filter: Filter) -> Self {
        Self {
            repository_id,
            filter,
            recent: HashSet::new(),
            kept: HashMap::new(),
            kept_bytes: 0,
        }
    }

    /// Adds the trees and what is below them, except for what their bases have.
    pub(super) async fn walk(
        &mut self,
        connection: &impl ConnectionTrait,
        mut open: Vec<TreeJob>,
        selection: &mut Selection,
    ) -> Result<(), GitError> {
        if self.filter == Filter::Trees {
            return Ok(());
        }
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
            let blobs = !self.filter.omits_all_blobs();
            let found = heavy::compute(move || compare(jobs, &loaded, blobs)).await;
            let mut found = found.map_err(|error| DbErr::Custom(error.to_string()))?;
            selection.trees.append(&mut found.trees);
            selection.blobs.append(&mut found.blobs);
            open.append(&mut found.deeper);
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
    ) -> Result<Option<Loaded>, GitError> {
        let names: HashSet<Sha> = jobs.iter().flat_map(TreeJob::names).collect();
        let (known, absent): (Vec<Sha>, Vec<Sha>) = names
            .into_iter()
            .partition(|sha| self.kept.contains_key(sha));
        let sizes = heads(connection, self.repository_id, &absent).await?;
        let bytes: u64 = sizes.values().map(|head| head.size.unsigned_abs()).sum();
        if bytes > BYTES && jobs.len() > 1 {
            return Ok(None);
        }
        let kept = known
            .into_iter()
            .filter_map(|sha| Some((sha, self.kept.get(&sha)?.clone())));
        let mut loaded: Loaded = kept.collect();
        let chains = load_many_packed(connection, self.repository_id, &absent).await?;
        let parsed = heavy::compute(move || parse(&chains)).await;
        let parsed = parsed.map_err(|error| DbErr::Custom(error.to_string()))??;
        self.keep(&parsed, bytes);
        loaded.extend(parsed);
        // Git knows the empty tree even where it is not stored.
        let missing = absent
            .iter()
            .find(|sha| !loaded.contains_key(sha) && **sha != Sha::EMPTY_TREE);
        match missing {
            Some(sha) => Err(GitError::Missing(*sha)),
            None => Ok(Some(loaded)),
        }
    }

    fn keep(&mut self, trees: &[(Sha, Arc<Tree>)], bytes: u64) {
        if self.kept_bytes + bytes > KEPT_BYTES {
            self.kept.clear();
            self.kept_bytes = 0;
        }
        if bytes <= KEPT_BYTES {
            self.kept_bytes += bytes;
            self.kept.extend(trees.iter().cloned());
        }
    }
}

fn parse(chains: &[PackedChain]) -> Result<Vec<(Sha, Arc<Tree>)>, GitError> {
    let trees = chains.iter().map(|chain| {
        let tree = Tree::parse(&unpack(chain.sha, chain)?.content)?;
        Ok((chain.sha, Arc::new(tree)))
    });
    trees.collect()
}

fn compare(jobs: Vec<TreeJob>, loaded: &Loaded, blobs: bool) -> Found {
    let mut found = Found::default();
    for job in jobs {
        let Some(tree) = loaded.get(&job.tree) else {
            continue;
        };
        found.trees.push(job.tree);
        let bases: Vec<&Arc<Tree>> = job.bases.iter().filter_map(|sha| loaded.get(sha)).collect();
        let had = bases.iter().flat_map(|base| &base.entries);
        let had: HashSet<Sha> = had.map(|entry| entry.sha).collect();
        let mut at_path: HashMap<&[u8], Vec<Sha>> = HashMap::new();
        for entry in bases.iter().flat_map(|base| &base.entries) {
            if entry.mode == Mode::Tree {
                at_path.entry(&entry.name).or_default().push(entry.sha);
            }
        }
        for entry in tree
            .entries
            .iter()
            .filter(|entry| !had.contains(&entry.sha))
        {
            match entry.mode {
                Mode::Submodule => {}
                Mode::Tree => {
                    let bases = at_path.get(&entry.name[..]).cloned();
                    let job = TreeJob::new(entry.sha, bases.unwrap_or_default());
                    found.deeper.push(job);
                }
                _ if blobs => found.blobs.push(entry.sha),
                _ => {}
            }
        }
    }
    found
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
