//! What requests name: an object by its SHA-1, by a reference, or a commit by the beginning
//! of its SHA-1.

use sea_orm::ConnectionTrait;

use super::store;
use super::target::RefTarget;
use crate::access::RepositoryGrant;
use crate::contract::problem::Problem;
use crate::contract::reply::Outcome;
use crate::entities::git_object::ObjectKind;
use crate::entities::git_ref;
use crate::git::log::by_prefix;
use crate::git::refs::{NameRange, branch_of};
use crate::git::{GitError, Sha};

/// The fewest digits that stand for a SHA-1.
const FEWEST_DIGITS: usize = 4;

/// 409 for whatever is asked of a repository without branches.
pub fn empty() -> Problem {
    Problem::Conflict("Git Repository is empty.".into())
}

/// Whether the repository has a branch.
pub async fn has_branch(
    connection: &impl ConnectionTrait,
    grant: &RepositoryGrant,
) -> Outcome<bool> {
    let all = NameRange::branches();
    let id = grant.repository.id;
    let some = store::list(connection, id, &all.from, &all.until, Some(1)).await?;
    Ok(!some.is_empty())
}

/// Refuses with 409 unless the repository has a branch. `found` is a reference that
/// was read already.
pub async fn not_empty(
    connection: &impl ConnectionTrait,
    grant: &RepositoryGrant,
    found: Option<&git_ref::Model>,
) -> Outcome<()> {
    if found.is_some_and(|row| branch_of(&row.name).is_some()) {
        return Ok(());
    }
    match has_branch(connection, grant).await? {
        true => Ok(()),
        false => Err(empty()),
    }
}

/// The object with this SHA-1, or that a reference of this name points at, as Git looks
/// one up.
pub async fn named(
    connection: &impl ConnectionTrait,
    grant: &RepositoryGrant,
    name: &str,
) -> Result<Option<RefTarget>, GitError> {
    let id = grant.repository.id;
    let mut found = RefTarget::find(connection, id, name).await?;
    for folder in ["refs/", "refs/tags/", "refs/heads/"] {
        if found.is_none() {
            let row = store::find(connection, id, &format!("{folder}{name}")).await?;
            found = row.as_ref().map(RefTarget::of).transpose()?;
        }
    }
    Ok(found)
}

/// The commit that a request names, also behind annotated tags, or by some of its digits.
/// `HEAD` is the default branch.
pub async fn commit(
    connection: &impl ConnectionTrait,
    grant: &RepositoryGrant,
    name: &str,
) -> Result<Option<Sha>, GitError> {
    let (id, default) = (grant.repository.id, &grant.repository.default_branch);
    let head = format!("refs/heads/{default}");
    let name = match name {
        "HEAD" => head.strip_prefix("refs/").unwrap_or_default(),
        full => full.strip_prefix("refs/").unwrap_or(full),
    };
    if let Some(found) = named(connection, grant, name).await? {
        return found.commit(connection, id).await;
    }
    let short = (FEWEST_DIGITS..2 * Sha::BYTES).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_hexdigit());
    match short {
        true => Ok(by_prefix(connection, id, name).await?),
        false => Ok(None),
    }
}

/// The commit at the tip of a branch.
pub fn tip(row: &git_ref::Model) -> Outcome<Sha> {
    let target = RefTarget::of(row)?;
    match target.kind {
        ObjectKind::Commit => Ok(target.sha),
        _ => Err(Problem::internal("a branch names no commit")),
    }
}
