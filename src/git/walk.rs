//! A window on the commit graph that reads ahead, and the walk from one commit
//! down to what is known already. Questions about two commits are in `ancestry`.
//!
//! Whoever asks for a commit will ask for its ancestors next: each query brings
//! a stretch of them, and a longer one the longer the walk.

use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, BinaryHeap, HashMap};

use sea_orm::{ConnectionTrait, DbErr, Statement, Value};

use super::graph::find;
use super::{GitError, Sha};

/// Some commits and the nearest of their ancestors, with their parents in order.
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

/// Commits from which one query reads on.
const SEEDS: usize = 8;

const FIRST_STRETCH: i64 = 16;
const LONGEST_STRETCH: i64 = 4096;

/// A commit as walks see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    pub sha: Sha,
    pub tree: Sha,
    pub generation: i64,
    pub committed_at: i64,
    /// Row ids, first parent first.
    pub(super) parents: Vec<i64>,
}

/// The commits that a walk has read.
pub(super) struct Window {
    nodes: HashMap<i64, Node>,
    /// Parents of what was read that were not read themselves. A query reads on
    /// from several of them at once, newest first: alone, each would bring the
    /// same ancestors again.
    edge: BTreeSet<i64>,
    stretch: i64,
}

impl Window {
    pub(super) fn new() -> Self {
        Self {
            nodes: HashMap::new(),
            edge: BTreeSet::new(),
            stretch: 1,
        }
    }

    /// The node with this row id, read if it was not yet.
    pub(super) async fn get(
        &mut self,
        connection: &impl ConnectionTrait,
        id: i64,
    ) -> Result<Node, DbErr> {
        if !self.nodes.contains_key(&id) {
            self.read(connection, id).await?;
        }
        self.nodes
            .get(&id)
            .cloned()
            .ok_or_else(|| DbErr::RecordNotFound(format!("commit {id}")))
    }

    async fn read(&mut self, connection: &impl ConnectionTrait, id: i64) -> Result<(), DbErr> {
        let mut values: [Value; SEEDS + 1] = std::array::from_fn(|_| id.into());
        for (value, other) in values[1..SEEDS].iter_mut().zip(self.edge.iter().rev()) {
            *value = (*other).into();
        }
        values[SEEDS] = self.stretch.into();
        self.stretch = (self.stretch * 2).clamp(FIRST_STRETCH, LONGEST_STRETCH);
        let backend = connection.get_database_backend();
        let statement = Statement::from_sql_and_values(backend, AROUND, values);
        let mut fresh: HashMap<i64, Node> = HashMap::new();
        for row in connection.query_all_raw(statement).await? {
            let node = match fresh.entry(row.try_get_by_index(0)?) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(place) => place.insert(Node {
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

/// What a walk found, newest generation first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewCommits {
    pub commits: Vec<NewCommit>,
    /// False when the walk stopped at its limit and there may be more.
    pub complete: bool,
}

/// A commit that a reference would gain, with what is needed to see its changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewCommit {
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

/// The commits that are reachable from `new` and from none of `known`: what
/// `git rev-list new --not known` lists. Stops after visiting `limit` commits,
/// those below `known` included, and says so.
///
/// Reads the visited commits in stretches of at most 4096.
pub async fn new_commits(
    connection: &impl ConnectionTrait,
    repository_id: i64,
    known: &[Sha],
    new: Sha,
    limit: usize,
) -> Result<NewCommits, GitError> {
    let mut walk = Walk {
        window: Window::new(),
        known: HashMap::new(),
        queue: BinaryHeap::new(),
        unknown: 0,
    };
    for sha in known {
        walk.start(connection, repository_id, *sha, true).await?;
    }
    walk.start(connection, repository_id, new, false).await?;
    let mut commits = Vec::new();
    for _ in 0..limit {
        match walk.step(connection).await? {
            Step::Found(commit) => commits.push(commit),
            Step::Known => {}
            Step::Done => {
                return Ok(NewCommits {
                    commits,
                    complete: true,
                });
            }
        }
    }
    let complete = walk.unknown == 0;
    Ok(NewCommits { commits, complete })
}

enum Step {
    Found(NewCommit),
    Known,
    Done,
}

/// By generation a commit comes after all of its descendants, so what is known
/// about it when its turn comes is final.
struct Walk {
    window: Window,
    known: HashMap<i64, bool>,
    queue: BinaryHeap<(i64, i64)>,
    /// How many entries of the queue are not known.
    unknown: usize,
}

impl Walk {
    async fn start(
        &mut self,
        connection: &impl ConnectionTrait,
        repository_id: i64,
        sha: Sha,
        known: bool,
    ) -> Result<(), GitError> {
        let node = find(connection, repository_id, sha)
            .await?
            .ok_or(GitError::Missing(sha))?;
        self.meet(node.id, node.generation, known);
        Ok(())
    }

    fn meet(&mut self, id: i64, generation: i64, known: bool) {
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

    async fn step(&mut self, connection: &impl ConnectionTrait) -> Result<Step, DbErr> {
        if self.unknown == 0 {
            return Ok(Step::Done);
        }
        let Some((_, id)) = self.queue.pop() else {
            return Ok(Step::Done);
        };
        let known = self.known.remove(&id).unwrap_or(true);
        let node = self.window.get(connection, id).await?;
        let mut parents = Vec::with_capacity(node.parents.len());
        for parent_id in node.parents {
            let parent = self.window.get(connection, parent_id).await?;
            self.meet(parent_id, parent.generation, known);
            parents.push(ParentCommit {
                sha: parent.sha,
                tree: parent.tree,
            });
        }
        if known {
            return Ok(Step::Known);
        }
        self.unknown -= 1;
        Ok(Step::Found(NewCommit {
            sha: node.sha,
            tree: node.tree,
            parents,
        }))
    }
}
