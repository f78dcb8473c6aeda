//! Which commit contains which, and the merge base. Questions are answered by the
//! database; a history is never read as a whole.
//!
//! A line of first parents without merges is leapt over. Elsewhere the walk goes
//! commit by commit, and never below the generation that still matters.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use sea_orm::{ConnectionTrait, DbErr, EntityTrait, Statement, Value};

use super::graph::find;
use super::walk::Window;
use super::{GitError, Sha};
use crate::entities::git_commit;

/// The commit at a depth on a line of first parents.
const CLIMB: &str = "
    WITH RECURSIVE climb (id, depth) AS (
        SELECT id, depth FROM git_commit WHERE id = $1
        UNION ALL
        SELECT next.id, next.depth
        FROM climb
        JOIN git_commit here ON here.id = climb.id
        JOIN git_commit leap ON leap.id = here.jump_id
        JOIN git_commit_parent edge ON edge.commit_id = here.id AND edge.ordinal = 0
        JOIN git_commit next
            ON next.id = CASE WHEN leap.depth >= $2 THEN leap.id ELSE edge.parent_id END
        WHERE climb.depth > $2
    )
    SELECT id FROM climb WHERE depth = $2";

/// Where the lines of first parents of two commits of one depth meet. Equal
/// depths leap equally far.
const MEET: &str = "
    WITH RECURSIVE pair (a, b) AS (
        SELECT a.id, b.id FROM git_commit a, git_commit b WHERE a.id = $1 AND b.id = $2
        UNION ALL
        SELECT
            CASE WHEN a.jump_id <> b.jump_id THEN a.jump_id ELSE of_a.parent_id END,
            CASE WHEN a.jump_id <> b.jump_id THEN b.jump_id ELSE of_b.parent_id END
        FROM pair
        JOIN git_commit a ON a.id = pair.a
        JOIN git_commit b ON b.id = pair.b
        JOIN git_commit_parent of_a ON of_a.commit_id = a.id AND of_a.ordinal = 0
        JOIN git_commit_parent of_b ON of_b.commit_id = b.id AND of_b.ordinal = 0
        WHERE pair.a <> pair.b
    )
    SELECT a AS id FROM pair WHERE a = b";

/// A walk over all parents that goes no lower than the commit sought.
const SEEK: &str = "
    WITH RECURSIVE walk (id) AS (
        SELECT id FROM git_commit WHERE id = $1
        UNION
        SELECT parent.id
        FROM walk
        JOIN git_commit_parent edge ON edge.commit_id = walk.id
        JOIN git_commit parent ON parent.id = edge.parent_id
        WHERE parent.generation > $3 OR parent.id = $2
    )
    SELECT id FROM walk WHERE id = $2 LIMIT 1";

/// Whether `old` is `new` or one of its ancestors: whether moving a reference
/// from `old` to `new` is a fast-forward.
///
/// On a line of first parents it takes about log₂(n) rows; otherwise at most the
/// commits of a greater generation than `old`, inside one query.
pub async fn is_ancestor(
    connection: &impl ConnectionTrait,
    repository_id: i64,
    old: Sha,
    new: Sha,
) -> Result<bool, GitError> {
    let old = node(connection, repository_id, old).await?;
    let new = node(connection, repository_id, new).await?;
    Ok(contains(connection, &new, &old).await?)
}

async fn contains(
    connection: &impl ConnectionTrait,
    new: &git_commit::Model,
    old: &git_commit::Model,
) -> Result<bool, DbErr> {
    if old.id == new.id {
        return Ok(true);
    }
    if old.generation >= new.generation {
        return Ok(false);
    }
    if climb(connection, new, old.depth).await? == Some(old.id) {
        return Ok(true);
    }
    if new.merge_generation <= old.generation {
        return Ok(false);
    }
    let values = [new.id, old.id, old.generation];
    Ok(find_id(connection, SEEK, values).await?.is_some())
}

/// The best common ancestor of two commits, or None if their histories are
/// unrelated: what `git merge-base` prints.
///
/// After criss-cross merges there are several, none an ancestor of another. Git
/// prints first the one committed last, and of equal dates the one that a walk
/// from the newest commits meets first; so does this.
///
/// Two lines without merges take about log₂(n) rows. Otherwise the commits that
/// are newer than the merge base are read, a bounded number at a time.
pub async fn merge_base(
    connection: &impl ConnectionTrait,
    repository_id: i64,
    one: Sha,
    other: Sha,
) -> Result<Option<Sha>, GitError> {
    let one = node(connection, repository_id, one).await?;
    let other = node(connection, repository_id, other).await?;
    if let Some(known) = base_of_lines(connection, &one, &other).await? {
        return Ok(known);
    }
    let mut window = Window::new();
    let mut candidates = Paint::new(one.id, other.id)
        .run(connection, &mut window)
        .await?;
    if candidates.len() > 1 {
        candidates = independent(connection, candidates).await?;
    }
    match candidates.first() {
        Some(best) => Ok(Some(window.get(connection, *best).await?.sha)),
        None => Ok(None),
    }
}

/// The merge base where it can be told without a walk: neither line has a merge
/// above the place where they meet.
async fn base_of_lines(
    connection: &impl ConnectionTrait,
    one: &git_commit::Model,
    other: &git_commit::Model,
) -> Result<Option<Option<Sha>>, DbErr> {
    let depth = one.depth.min(other.depth);
    let lower = climb(connection, one, depth).await?;
    let (Some(a), Some(b)) = (lower, climb(connection, other, depth).await?) else {
        return Ok(None);
    };
    let above = one.merge_generation.max(other.merge_generation);
    let Some(id) = find_id(connection, MEET, [a, b]).await? else {
        return Ok((above == 0).then_some(None));
    };
    let met = Window::new().get(connection, id).await?;
    Ok((above <= met.generation).then_some(Some(met.sha)))
}

async fn climb(
    connection: &impl ConnectionTrait,
    from: &git_commit::Model,
    depth: i64,
) -> Result<Option<i64>, DbErr> {
    find_id(connection, CLIMB, [from.id, depth]).await
}

async fn find_id<const N: usize>(
    connection: &impl ConnectionTrait,
    sql: &'static str,
    values: [i64; N],
) -> Result<Option<i64>, DbErr> {
    let backend = connection.get_database_backend();
    let statement = Statement::from_sql_and_values(backend, sql, values.map(Value::from));
    let row = connection.query_one_raw(statement).await?;
    row.map(|row| row.try_get("", "id")).transpose()
}

async fn node(
    connection: &impl ConnectionTrait,
    repository_id: i64,
    sha: Sha,
) -> Result<git_commit::Model, GitError> {
    find(connection, repository_id, sha)
        .await?
        .ok_or(GitError::Missing(sha))
}

/// Leaves out the candidates that are ancestors of others, and keeps the order.
async fn independent(
    connection: &impl ConnectionTrait,
    candidates: Vec<i64>,
) -> Result<Vec<i64>, GitError> {
    let mut nodes = Vec::with_capacity(candidates.len());
    for id in candidates {
        nodes.extend(git_commit::Entity::find_by_id(id).one(connection).await?);
    }
    let mut best = Vec::new();
    for node in &nodes {
        let mut redundant = false;
        for other in nodes.iter().filter(|other| other.id != node.id) {
            redundant = redundant || contains(connection, other, node).await?;
        }
        if !redundant {
            best.push(node.id);
        }
    }
    Ok(best)
}

const ONE: u8 = 1;
const OTHER: u8 = 2;
const BOTH: u8 = ONE | OTHER;
/// Below a common ancestor: still to be painted, no candidate any more.
const STALE: u8 = 4;
const CANDIDATE: u8 = 8;

/// Paints ancestors from both sides, newest first, until all that is left is
/// below what was found.
struct Paint {
    colours: HashMap<i64, u8>,
    /// By date, then by turn; Git breaks ties so.
    queue: BinaryHeap<(i64, Reverse<u64>, i64)>,
    turn: u64,
    starts: [i64; 2],
}

impl Paint {
    fn new(one: i64, other: i64) -> Self {
        Self {
            colours: HashMap::new(),
            queue: BinaryHeap::new(),
            turn: 0,
            starts: [one, other],
        }
    }

    async fn run(
        mut self,
        connection: &impl ConnectionTrait,
        window: &mut Window,
    ) -> Result<Vec<i64>, DbErr> {
        for (start, colour) in self.starts.into_iter().zip([ONE, OTHER]) {
            let date = window.get(connection, start).await?.committed_at;
            self.paint(start, date, colour);
        }
        let mut found: Vec<(i64, i64)> = Vec::new();
        while self.any_live() {
            let Some((date, _, id)) = self.queue.pop() else {
                break;
            };
            let colour = self.colour(id);
            let mut below = colour & (BOTH | STALE);
            if below == BOTH {
                if colour & CANDIDATE == 0 {
                    self.colours.insert(id, colour | CANDIDATE);
                    found.push((date, id));
                }
                below |= STALE;
            }
            for parent in window.get(connection, id).await?.parents {
                let date = window.get(connection, parent).await?.committed_at;
                self.paint(parent, date, below);
            }
        }
        found.retain(|(_, id)| self.colour(*id) & STALE == 0);
        found.sort_by_key(|(date, _)| Reverse(*date));
        Ok(found.into_iter().map(|(_, id)| id).collect())
    }

    fn any_live(&self) -> bool {
        self.queue
            .iter()
            .any(|(_, _, id)| self.colour(*id) & STALE == 0)
    }

    fn colour(&self, id: i64) -> u8 {
        self.colours.get(&id).copied().unwrap_or(0)
    }

    fn paint(&mut self, id: i64, date: i64, colour: u8) {
        let before = self.colour(id);
        if before & colour == colour {
            return;
        }
        self.colours.insert(id, before | colour);
        self.queue.push((date, Reverse(self.turn), id));
        self.turn += 1;
    }
}
