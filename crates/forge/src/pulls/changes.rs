//! Changes a pull request: its texts, its base, and whether it is open.

use poem_openapi::types::MaybeUndefined;

use super::bases::is_taken;
use super::branches::{BranchRelation, branch};
use super::comments::comments_follow;
use super::rules::NotReopened;
use super::{rules, save};
use crate::access::RepositoryGrant;
use crate::events::Origin;
use crate::events::{self, Event, PullAction, PullChanges};
use contract::pulls::UpdatePull;
use contract::reply::Outcome;
use contract::shared::state::PullState;
use git::{Sha, ancestry};
use storage::database::{Connection, Transaction};
use storage::entities::pull;
use storage::heavy;

/// Changes a pull request, and queues the events. It must be locked, with its branches
/// (`branches::lock`).
pub async fn change(
    transaction: &Transaction,
    origin: &Origin<'_>,
    grant: &RepositoryGrant,
    before: &pull::Model,
    body: &UpdatePull,
) -> Outcome<pull::Model> {
    if let Some(title) = &body.title {
        rules::check_title(title)?;
    }
    let mut row = before.clone();
    reword(&mut row, body);
    change_state(transaction, grant, &mut row, body.state, origin.now).await?;
    if let Some(base) = &body.base {
        change_base(transaction, grant, &mut row, base).await?;
    }
    if row == *before {
        return Ok(row);
    }
    row.updated_at = origin.now;
    save(transaction, &row).await?;
    if (&row.base_ref, &row.head_sha) != (&before.base_ref, &before.head_sha) {
        let head = Sha::stored(&row.head_sha)?;
        let follow = comments_follow(transaction, &row, head);
        heavy::without_waiting(follow).await?;
    }
    let events: Vec<_> = actions(before, &row)
        .into_iter()
        .map(|action| Event::PullRequest { action, pull: &row })
        .collect();
    events::queue_all(transaction, origin, &events).await?;
    Ok(row)
}

/// The webhook actions of a change.
fn actions(before: &pull::Model, now: &pull::Model) -> Vec<PullAction> {
    let base = (before.base_ref != now.base_ref)
        .then(|| (before.base_ref.clone(), before.base_sha.clone()));
    let changes = PullChanges {
        title: (before.title != now.title).then(|| before.title.clone()),
        body: (before.body != now.body).then(|| before.body.clone().unwrap_or_default()),
        base,
    };
    let edited = changes != PullChanges::default();
    let edited = edited.then_some(PullAction::Edited(changes));
    let state = match (before.state, now.state) {
        (pull::PullState::Open, pull::PullState::Closed) => Some(PullAction::Closed),
        (pull::PullState::Closed, pull::PullState::Open) => Some(PullAction::Reopened),
        _ => None,
    };
    edited.into_iter().chain(state).collect()
}

fn reword(row: &mut pull::Model, body: &UpdatePull) {
    if let Some(title) = &body.title {
        row.title.clone_from(title);
    }
    match &body.body {
        MaybeUndefined::Undefined => {}
        MaybeUndefined::Null => row.body = None,
        MaybeUndefined::Value(text) => row.body = Some(text.clone()),
    }
    if let Some(may) = body.maintainer_can_modify {
        row.maintainer_can_modify = may;
    }
}

async fn change_state(
    transaction: &Connection,
    grant: &RepositoryGrant,
    row: &mut pull::Model,
    state: Option<PullState>,
    now: i64,
) -> Outcome<()> {
    match (state, row.state) {
        (Some(PullState::Closed), pull::PullState::Open) => {
            // From now on its diff is that of this moment.
            if let Some(base) = branch(transaction, grant, &row.base_ref).await? {
                row.base_sha = base.sha;
            }
            (row.state, row.closed_at) = (pull::PullState::Closed, Some(now));
            Ok(())
        }
        (Some(PullState::Open), pull::PullState::Closed) => reopen(transaction, grant, row).await,
        (Some(PullState::Open), pull::PullState::Merged) => {
            Err(rules::not_reopened(NotReopened::Merged))
        }
        _ => Ok(()),
    }
}

/// Both branches must exist, and the head must still have the commits of the pull request.
async fn reopen(
    transaction: &Connection,
    grant: &RepositoryGrant,
    row: &mut pull::Model,
) -> Outcome<()> {
    let rejected = |reason| Err(rules::not_reopened(reason));
    let Some(head) = branch(transaction, grant, &row.head_ref).await? else {
        return rejected(NotReopened::Deleted(&row.head_ref));
    };
    let Some(base) = branch(transaction, grant, &row.base_ref).await? else {
        return rejected(NotReopened::Deleted(&row.base_ref));
    };
    let id = grant.repository.id;
    let (old, new) = (Sha::stored(&row.head_sha)?, Sha::stored(&head.sha)?);
    if !ancestry::is_ancestor(transaction, id, old, new).await? {
        return rejected(NotReopened::Recreated(&row.head_ref));
    }
    if BranchRelation::of(transaction, id, &base.sha, &head.sha).await? != BranchRelation::Ahead {
        return rejected(NotReopened::NoCommits(&row.head_ref));
    }
    if is_taken(transaction, row, &row.base_ref).await? {
        let (owner, head) = (&*grant.owner.login, &*row.head_ref);
        return rejected(NotReopened::Exists { owner, head });
    }
    (row.state, row.closed_at) = (pull::PullState::Open, None);
    (row.base_sha, row.head_sha) = (base.sha, head.sha);
    Ok(())
}

async fn change_base(
    transaction: &Connection,
    grant: &RepositoryGrant,
    row: &mut pull::Model,
    base: &str,
) -> Outcome<()> {
    if row.base_ref == base {
        return Ok(());
    }
    if row.state != pull::PullState::Open {
        return Err(rules::closed_base());
    }
    let Some(branch) = branch(transaction, grant, base).await? else {
        return Err(rules::no_base(base));
    };
    let id = grant.repository.id;
    if BranchRelation::of(transaction, id, &branch.sha, &row.head_sha).await?
        != BranchRelation::Ahead
    {
        return Err(rules::nothing_for_base(base, &row.head_ref));
    }
    if is_taken(transaction, row, base).await? {
        return Err(rules::exists_for_base(base, &row.head_ref));
    }
    (row.base_ref, row.base_sha) = (base.to_owned(), branch.sha);
    Ok(())
}
