//! The new commits of a push.

use std::collections::HashSet;
use std::sync::Arc;

use migration::aggregates::Kind;
use sea_orm::{EntityTrait, QueryFilter, QueryOrder, QuerySelect};

use crate::events::RefUpdate;
use crate::git_refs::rows;
use crate::webhooks::payload::EventContext;
use contract::reply::Outcome;
use git::ancestry::is_ancestor;
use git::refs::NameRange;
use git::walk::{self, GainedCommit};
use git::{GitError, Sha};
use storage::database::{Connection, Database};
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
    /// A push without new commits.
    fn nothing_new(repository: i64) -> Self {
        Self {
            repository,
            gained: Vec::new(),
            distinct: HashSet::new(),
            head: None,
            forced: false,
            base_ref: None,
        }
    }

    /// A new reference that is not written yet. If a branch has its commit, the push gains
    /// nothing and depends on that branch only, otherwise on all references.
    pub async fn by_new_ref(
        db: &Database,
        context: &EventContext<'_>,
        update: &RefUpdate<'_>,
    ) -> Outcome<Self> {
        let id = context.origin.repository.id;
        let head = match update.after {
            Some(after) => after.commit(db.reads(), id).await?,
            None => None,
        };
        let known = match head {
            Some(head) => is_on_branch(db, context, head).await?,
            None => true,
        };
        if known {
            return Ok(Self {
                head,
                ..Self::nothing_new(id)
            });
        }
        let reads = db.reading(&[Kind::Refs.of(id)]).await;
        Self::find(reads, context, update).await
    }

    pub async fn find(
        transaction: &Connection,
        context: &EventContext<'_>,
        update: &RefUpdate<'_>,
    ) -> Outcome<Self> {
        let repository = context.origin.repository.id;
        let mut pushed = Self::nothing_new(repository);
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
            None => {
                pushed.base_ref = branch_at(transaction, context, update.name, head).await?;
                // That branch may be none of those that are checked.
                others.extend(pushed.base_ref.as_ref().map(|_| head));
            }
        }
        let distinct = gained(transaction, repository, &others, head).await?;
        if update.before.is_none() {
            pushed.gained.clone_from(&distinct);
        }
        pushed.distinct = distinct.into_iter().map(|commit| commit.sha).collect();
        Ok(pushed)
    }
}

/// Whether a branch points to a commit, or the default branch has it.
async fn is_on_branch(db: &Database, context: &EventContext<'_>, head: Sha) -> Outcome<bool> {
    let (repository, sha) = (context.origin.repository, head.to_string());
    let (id, sha) = (repository.id, sha.as_str());
    let belongs = |row: &git_ref::Model| vec![Kind::Ref.of(row.id)];
    let pointing = |reads: Arc<Connection>| async move {
        let branches = NameRange::branches();
        let pointing = git_ref::Entity::find()
            .filter(git_ref::COLUMN.repository_id.eq(id))
            .filter(git_ref::COLUMN.sha.eq(sha))
            .filter(git_ref::COLUMN.name.gte(branches.from))
            .filter(git_ref::COLUMN.name.lt(branches.until));
        pointing.one(&*reads).await
    };
    if db.resolve(pointing, belongs).await?.is_some() {
        return Ok(true);
    }
    let default = format!("refs/heads/{}", repository.default_branch);
    let default = default.as_str();
    let find = |reads: Arc<Connection>| async move { rows::find(&reads, id, default).await };
    let Some(default) = db.resolve(find, belongs).await? else {
        return Ok(false);
    };
    Ok(is_ancestor(db.reads(), id, head, Sha::stored(&default.sha)?).await?)
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
