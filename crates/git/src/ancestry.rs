//! Ancestry queries and the merge base. Answered from the reachability tables in `reach`,
//! without reading a whole history.

use std::cmp::Reverse;
use std::collections::HashMap;

use sea_orm::sea_query::Condition;
use sea_orm::{ColumnTrait, DbErr, EntityTrait, QueryFilter};

use super::graph::find;
use super::paint::Paint;
use super::reach::{ChainPosition, NodeAddress, Pages, common, count, position};
use super::walk::CommitCache;
use super::{GitError, Sha};
use storage::database::Connection;
use storage::entities::git_commit;

/// Commits per query.
const ROWS: usize = 100;

/// The most best common ancestors that are found. Git has no bound.
const MOST_BASES: usize = 16;

/// Whether `old` is `new` or one of its ancestors: whether moving a reference from `old` to
/// `new` is a fast-forward.
///
/// Reads the rows of the two commits and at most eight pages (log₁₆ of the number of
/// chains), however long the history.
pub async fn is_ancestor(
    connection: &Connection,
    repository_id: i64,
    old: Sha,
    new: Sha,
) -> Result<bool, GitError> {
    let old = node(connection, repository_id, old).await?;
    let new = node(connection, repository_id, new).await?;
    let mut pages = Pages::default();
    contains(connection, &mut pages, &new, &old).await
}

/// How many commits a commit leads to, itself included: what `git rev-list --count` prints.
pub async fn count_reached(
    connection: &Connection,
    repository_id: i64,
    from: Sha,
) -> Result<i64, GitError> {
    let from = node(connection, repository_id, from).await?;
    let root = NodeAddress::stored(from.reach);
    let mut pages = Pages::default();
    let others = pages.query(connection, |pages| count(pages, root, from.chain));
    Ok(from.position + 1 + others.await?)
}

async fn contains(
    connection: &Connection,
    pages: &mut Pages,
    new: &git_commit::Model,
    old: &git_commit::Model,
) -> Result<bool, GitError> {
    if old.generation >= new.generation {
        return Ok(old.id == new.id);
    }
    let reached = reached(connection, pages, new, old.chain).await?;
    Ok(reached.is_some_and(|position| position >= old.position))
}

/// The highest position of a chain that a commit reaches.
async fn reached(
    connection: &Connection,
    pages: &mut Pages,
    from: &git_commit::Model,
    chain: i64,
) -> Result<Option<i64>, GitError> {
    if from.chain == chain {
        return Ok(Some(from.position));
    }
    let root = NodeAddress::stored(from.reach);
    pages
        .query(connection, |pages| position(pages, root, chain))
        .await
}

/// The best common ancestor of two commits, or None if their histories are unrelated: what
/// `git merge-base` prints.
///
/// After criss-cross merges there are several. Git prints the one committed last, and of
/// equal dates the one that its walk visits first. Only that tie needs a walk here.
///
/// Otherwise it compares only the parts of the two tables that are not shared: the chains
/// that grew on both sides since they diverged.
pub async fn merge_base(
    connection: &Connection,
    repository_id: i64,
    one: Sha,
    other: Sha,
) -> Result<Option<Sha>, GitError> {
    let one = node(connection, repository_id, one).await?;
    let other = node(connection, repository_id, other).await?;
    let mut pages = Pages::default();
    let mut candidates = candidates(connection, &mut pages, &one, &other).await?;
    candidates.sort_by_key(|commit| Reverse(commit.committed_at));
    let mut best: Vec<&git_commit::Model> = Vec::new();
    for candidate in &candidates {
        if best
            .first()
            .is_some_and(|best| best.committed_at != candidate.committed_at)
        {
            break;
        }
        if is_best(connection, &mut pages, candidate, &candidates).await? {
            best.push(candidate);
        }
    }
    match best.as_slice() {
        [] => Ok(None),
        [only] => Ok(Some(Sha::stored(&only.sha)?)),
        several => Ok(Some(
            first_visited(connection, [one.id, other.id], several).await?,
        )),
    }
}

/// All best common ancestors of a commit and a merge of some others, in the order in which
/// Git merges them: oldest first. At most `MOST_BASES`; of more only the last.
pub async fn merge_bases(
    connection: &Connection,
    repository_id: i64,
    ones: &[Sha],
    other: Sha,
) -> Result<Vec<Sha>, GitError> {
    let other = node(connection, repository_id, other).await?;
    let mut pages = Pages::default();
    let mut ancestors: HashMap<i64, git_commit::Model> = HashMap::new();
    let mut starts = Vec::with_capacity(ones.len());
    for one in ones {
        let one = node(connection, repository_id, *one).await?;
        let common = candidates(connection, &mut pages, &one, &other).await?;
        ancestors.extend(common.into_iter().map(|commit| (commit.id, commit)));
        starts.push(one.id);
    }
    let mut ancestors: Vec<git_commit::Model> = ancestors.into_values().collect();
    ancestors.sort_by_key(|commit| (Reverse(commit.generation), commit.id));
    let mut best: Vec<git_commit::Model> = Vec::new();
    for commit in ancestors {
        // A commit that contains this one is in `best` itself, or an ancestor of one that is.
        if best.len() < MOST_BASES && is_best(connection, &mut pages, &commit, &best).await? {
            best.push(commit);
        }
    }
    best.sort_by_key(|commit| commit.committed_at);
    let tied = |pair: &[git_commit::Model]| pair[0].committed_at == pair[1].committed_at;
    if best.windows(2).any(tied) {
        let walk = Paint::new(starts[0], other.id);
        let visited = walk.run(connection, &mut CommitCache::new()).await?;
        let turn = |commit: &git_commit::Model| visited.iter().position(|id| *id == commit.id);
        best.sort_by_key(|commit| (commit.committed_at, Reverse(turn(commit))));
    }
    let shas = best.iter().map(|commit| Ok(Sha::stored(&commit.sha)?));
    shas.collect()
}

/// Common ancestors, including all the best ones.
async fn candidates(
    connection: &Connection,
    pages: &mut Pages,
    one: &git_commit::Model,
    other: &git_commit::Model,
) -> Result<Vec<git_commit::Model>, GitError> {
    let roots = [one, other].map(|commit| NodeAddress::stored(commit.reach));
    let mut positions = pages
        .query(connection, |pages| common(pages, roots[0], roots[1]))
        .await?;
    for (from, tip) in [(one, other), (other, one)] {
        if let Some(position) = reached(connection, pages, from, tip.chain).await? {
            positions.push(ChainPosition {
                chain: tip.chain,
                position: position.min(tip.position),
            });
        }
    }
    positions.sort_unstable();
    positions.dedup();
    Ok(at_positions(connection, one.repository_id, &positions).await?)
}

async fn at_positions(
    connection: &Connection,
    repository_id: i64,
    positions: &[ChainPosition],
) -> Result<Vec<git_commit::Model>, DbErr> {
    let mut commits = Vec::with_capacity(positions.len());
    for chunk in positions.chunks(ROWS) {
        let mut any = Condition::any();
        for ChainPosition { chain, position } in chunk {
            any = any.add(
                Condition::all()
                    .add(git_commit::Column::RepositoryId.eq(repository_id))
                    .add(git_commit::Column::Chain.eq(*chain))
                    .add(git_commit::Column::Position.eq(*position)),
            );
        }
        commits.extend(
            git_commit::Entity::find()
                .filter(any)
                .all(connection)
                .await?,
        );
    }
    Ok(commits)
}

/// Whether no other candidate contains this one.
async fn is_best(
    connection: &Connection,
    pages: &mut Pages,
    candidate: &git_commit::Model,
    candidates: &[git_commit::Model],
) -> Result<bool, GitError> {
    for other in candidates.iter().filter(|other| other.id != candidate.id) {
        if contains(connection, pages, other, candidate).await? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The first of several commits with equal dates in the order of Git's walk.
async fn first_visited(
    connection: &Connection,
    starts: [i64; 2],
    several: &[&git_commit::Model],
) -> Result<Sha, GitError> {
    let visited = Paint::new(starts[0], starts[1])
        .run(connection, &mut CommitCache::new())
        .await?;
    let first = visited
        .iter()
        .find_map(|id| several.iter().find(|commit| commit.id == *id))
        .ok_or_else(|| DbErr::Custom("a walk met no merge base".to_owned()))?;
    Ok(Sha::stored(&first.sha)?)
}

async fn node(
    connection: &Connection,
    repository_id: i64,
    sha: Sha,
) -> Result<git_commit::Model, GitError> {
    find(connection, repository_id, sha)
        .await?
        .ok_or(GitError::Missing(sha))
}
