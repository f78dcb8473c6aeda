//! Where the history of a shallow clone ends: which commits a client keeps without their
//! parents from now on, and which get their parents.

use std::collections::HashSet;

use sea_orm::ConnectionTrait;

use super::revisions::{Range, Revisions};
use super::wanted::{Deepen, INFINITE};
use super::{BadRequest, packet};
use crate::git::graph::find_many;
use crate::git::walk::CommitCache;
use crate::git::{GitError, Sha};

/// Commits that are looked at to find where a history ends.
const MOST: usize = 2_000_000;

/// Commits that are looked at in one go.
const AT_ONCE: usize = 1000;

/// Where a client's history will end.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Boundary {
    /// Every commit whose parents the client is not to get.
    pub cut: HashSet<Sha>,
    /// Those that the client does not know of.
    pub shallow: Vec<Sha>,
    /// Commits that the client has without their parents, and whose parents it gets.
    pub unshallow: Vec<Sha>,
    /// Those parents.
    pub parents: Vec<Sha>,
}

/// What was found about a history.
#[derive(Default)]
struct ShallowBoundary {
    /// Commits that are kept without their parents.
    ends: HashSet<Sha>,
    /// The client's commits that get their parents, with these.
    continued: Vec<(Sha, Vec<Sha>)>,
}

/// The client's history stays as it is.
pub fn unchanged(client: &HashSet<Sha>) -> Boundary {
    Boundary {
        cut: client.clone(),
        ..Boundary::default()
    }
}

/// Finds where a history ends. `not` are the commits to which nothing may lead.
pub async fn find(
    connection: &impl ConnectionTrait,
    repository_id: i64,
    wants: &[Sha],
    client: &HashSet<Sha>,
    deepen: &Deepen,
    not: Vec<Sha>,
) -> Result<Result<Boundary, BadRequest>, GitError> {
    let found = match deepen.depth {
        Some(depth) => {
            let (starts, depth) = match deepen.relative {
                true => (client.iter().copied().collect(), depth.saturating_add(1)),
                false => (wants.to_vec(), depth),
            };
            by_depth(connection, repository_id, &starts, client, depth).await?
        }
        None => {
            let range = Range {
                wants: wants.to_vec(),
                haves: not,
                since: deepen.since,
                ..Range::default()
            };
            by_conditions(connection, repository_id, range, client).await?
        }
    };
    Ok(found.map(|cut| boundary(cut, client)))
}

fn boundary(found: ShallowBoundary, client: &HashSet<Sha>) -> Boundary {
    let mut shallow: Vec<Sha> = found.ends.difference(client).copied().collect();
    shallow.sort_unstable();
    let continued: HashSet<Sha> = found.continued.iter().map(|(sha, _)| *sha).collect();
    let kept = client.difference(&continued).copied();
    let mut parents = Vec::new();
    let mut unshallow = Vec::new();
    for (sha, behind) in found.continued {
        unshallow.push(sha);
        parents.extend(behind);
    }
    Boundary {
        cut: found.ends.iter().copied().chain(kept).collect(),
        shallow,
        unshallow,
        parents,
    }
}

fn too_many() -> BadRequest {
    BadRequest::new("upload-pack: the history is too long for a shallow request")
}

/// Counts commits from the starts on, breadth first.
async fn by_depth(
    connection: &impl ConnectionTrait,
    repository_id: i64,
    starts: &[Sha],
    client: &HashSet<Sha>,
    depth: u32,
) -> Result<Result<ShallowBoundary, BadRequest>, GitError> {
    let mut cache = CommitCache::new();
    let nodes = find_many(connection, repository_id, starts).await?;
    let mut level: Vec<i64> = nodes.iter().map(|node| node.id).collect();
    let mut met: HashSet<i64> = level.iter().copied().collect();
    let mut cut = ShallowBoundary::default();
    let mut at = 1;
    while !level.is_empty() {
        let mut next = Vec::new();
        for id in std::mem::take(&mut level) {
            let node = cache.get(connection, id).await?;
            if depth != INFINITE && at >= depth {
                cut.ends.insert(node.sha);
                continue;
            }
            if client.contains(&node.sha) {
                let mut parents = Vec::with_capacity(node.parents.len());
                for parent in &node.parents {
                    parents.push(cache.get(connection, *parent).await?.sha);
                }
                cut.continued.push((node.sha, parents));
            }
            next.extend(
                node.parents
                    .into_iter()
                    .filter(|parent| met.insert(*parent)),
            );
            if met.len() > MOST {
                return Ok(Err(too_many()));
            }
        }
        level = next;
        at = at.saturating_add(1);
    }
    Ok(Ok(cut))
}

/// Keeps what the range has. What it ends with loses all its parents.
async fn by_conditions(
    connection: &impl ConnectionTrait,
    repository_id: i64,
    range: Range,
    client: &HashSet<Sha>,
) -> Result<Result<ShallowBoundary, BadRequest>, GitError> {
    let mut walk = Revisions::begin(connection, repository_id, range).await?;
    let mut kept = HashSet::new();
    let mut with_parents = Vec::new();
    loop {
        let some = walk.next(connection, AT_ONCE).await?;
        if some.is_empty() {
            break;
        }
        for revision in some {
            kept.insert(revision.sha);
            with_parents.push((revision.sha, revision.parents));
        }
        if kept.len() > MOST {
            return Ok(Err(too_many()));
        }
    }
    if kept.is_empty() {
        let words = "no commits selected for shallow requests";
        return Ok(Err(BadRequest::new(words)));
    }
    let mut cut = ShallowBoundary::default();
    for (sha, parents) in with_parents {
        if parents.iter().any(|parent| !kept.contains(parent)) {
            cut.ends.insert(sha);
        } else if client.contains(&sha) {
            cut.continued.push((sha, parents));
        }
    }
    Ok(Ok(cut))
}

impl Boundary {
    /// The lines that tell the client, without a mark at their end. As Git writes them they
    /// have no newline, and libgit2 takes no other.
    pub fn lines(&self) -> Vec<u8> {
        let mut out = Vec::new();
        for sha in &self.shallow {
            packet::push_line(&mut out, format!("shallow {sha}").as_bytes());
        }
        for sha in &self.unshallow {
            packet::push_line(&mut out, format!("unshallow {sha}").as_bytes());
        }
        out
    }
}
