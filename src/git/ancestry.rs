//! Which commit contains which, and the merge base. Questions are answered by the
//! database; a history is never read as a whole.
//!
//! A line of first parents without merges is leapt over. Elsewhere the walk goes
//! commit by commit, and never below the generation that still matters.

use sea_orm::{ConnectionTrait, DbErr, EntityTrait, Statement, Value};

use super::graph::find;
use super::paint::Paint;
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
/// Two lines without merges take about log₂(n) rows. If one of them has none since
/// they parted, as most branches, it takes a few questions to [`is_ancestor`].
/// Otherwise the commits that are newer than the merge base are read, at most 4096
/// at a time, and about 200 bytes of each are kept until the answer is known.
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

/// The merge base where it can be told from lines of first parents: where one of
/// the lines has no merge above the place at which they meet, all that its commit
/// can reach above that place is the line itself.
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
    let met = match find_id(connection, MEET, [a, b]).await? {
        Some(id) => by_id(connection, id).await?,
        None => None,
    };
    let floor = met.as_ref().map_or(0, |met| met.generation);
    let base = match (
        one.merge_generation <= floor,
        other.merge_generation <= floor,
    ) {
        (true, true) => met,
        (true, false) => highest_on_line(connection, one, other, met).await?,
        (false, true) => highest_on_line(connection, other, one, met).await?,
        (false, false) => return Ok(None),
    };
    base.map(|base| Sha::stored(&base.sha))
        .transpose()
        .map(Some)
}

/// The highest commit on the line of `tip` that `other` contains. What it contains
/// of the line is the part below some depth, so the depth is searched by halves.
async fn highest_on_line(
    connection: &impl ConnectionTrait,
    tip: &git_commit::Model,
    other: &git_commit::Model,
    met: Option<git_commit::Model>,
) -> Result<Option<git_commit::Model>, DbErr> {
    let mut best = met;
    let mut within = best.as_ref().map_or(-1, |met| met.depth);
    let mut beyond = tip.depth + 1;
    // Most branches have nothing in common above the place where they forked.
    let mut probe = within + 1;
    while probe < beyond {
        let found = match climb(connection, tip, probe).await? {
            Some(id) => by_id(connection, id).await?,
            None => None,
        };
        match found {
            Some(commit) if contains(connection, other, &commit).await? => {
                within = probe;
                best = Some(commit);
            }
            _ => beyond = probe,
        }
        probe = within + (beyond - within + 1) / 2;
    }
    Ok(best)
}

async fn by_id(
    connection: &impl ConnectionTrait,
    id: i64,
) -> Result<Option<git_commit::Model>, DbErr> {
    git_commit::Entity::find_by_id(id).one(connection).await
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
        nodes.extend(by_id(connection, id).await?);
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
