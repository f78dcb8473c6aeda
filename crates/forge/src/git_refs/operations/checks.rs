//! Checks before a reference changes that need the database. The decisions
//! themselves are in `rules`.

use crate::access::RepositoryGrant;
use crate::git_refs::revision::has_a_ref;
use crate::git_refs::{mistakes, rows, rules};
use crate::pushes::workflows::check_workflows;
use contract::git_refs::UpdateRef;
use contract::reply::Outcome;
use git::target::RefTarget;
use storage::database::Connection;
use storage::entities::git_ref;

/// The reference to change.
pub(super) async fn existing(
    connection: &Connection,
    grant: &RepositoryGrant,
    name: &str,
) -> Outcome<git_ref::Model> {
    let row = rows::find(connection, grant.repository.id, name).await?;
    if row.is_none() {
        has_a_ref(connection, grant).await?;
        mistakes::note_absent(connection, grant.repository.id, name).await?;
    }
    row.ok_or_else(rules::missing)
}

/// The object that a reference will point at.
pub(super) async fn target(
    connection: &Connection,
    grant: &RepositoryGrant,
    sha: &str,
) -> Outcome<RefTarget> {
    let target = RefTarget::find(connection, grant.repository.id, sha).await?;
    target.ok_or_else(|| {
        mistakes::note_no_object(sha);
        rules::no_object()
    })
}

/// The allowed target of a move (Spec, Git references, rule 4); None if it is
/// there already.
pub(super) async fn check_move(
    connection: &Connection,
    grant: &RepositoryGrant,
    row: &git_ref::Model,
    body: &UpdateRef,
) -> Outcome<Option<RefTarget>> {
    let old = RefTarget::of(row)?;
    let new = target(connection, grant, &body.sha).await?;
    if new == old {
        return Ok(None);
    }
    rules::may_be_moved_to(&row.name, new.kind)?;
    let id = grant.repository.id;
    if !body.force && !old.is_behind(connection, id, new).await? {
        mistakes::note_not_forward(&row.name);
        return Err(rules::not_forward());
    }
    check_workflows(connection, grant, Some(old), new).await?;
    Ok(Some(new))
}
