//! A cache of the commit graph with read-ahead, and the walk from a commit down to known
//! commits. Queries on two commits are in `ancestry`.
//!
//! A walk that reads a commit will read its ancestors next: each query fetches a range of
//! them, and the range grows with the walk.

use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, BinaryHeap, HashMap};

use sea_orm::{ConnectionTrait, DbErr, Statement, Value};

use super::graph::find_many;
use super::{GitError, Sha};
use storage::database::Connection;

/// Some commits and their nearest ancestors, with parents in order.
const AROUND: &str = "
    WITH RECURSIVE near (id) AS (
        SELECT id FROM git_commit WHERE id IN ($1, $2, $3, $4, $5, $6, $7, $8)
        UNION
        SELECT edge.parent_id
        FROM near
        JOIN git_commit_parent edge ON edge.commit_id = near.id
    )
    SELECT node.id, node.sha, node.tree_sha, node.generation, node.committed_at, edge.parent_id
    FROM (SELECT id FROM near LIMIT $9) nearest
    JOIN git_commit node ON node.id = nearest.id
    LEFT JOIN git_commit_parent edge ON edge.commit_id = node.id
    ORDER BY node.id, edge.ordinal";

/// Commits from which one query reads ahead.
const SEEDS: usize = 8;

const FIRST_STRETCH: i64 = 16;
const LONGEST_STRETCH: i64 = 4096;

/// A commit as walks see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitNode {
    pub sha: Sha,
    pub tree: Sha,
    pub generation: i64,
    pub committed_at: i64,
    /// Row ids, first parent first.
    pub(super) parents: Vec<i64>,
}

/// The commits that a walk has read.
pub(super) struct CommitCache {
    nodes: HashMap<i64, CommitNode>,
    /// Unread parents of commits that were read. A query reads ahead from several of them,
    /// newest first: one query each would fetch the same ancestors repeatedly.
    edge: BTreeSet<i64>,
    stretch: i64,
}

impl CommitCache {
    pub(super) fn new() -> Self {
        Self {
            nodes: HashMap::new(),
            edge: BTreeSet::new(),
            stretch: 1,
        }
    }

    /// The node with this row id; reads it if necessary.
    pub(super) async fn get(
        &mut self,
        connection: &Connection,
        id: i64,
    ) -> Result<CommitNode, DbErr> {
        if !self.nodes.contains_key(&id) {
            self.read(connection, id).await?;
        }
        self.nodes
            .get(&id)
            .cloned()
            .ok_or_else(|| DbErr::RecordNotFound(format!("commit {id}")))
    }

    /// The trees of the commits that were read, newest first.
    pub(super) fn trees(&self) -> Vec<Sha> {
        let mut nodes: Vec<&CommitNode> = self.nodes.values().collect();
        nodes.sort_unstable_by_key(|node| std::cmp::Reverse((node.committed_at, node.sha)));
        nodes.into_iter().map(|node| node.tree).collect()
    }

    /// Drops a node that is no longer needed.
    pub(super) fn forget(&mut self, id: i64) {
        self.nodes.remove(&id);
    }

    async fn read(&mut self, connection: &Connection, id: i64) -> Result<(), DbErr> {
        let mut values: [Value; SEEDS + 1] = std::array::from_fn(|_| id.into());
        for (value, other) in values[1..SEEDS].iter_mut().zip(self.edge.iter().rev()) {
            *value = (*other).into();
        }
        values[SEEDS] = self.stretch.into();
        self.stretch = (self.stretch * 2).clamp(FIRST_STRETCH, LONGEST_STRETCH);
        let backend = connection.get_database_backend();
        let statement = Statement::from_sql_and_values(backend, AROUND, values);
        let mut fresh: HashMap<i64, CommitNode> = HashMap::new();
        for row in connection.query_all_raw(statement).await? {
            let node = match fresh.entry(row.try_get_by_index(0)?) {
                Entry::Occupied(node) => node.into_mut(),
                Entry::Vacant(vacant) => vacant.insert(CommitNode {
                    sha: Sha::stored(&row.try_get_by_index::<String>(1)?)?,
                    tree: Sha::stored(&row.try_get_by_index::<String>(2)?)?,
                    generation: row.try_get_by_index(3)?,
                    committed_at: row.try_get_by_index(4)?,
                    parents: Vec::new(),
                }),
            };
            node.parents.extend(row.try_get_by_index::<Option<i64>>(5)?);
        }
        self.nodes
            .extend(fresh.iter().map(|(id, node)| (*id, node.clone())));
        self.edge.retain(|id| !self.nodes.contains_key(id));
        let parents = fresh.values().flat_map(|node| &node.parents);
        self.edge
            .extend(parents.filter(|id| !self.nodes.contains_key(id)));
        Ok(())
    }
}

/// The result of a walk, newest generation first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewCommits {
    pub commits: Vec<GainedCommit>,
    /// False if the walk stopped at its limit.
    pub complete: bool,
}

/// A commit that a reference would gain, with what is needed to diff it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GainedCommit {
    pub sha: Sha,
    pub tree: Sha,
    /// First parent first.
    pub parents: Vec<ParentCommit>,
}

/// A parent, with its tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParentCommit {
    pub sha: Sha,
    pub tree: Sha,
}

/// The commits that are reachable from `new` and from none of `known`: what `git rev-list
/// new --not known` lists. Stops after `limit` commits, including those below `known`.
///
/// Reads at most 4096 commits per query.
pub async fn new_commits(
    connection: &Connection,
    repository_id: i64,
    known: &[Sha],
    new: Sha,
    limit: usize,
) -> Result<NewCommits, GitError> {
    let mut walk = Walk {
        cache: CommitCache::new(),
        frontier: Frontier::default(),
    };
    walk.start(connection, repository_id, known, new).await?;
    let mut commits = Vec::new();
    for _ in 0..limit {
        match walk.step(connection).await? {
            WalkStep::Found(commit) => commits.push(commit),
            WalkStep::Known => {}
            WalkStep::Done => {
                return Ok(NewCommits {
                    commits,
                    complete: true,
                });
            }
        }
    }
    let complete = walk.frontier.is_done();
    Ok(NewCommits { commits, complete })
}

enum WalkStep {
    Found(GainedCommit),
    Known,
    Done,
}

/// Commits to visit, each known or not. In generation order a commit comes after all of its
/// descendants, so its state is final when it is visited.
#[derive(Default)]
pub(super) struct Frontier {
    known: HashMap<i64, bool>,
    queue: BinaryHeap<(i64, i64)>,
    /// How many queued commits are not known.
    unknown: usize,
}

impl Frontier {
    /// Queues a commit. It is known if any of its descendants is.
    pub(super) fn enqueue(&mut self, id: i64, generation: i64, known: bool) {
        match self.known.get(&id).copied() {
            None => {
                self.known.insert(id, known);
                self.queue.push((generation, id));
                self.unknown += usize::from(!known);
            }
            Some(false) if known => {
                self.known.insert(id, true);
                self.unknown -= 1;
            }
            Some(_) => {}
        }
    }

    /// The next commit, and whether it is known; None when only known ones are left.
    pub(super) fn next(&mut self) -> Option<(i64, bool)> {
        if self.is_done() {
            return None;
        }
        let (_, id) = self.queue.pop()?;
        let known = self.known.remove(&id).unwrap_or(true);
        self.unknown -= usize::from(!known);
        Some((id, known))
    }

    pub(super) fn is_done(&self) -> bool {
        self.unknown == 0
    }
}

struct Walk {
    cache: CommitCache,
    frontier: Frontier,
}

impl Walk {
    async fn start(
        &mut self,
        connection: &Connection,
        repository_id: i64,
        known: &[Sha],
        new: Sha,
    ) -> Result<(), GitError> {
        let mut starts: Vec<Sha> = known.to_vec();
        starts.push(new);
        let nodes = find_many(connection, repository_id, &starts).await?;
        let nodes: HashMap<&str, _> = nodes.iter().map(|node| (&*node.sha, node)).collect();
        let last = known.len();
        for (place, sha) in starts.iter().enumerate() {
            let node = nodes
                .get(&*sha.to_string())
                .ok_or(GitError::Missing(*sha))?;
            self.frontier
                .enqueue(node.id, node.generation, place < last);
        }
        Ok(())
    }

    async fn step(&mut self, connection: &Connection) -> Result<WalkStep, DbErr> {
        let Some((id, known)) = self.frontier.next() else {
            return Ok(WalkStep::Done);
        };
        let node = self.cache.get(connection, id).await?;
        let mut parents = Vec::with_capacity(node.parents.len());
        for parent_id in node.parents {
            let parent = self.cache.get(connection, parent_id).await?;
            self.frontier.enqueue(parent_id, parent.generation, known);
            parents.push(ParentCommit {
                sha: parent.sha,
                tree: parent.tree,
            });
        }
        if known {
            return Ok(WalkStep::Known);
        }
        Ok(WalkStep::Found(GainedCommit {
            sha: node.sha,
            tree: node.tree,
            parents,
        }))
    }
}
