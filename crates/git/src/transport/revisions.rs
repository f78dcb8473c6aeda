//! The commits that a client lacks: those that its wants reach, and its haves do not. Both
//! histories may be shallow.
//!
//! Commits come in generation order, each after all of its descendants, and are then dropped:
//! memory grows with the width of a history, not with its length.

use std::collections::HashSet;

use sea_orm::DbErr;

use crate::Sha;
use crate::graph::find_many;
use crate::walk::{CommitCache, Frontier};
use storage::database::Connection;

/// The start and the end of a walk.
#[derive(Debug, Clone, Default)]
pub struct Range {
    /// Commits that are wanted.
    pub wants: Vec<Sha>,
    /// Commits that the client has.
    pub haves: Vec<Sha>,
    /// Commits whose parents are not sent.
    pub cut: HashSet<Sha>,
    /// Commits that the client has without their parents.
    pub client_cut: HashSet<Sha>,
    /// Omits commits before this time, and all their ancestors.
    pub since: Option<i64>,
}

/// A commit that a client lacks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingCommit {
    pub sha: Sha,
    pub tree: Sha,
    /// The trees of its parents, which the client has or gets.
    pub bases: Vec<Sha>,
    pub parents: Vec<Sha>,
}

/// A walk over the commits that a client lacks.
pub struct Revisions {
    cache: CommitCache,
    frontier: Frontier,
    cut: HashSet<Sha>,
    client_cut: HashSet<Sha>,
    since: Option<i64>,
}

impl Revisions {
    /// Begins a walk. Ignores names that are not commits of the repository.
    pub async fn begin(
        connection: &Connection,
        repository_id: i64,
        range: Range,
    ) -> Result<Self, DbErr> {
        let mut walk = Self {
            cache: CommitCache::new(),
            frontier: Frontier::default(),
            cut: range.cut,
            client_cut: range.client_cut,
            since: range.since,
        };
        for (names, known) in [(range.haves, true), (range.wants, false)] {
            for node in find_many(connection, repository_id, &names).await? {
                walk.frontier.enqueue(node.id, node.generation, known);
            }
        }
        Ok(walk)
    }

    /// At most this many further commits; empty at the end.
    pub async fn next(
        &mut self,
        connection: &Connection,
        most: usize,
    ) -> Result<Vec<MissingCommit>, DbErr> {
        let mut missing = Vec::new();
        while missing.len() < most
            && let Some((id, known)) = self.frontier.next()
        {
            missing.extend(self.visit(connection, id, known).await?);
        }
        Ok(missing)
    }

    async fn visit(
        &mut self,
        connection: &Connection,
        id: i64,
        was_known: bool,
    ) -> Result<Option<MissingCommit>, DbErr> {
        let node = self.cache.get(connection, id).await?;
        self.cache.forget(id);
        let too_old = self.since.is_some_and(|since| node.committed_at < since);
        let known = was_known || too_old;
        let cut = match known {
            true => self.client_cut.contains(&node.sha),
            false => self.cut.contains(&node.sha),
        };
        let (mut bases, mut parents) = (Vec::new(), Vec::new());
        for parent_id in node.parents.iter().filter(|_| !cut) {
            let parent = self.cache.get(connection, *parent_id).await?;
            self.frontier.enqueue(*parent_id, parent.generation, known);
            bases.push(parent.tree);
            parents.push(parent.sha);
        }
        Ok((!known).then_some(MissingCommit {
            sha: node.sha,
            tree: node.tree,
            bases,
            parents,
        }))
    }
}
