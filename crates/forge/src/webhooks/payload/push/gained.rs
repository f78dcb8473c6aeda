//! The new commits of a push.

use std::collections::HashSet;

use sea_orm::{EntityTrait, QueryFilter, QueryOrder, QuerySelect};

use crate::events::RefUpdate;
use crate::webhooks::payload::EventContext;
use contract::reply::Outcome;
use git::refs::NameRange;
use git::walk::{self, GainedCommit};
use git::{GitError, Sha};
use storage::database::Connection;
use storage::entities::git_ref;

/// The most commits of an event, as on GitHub.
const MOST_COMMITS: usize = 2048;

/// The most commits that are walked to find them.
const MOST_WALKED: usize = 10_000;

/// Other branches that are checked to find out which commits are new.
const MOST_BRANCHES: u64 = 32;

/// The commits of a push.
pub(super) struct Pushed {
    pub repository: i64,
    /// The new commits of the reference, oldest first.
    pub gained: Vec<GainedCommit>,
    /// The commits that no other branch has.
    pub distinct: HashSet<Sha>,
    /// The commit behind the reference.
    pub head: Option<Sha>,
    pub forced: bool,
    /// For a new reference, a branch with the same commit.
    pub base_ref: Option<String>,
}

impl Pushed {
    pub async fn find(
        transaction: &Connection,
        context: &EventContext<'_>,
        update: &RefUpdate<'_>,
    ) -> Outcome<Self> {
        let repository = context.origin.repository.id;
        let mut pushed = Self {
            repository,
            gained: Vec::new(),
            distinct: HashSet::new(),
            head: None,
            forced: false,
            base_ref: None,
        };
        let Some(after) = update.after else {
            return Ok(pushed);
        };
        let Some(head) = after.commit(transaction, repository).await? else {
            return Ok(pushed);
        };
        pushed.head = Some(head);
        let mut others = others(transaction, context, update.name).await?;
        match update.before {
            Some(before) => {
                pushed.forced = !before.is_behind(transaction, repository, after).await?;
                let old = before.commit(transaction, repository).await?;
                let old: Vec<Sha> = old.into_iter().collect();
                pushed.gained = gained(transaction, repository, &old, head).await?;
                others.extend(old);
            }
            None => pushed.base_ref = branch_at(transaction, context, update.name, head).await?,
        }
        let distinct = gained(transaction, repository, &others, head).await?;
        if update.before.is_none() {
            pushed.gained.clone_from(&distinct);
        }
        pushed.distinct = distinct.into_iter().map(|commit| commit.sha).collect();
        Ok(pushed)
    }
}

/// The commits that are not reachable from `known`, oldest first.
async fn gained(
    transaction: &Connection,
    repository: i64,
    known: &[Sha],
    head: Sha,
) -> Result<Vec<GainedCommit>, GitError> {
    let walk = walk::new_commits(transaction, repository, known, head, MOST_WALKED).await?;
    let mut commits = walk.commits;
    commits.truncate(MOST_COMMITS);
    commits.reverse();
    Ok(commits)
}

/// The commits of other branches, the default one first.
async fn others(
    transaction: &Connection,
    context: &EventContext<'_>,
    name: &str,
) -> Result<Vec<Sha>, GitError> {
    let repository = context.origin.repository;
    let default = format!("refs/heads/{}", repository.default_branch);
    let branches = NameRange::branches();
    let rows: Vec<String> = git_ref::Entity::find()
        .select_only()
        .column(git_ref::Column::Sha)
        .filter(git_ref::COLUMN.repository_id.eq(repository.id))
        .filter(git_ref::COLUMN.name.gte(branches.from))
        .filter(git_ref::COLUMN.name.lt(branches.until))
        .filter(git_ref::COLUMN.name.ne(name))
        .order_by_asc(git_ref::Column::Name)
        .limit(MOST_BRANCHES)
        .into_tuple()
        .all(transaction)
        .await?;
    let first: Option<String> = git_ref::Entity::find()
        .select_only()
        .column(git_ref::Column::Sha)
        .filter(git_ref::COLUMN.repository_id.eq(repository.id))
        .filter(git_ref::COLUMN.name.eq(default.clone()))
        .filter(git_ref::COLUMN.name.ne(name))
        .into_tuple()
        .one(transaction)
        .await?;
    let shas: HashSet<String> = first.into_iter().chain(rows).collect();
    let shas = shas.iter().map(|sha| Ok(Sha::stored(sha)?));
    shas.collect()
}

/// Another branch that points to this commit.
async fn branch_at(
    transaction: &Connection,
    context: &EventContext<'_>,
    name: &str,
    head: Sha,
) -> Result<Option<String>, GitError> {
    let branches = NameRange::branches();
    let branch = git_ref::Entity::find()
        .select_only()
        .column(git_ref::Column::Name)
        .filter(
            git_ref::COLUMN
                .repository_id
                .eq(context.origin.repository.id),
        )
        .filter(git_ref::COLUMN.sha.eq(head.to_string()))
        .filter(git_ref::COLUMN.name.gte(branches.from))
        .filter(git_ref::COLUMN.name.lt(branches.until))
        .filter(git_ref::COLUMN.name.ne(name))
        .order_by_asc(git_ref::Column::Name)
        .into_tuple()
        .one(transaction)
        .await?;
    Ok(branch)
}
