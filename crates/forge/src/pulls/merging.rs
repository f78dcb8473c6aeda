//! Merges pull requests: decides whether it is possible, and creates the commits. They are created
//! before the transaction that stores them, which blocks other writers.

use super::comparison::{BranchHeads, tree_of};
use git::graph::{NewCommit, add_commits};
use git::merge::{Merge, Merger, Onto, Replayed, replay};
use git::objects::{Commit, Object};
use git::store::store_objects;
use git::walk::{GainedCommit, new_commits};
use git::{GitError, Sha, ancestry};
use storage::cache::Weigh;
use storage::database::Connection;

/// The most commits that are rebased.
const MOST_REBASED: usize = 100;

/// The most commits that are visited to find those of a pull request.
const MOST_WALKED: usize = 10_000;

/// Whether a pull request can be merged; None if computing it takes too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Mergeability {
    pub mergeable: Option<bool>,
    pub rebaseable: Option<bool>,
}

impl Weigh for Mergeability {
    fn heap_bytes(&self) -> usize {
        0
    }
}

impl Mergeability {
    /// Depends only on the two commits.
    pub async fn of(connection: &Connection, branches: BranchHeads) -> Result<Self, GitError> {
        let BranchHeads {
            repository_id,
            base,
            head,
        } = branches;
        let mut merger = Merger::new(connection, repository_id);
        let merged = Box::pin(merger.merge_commits(base, head)).await?;
        let mergeable = match merged {
            Merge::Tree(_) => Some(true),
            Merge::Conflict => Some(false),
            Merge::TooLarge => None,
        };
        let rebaseable = match mergeable {
            Some(true) => match Box::pin(rebase(connection, branches, b"")).await? {
                MergePreparation::Ready(_) => Some(true),
                MergePreparation::Conflict => Some(false),
                MergePreparation::TooLarge => None,
            },
            other => other,
        };
        Ok(Self {
            mergeable,
            rebaseable,
        })
    }
}

/// The outcome of preparing a merge.
#[derive(Debug)]
pub enum MergePreparation {
    Ready(NewHistory),
    Conflict,
    TooLarge,
}

/// Commits that are not stored yet, with their objects.
#[derive(Debug)]
pub struct NewHistory {
    pub tip: Sha,
    objects: Vec<Object>,
    /// Parents before children.
    commits: Vec<NewCommit>,
}

impl NewHistory {
    fn new(mut objects: Vec<Object>, commits: &[(Sha, Commit)], onto: Sha) -> Self {
        objects.extend(commits.iter().map(|(_, commit)| commit.write()));
        Self {
            tip: commits.last().map_or(onto, |(sha, _)| *sha),
            objects,
            commits: commits
                .iter()
                .map(|(sha, commit)| NewCommit::new(*sha, commit))
                .collect(),
        }
    }

    /// Stores the commits, in the transaction that moves a branch to them.
    pub async fn store(
        &self,
        transaction: &Connection,
        repository_id: i64,
    ) -> Result<(), GitError> {
        store_objects(transaction, repository_id, &self.objects).await?;
        add_commits(transaction, repository_id, &self.commits).await?;
        Ok(())
    }
}

/// The metadata of a new commit.
#[derive(Debug, Clone)]
pub struct CommitText {
    /// Name, email, date and offset.
    pub author: Vec<u8>,
    pub committer: Vec<u8>,
    pub message: String,
}

/// The parents of a merge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parents {
    /// Only the commit that the other is merged into.
    One,
    Both,
}

/// Merges a commit into another.
pub async fn merge(
    connection: &Connection,
    repository_id: i64,
    (into, from): (Sha, Sha),
    parents: Parents,
    text: CommitText,
) -> Result<MergePreparation, GitError> {
    let mut merger = Merger::new(connection, repository_id);
    let tree = match Box::pin(merger.merge_commits(into, from)).await? {
        Merge::Tree(tree) => tree,
        Merge::Conflict => return Ok(MergePreparation::Conflict),
        Merge::TooLarge => return Ok(MergePreparation::TooLarge),
    };
    let commit = Commit {
        tree,
        parents: match parents {
            Parents::One => vec![into],
            Parents::Both => vec![into, from],
        },
        author: text.author,
        committer: text.committer,
        more: Vec::new(),
        message: Some(text.message.into_bytes()),
    };
    let commits = [(commit.write().sha(), commit)];
    let history = NewHistory::new(merger.into_objects(), &commits, into);
    Ok(MergePreparation::Ready(history))
}

/// Recreates the commits of a pull request on top of its base.
pub async fn rebase(
    connection: &Connection,
    branches: BranchHeads,
    committer: &[u8],
) -> Result<MergePreparation, GitError> {
    let BranchHeads {
        repository_id,
        base,
        head,
    } = branches;
    let Some(commits) = commits(connection, branches).await? else {
        return Ok(MergePreparation::TooLarge);
    };
    let fork = ancestry::merge_base(connection, repository_id, base, head).await?;
    let Some(fork) = fork.filter(|_| commits.len() <= MOST_REBASED) else {
        return Ok(MergePreparation::Conflict);
    };
    let onto = Onto {
        commit: base,
        tree: tree_of(connection, repository_id, base).await?,
        base_tree: tree_of(connection, repository_id, fork).await?,
    };
    let mut merger = Merger::new(connection, repository_id);
    Ok(
        match replay(&mut merger, onto, &commits, committer).await? {
            Replayed::Commits(replayed) => {
                let history = NewHistory::new(merger.into_objects(), &replayed, base);
                MergePreparation::Ready(history)
            }
            Replayed::Conflict => MergePreparation::Conflict,
            Replayed::TooLarge => MergePreparation::TooLarge,
        },
    )
}

/// The commits that a pull request adds, oldest first; None if they are too many.
pub async fn commits(
    connection: &Connection,
    branches: BranchHeads,
) -> Result<Option<Vec<GainedCommit>>, GitError> {
    let BranchHeads {
        repository_id,
        base,
        head,
    } = branches;
    let gained = new_commits(connection, repository_id, &[base], head, MOST_WALKED).await?;
    Ok(gained.complete.then(|| {
        let mut commits = gained.commits;
        commits.reverse();
        commits
    }))
}
