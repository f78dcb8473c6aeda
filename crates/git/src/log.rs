//! History in the order of `git log`: by date, newest first, optionally of one path or of
//! one person. A walk looks at a limited number of commits.

mod paths;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};

use sea_orm::{ColumnTrait, DbErr, EntityTrait, QueryFilter, QuerySelect};

use super::graph::find;
use super::objects::{Commit, Object};
use super::store::read_each;
use super::uploads::visible;
use super::walk::{CommitCache, CommitNode};
use super::{GitError, Sha};
use paths::PathEntries;
use storage::database::Connection;
use storage::entities::git_commit;

/// Commits whose objects are read together.
const AT_ONCE: usize = 100;

/// Commits that are looked at.
const MOST: usize = 50_000;

/// Commits that are looked at if their trees or objects must be read.
const MOST_READ: usize = 5_000;

/// Decides by an author or committer line.
pub type LineFilter<'a> = &'a (dyn Fn(&[u8]) -> bool + Send + Sync);

/// Which commits are wanted.
#[derive(Clone, Copy, Default)]
pub struct LogFilter<'a> {
    /// Those that changed this file or directory.
    pub path: Option<&'a str>,
    pub author: Option<LineFilter<'a>>,
    pub committer: Option<LineFilter<'a>>,
    /// Those that were committed at this time, in Unix seconds, or later.
    pub since: Option<i64>,
    /// Those that were committed at this time or earlier.
    pub until: Option<i64>,
}

impl LogFilter<'_> {
    /// Whether every commit is wanted.
    pub fn is_empty(&self) -> bool {
        self.path.is_none() && !self.reads() && self.since.is_none() && self.until.is_none()
    }

    fn reads(&self) -> bool {
        self.author.is_some() || self.committer.is_some()
    }

    fn limit(&self) -> usize {
        match self.path.is_some() || self.reads() {
            true => MOST_READ,
            false => MOST,
        }
    }

    fn has_date(&self, node: &CommitNode) -> bool {
        let date = node.committed_at;
        self.since.is_none_or(|since| date >= since) && self.until.is_none_or(|until| date <= until)
    }

    fn has_people(&self, commit: &Commit) -> bool {
        self.author.is_none_or(|accepts| accepts(&commit.author))
            && self
                .committer
                .is_none_or(|accepts| accepts(&commit.committer))
    }
}

/// A part of a history.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogPage {
    pub commits: Vec<Sha>,
    /// Whether there are more after them.
    pub more: bool,
}

/// The wanted commits that `from` leads to, without the first `skip`, at most `take`.
pub async fn log(
    connection: &Connection,
    repository_id: i64,
    from: Sha,
    filter: LogFilter<'_>,
    skip: usize,
    take: usize,
) -> Result<LogPage, GitError> {
    let mut walk = LogWalk::new(connection, repository_id, from, filter).await?;
    let needed = skip.saturating_add(take).saturating_add(1);
    let mut shas: Vec<Sha> = Vec::new();
    while shas.len() < needed {
        let candidates = walk.candidates(connection, needed - shas.len()).await?;
        if candidates.is_empty() {
            break;
        }
        shas.extend(walk.by_people(connection, candidates).await?);
    }
    let more = shas.len() >= needed;
    let commits = shas.into_iter().skip(skip).take(take).collect();
    Ok(LogPage { commits, more })
}

/// The commit whose name begins with these digits, if there is only one.
pub async fn by_prefix(
    connection: &Connection,
    repository_id: i64,
    digits: &str,
) -> Result<Option<Sha>, DbErr> {
    let digits = digits.to_ascii_lowercase();
    // After all digits that can follow.
    let until = format!("{digits}g");
    let matches: Vec<String> = git_commit::Entity::find()
        .select_only()
        .column(git_commit::Column::Sha)
        .filter(git_commit::Column::RepositoryId.eq(repository_id))
        .filter(git_commit::Column::Sha.gte(digits))
        .filter(git_commit::Column::Sha.lt(until))
        .filter(visible(repository_id, git_commit::Column::UploadId))
        .limit(2)
        .into_tuple()
        .all(connection)
        .await?;
    match matches.as_slice() {
        [only] => Sha::stored(only).map(Some),
        _ => Ok(None),
    }
}

struct LogWalk<'a> {
    repository_id: i64,
    filter: LogFilter<'a>,
    cache: CommitCache,
    paths: Option<PathEntries>,
    /// By date, then by insertion order, which is how Git breaks ties.
    queue: BinaryHeap<(i64, Reverse<u64>, i64)>,
    enqueued: HashSet<i64>,
    next_turn: u64,
    remaining: usize,
}

impl<'a> LogWalk<'a> {
    async fn new(
        connection: &Connection,
        repository_id: i64,
        from: Sha,
        filter: LogFilter<'a>,
    ) -> Result<Self, GitError> {
        let start = find(connection, repository_id, from).await?;
        let start = start.ok_or(GitError::Missing(from))?;
        let mut walk = Self {
            repository_id,
            filter,
            cache: CommitCache::new(),
            paths: filter
                .path
                .map(|path| PathEntries::new(repository_id, path)),
            queue: BinaryHeap::new(),
            enqueued: HashSet::new(),
            next_turn: 0,
            remaining: filter.limit(),
        };
        walk.enqueue(start.id, start.committed_at);
        Ok(walk)
    }

    fn enqueue(&mut self, id: i64, date: i64) {
        if self.enqueued.insert(id) {
            self.queue.push((date, Reverse(self.next_turn), id));
            self.next_turn += 1;
        }
    }

    /// The next commits that have the dates and the path, at most as many as are read
    /// together.
    async fn candidates(
        &mut self,
        connection: &Connection,
        most: usize,
    ) -> Result<Vec<Sha>, GitError> {
        let most = match self.filter.reads() {
            true => AT_ONCE,
            false => most,
        };
        let mut shas = Vec::new();
        while shas.len() < most && self.remaining > 0 {
            let Some((_, _, id)) = self.queue.pop() else {
                break;
            };
            self.remaining -= 1;
            let node = self.cache.get(connection, id).await?;
            let too_old = self
                .filter
                .since
                .is_some_and(|since| node.committed_at < since);
            if too_old {
                continue;
            }
            if self.step(connection, &node).await? && self.filter.has_date(&node) {
                shas.push(node.sha);
            }
        }
        Ok(shas)
    }

    /// Goes on to the parents of a commit, and says whether it changed the path. As in
    /// Git, a merge that took the path from one of its parents leads on to that one only.
    async fn step(&mut self, connection: &Connection, node: &CommitNode) -> Result<bool, GitError> {
        let mut parents = Vec::with_capacity(node.parents.len());
        for id in &node.parents {
            parents.push((*id, self.cache.get(connection, *id).await?));
        }
        let Some(paths) = &mut self.paths else {
            for (id, parent) in parents {
                self.enqueue(id, parent.committed_at);
            }
            return Ok(true);
        };
        let entry = paths.get(connection, &self.cache, node.tree).await?;
        let mut unchanged = None;
        for (id, parent) in &parents {
            if paths.get(connection, &self.cache, parent.tree).await? == entry {
                unchanged = Some((*id, parent.committed_at));
                break;
            }
        }
        match unchanged {
            Some((id, date)) => self.enqueue(id, date),
            None => parents
                .iter()
                .for_each(|(id, parent)| self.enqueue(*id, parent.committed_at)),
        }
        Ok(unchanged.is_none() && (entry.is_some() || !parents.is_empty()))
    }

    async fn by_people(
        &self,
        connection: &Connection,
        candidates: Vec<Sha>,
    ) -> Result<Vec<Sha>, GitError> {
        if !self.filter.reads() {
            return Ok(candidates);
        }
        let (filter, mut accepted) = (self.filter, Vec::new());
        let keep = |sha, object: Object| {
            if filter.has_people(&Commit::parse(&object.content)?) {
                accepted.push(sha);
            }
            Ok(())
        };
        read_each(connection, self.repository_id, &candidates, keep).await?;
        Ok(accepted)
    }
}
