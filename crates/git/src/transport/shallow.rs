//! The boundary of a shallow clone: which commits a client keeps without their parents from now
//! on, and which get their parents.

use std::collections::HashSet;

use super::request::{Deepen, INFINITE};
use super::revisions::{Range, Revisions};
use super::{BadRequest, packet};
use crate::graph::find_many;
use crate::walk::CommitCache;
use crate::{GitError, Sha};
use storage::database::Connection;

/// Commits that are visited to find the boundary.
const MOST: usize = 2_000_000;

/// Commits that are visited together.
const AT_ONCE: usize = 1000;

/// The new boundary of a client's history.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Boundary {
    /// Every commit whose parents are not sent.
    pub cut: HashSet<Sha>,
    /// Those of them that are new to the client.
    pub shallow: Vec<Sha>,
    /// Commits that the client has without their parents, and whose parents it gets.
    pub unshallow: Vec<Sha>,
    /// Those parents.
    pub parents: Vec<Sha>,
}

/// The boundary of a history, as a walk finds it.
#[derive(Default)]
struct ShallowBoundary {
    /// Commits that are kept without their parents.
    ends: HashSet<Sha>,
    /// The client's commits that get their parents, with these.
    continued: Vec<(Sha, Vec<Sha>)>,
}

/// The boundary of a history that does not change.
pub fn unchanged(client: &HashSet<Sha>) -> Boundary {
    Boundary {
        cut: client.clone(),
        ..Boundary::default()
    }
}

/// Finds the boundary of a history. Excludes the commits `not` and their ancestors.
pub async fn find(
    connection: &Connection,
    repository_id: i64,
    wants: &[Sha],
    client: &HashSet<Sha>,
    deepen: &Deepen,
    not: Vec<Sha>,
) -> Result<Result<Boundary, BadRequest>, GitError> {
    let walked = match deepen.depth {
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
    Ok(walked.map(|cut| boundary(cut, client)))
}

fn boundary(walked: ShallowBoundary, client: &HashSet<Sha>) -> Boundary {
    let mut shallow: Vec<Sha> = walked.ends.difference(client).copied().collect();
    shallow.sort_unstable();
    let continued: HashSet<Sha> = walked.continued.iter().map(|(sha, _)| *sha).collect();
    let still_cut = client.difference(&continued).copied();
    let mut parents = Vec::new();
    let mut unshallow = Vec::new();
    for (sha, commit_parents) in walked.continued {
        unshallow.push(sha);
        parents.extend(commit_parents);
    }
    Boundary {
        cut: walked.ends.iter().copied().chain(still_cut).collect(),
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
    connection: &Connection,
    repository_id: i64,
    starts: &[Sha],
    client: &HashSet<Sha>,
    depth: u32,
) -> Result<Result<ShallowBoundary, BadRequest>, GitError> {
    let mut cache = CommitCache::new();
    let nodes = find_many(connection, repository_id, starts).await?;
    let mut level: Vec<i64> = nodes.iter().map(|node| node.id).collect();
    let mut visited: HashSet<i64> = level.iter().copied().collect();
    let mut cut = ShallowBoundary::default();
    let mut current_depth = 1;
    while !level.is_empty() {
        let mut next = Vec::new();
        for id in std::mem::take(&mut level) {
            let node = cache.get(connection, id).await?;
            if depth != INFINITE && current_depth >= depth {
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
                    .filter(|parent| visited.insert(*parent)),
            );
            if visited.len() > MOST {
                return Ok(Err(too_many()));
            }
        }
        level = next;
        current_depth = current_depth.saturating_add(1);
    }
    Ok(Ok(cut))
}

/// Includes the commits of the range. A commit with a parent outside it loses all its parents.
async fn by_conditions(
    connection: &Connection,
    repository_id: i64,
    range: Range,
    client: &HashSet<Sha>,
) -> Result<Result<ShallowBoundary, BadRequest>, GitError> {
    let mut walk = Revisions::begin(connection, repository_id, range).await?;
    let mut included = HashSet::new();
    let mut with_parents = Vec::new();
    loop {
        let revisions = walk.next(connection, AT_ONCE).await?;
        if revisions.is_empty() {
            break;
        }
        for revision in revisions {
            included.insert(revision.sha);
            with_parents.push((revision.sha, revision.parents));
        }
        if included.len() > MOST {
            return Ok(Err(too_many()));
        }
    }
    if included.is_empty() {
        let message = "no commits selected for shallow requests";
        return Ok(Err(BadRequest::new(message)));
    }
    let mut cut = ShallowBoundary::default();
    for (sha, parents) in with_parents {
        if parents.iter().any(|parent| !included.contains(parent)) {
            cut.ends.insert(sha);
        } else if client.contains(&sha) {
            cut.continued.push((sha, parents));
        }
    }
    Ok(Ok(cut))
}

impl Boundary {
    /// The lines for the client, without a flush packet. They have no newline, as in Git;
    /// libgit2 accepts nothing else.
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
