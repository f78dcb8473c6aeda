//! Changes of references, and all their consequences in the same transaction: the time of the
//! last push, the heads of pull requests, their comments and the events. Every change of a live
//! repository goes through here, whether by an operation of the API, a merge, or `git push`. Only
//! a new reference, which nothing follows, takes a shorter path (`git_refs::queued`).
//!
//! The caller checks beforehand whether a change is allowed.

/// The events of changes.
mod events;
/// Changes of workflow files.
pub mod workflows;

pub use self::events::has_events;
use crate::events::Origin;
use crate::git_refs;
use crate::git_refs::rows::NewRef;
use crate::git_refs::rules::RefUpdateOutcome;
use crate::pulls::bases::{BaseChange, bases_follow};
use crate::pulls::{Followed, HeadChange, pulls_follow};
use contract::problem::Problem;
use contract::reply::Outcome;
use git::refs::{RefName, branch_of};
use git::target::RefTarget;
use git::{GitError, pushes};
use storage::database::Transaction;
use storage::entities::git_ref;
use storage::heavy;

/// A change of one reference.
#[derive(Debug, Clone, Copy)]
pub enum RefChange<'a> {
    Create(&'a RefName, RefTarget),
    /// The row as it was read.
    Move(&'a git_ref::Model, RefTarget),
    /// The row as it was read.
    Delete(&'a git_ref::Model),
}

/// Changes a reference and whatever follows it, and queues the events. The repository must be
/// locked.
pub async fn apply(
    transaction: &Transaction,
    origin: &Origin<'_>,
    change: RefChange<'_>,
) -> Outcome<RefUpdateOutcome> {
    let outcomes = apply_each(transaction, origin, &[change]).await?;
    outcomes
        .first()
        .copied()
        .ok_or_else(|| Problem::internal("a change has no outcome"))
}

/// Applies those changes of one push that are possible, and returns the outcome of each. The
/// repository must be locked.
pub async fn apply_each(
    transaction: &Transaction,
    origin: &Origin<'_>,
    changes: &[RefChange<'_>],
) -> Outcome<Vec<RefUpdateOutcome>> {
    let mut outcomes = Vec::with_capacity(changes.len());
    let mut applied_changes = Vec::with_capacity(changes.len());
    let mut followed = Vec::new();
    for change in changes {
        let applied = write(transaction, origin, *change).await?;
        if applied == RefUpdateOutcome::Done {
            followed.extend(follow(transaction, origin, *change).await?);
            applied_changes.push(*change);
        }
        outcomes.push(applied);
    }
    if !applied_changes.is_empty() {
        pushes::record(transaction, origin.repository.id, origin.now).await?;
        events::queue(transaction, origin, &applied_changes, &followed).await?;
    }
    Ok(outcomes)
}

async fn write(
    transaction: &Transaction,
    origin: &Origin<'_>,
    change: RefChange<'_>,
) -> Outcome<RefUpdateOutcome> {
    let (id, now) = (origin.repository.id, origin.now);
    Ok(match change {
        RefChange::Create(name, target) => {
            let new = NewRef::new(name, target);
            git_refs::rows::insert_in(transaction, id, &new, now)
                .await?
                .into()
        }
        RefChange::Move(old, target) => {
            swap_outcome(git_refs::rows::swap(transaction, old, target, now).await?)
        }
        RefChange::Delete(old) => swap_outcome(git_refs::rows::delete(transaction, old).await?),
    })
}

/// Updates the pull requests that follow a change.
async fn follow(
    transaction: &Transaction,
    origin: &Origin<'_>,
    change: RefChange<'_>,
) -> Outcome<Vec<Followed>> {
    let (old, change) = match change {
        RefChange::Create(..) => return Ok(Vec::new()),
        RefChange::Move(old, target) => (old, HeadChange::Moved(target.sha)),
        RefChange::Delete(old) => (old, HeadChange::Deleted),
    };
    let Some(branch) = branch_of(&old.name) else {
        return Ok(Vec::new());
    };
    let (id, now) = (origin.repository.id, origin.now);
    let base = base_change(old, change)?;
    let follow = async {
        let mut pulls = pulls_follow(transaction, id, branch, change, now).await?;
        let by = (origin.sender, now);
        pulls.extend(bases_follow(transaction, id, branch, base, by).await?);
        Ok::<_, GitError>(pulls)
    };
    Ok(heavy::without_waiting(follow).await?)
}

/// The same change, for the pull requests into the branch.
fn base_change(old: &git_ref::Model, change: HeadChange) -> Outcome<BaseChange> {
    let old = RefTarget::of(old)?.sha;
    Ok(match change {
        HeadChange::Moved(new) => BaseChange::Moved { old, new },
        HeadChange::Deleted => BaseChange::Deleted { old },
    })
}

fn swap_outcome(changed: bool) -> RefUpdateOutcome {
    match changed {
        true => RefUpdateOutcome::Done,
        false => RefUpdateOutcome::Overtaken,
    }
}
