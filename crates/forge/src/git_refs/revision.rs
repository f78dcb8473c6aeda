//! Resolves names in requests: an object by its SHA-1 or by a reference, or a commit by a prefix
//! of its SHA-1.

use super::{pull_heads, rows};
use crate::access::RepositoryGrant;
use contract::problem::Problem;
use contract::reply::Outcome;
use git::log::by_prefix;
use git::refs::NameRange;
use git::target::RefTarget;
use git::{GitError, Sha};
use storage::database::Connection;
use storage::entities::git_object::ObjectKind;
use storage::entities::git_ref;

/// The shortest prefix of a SHA-1.
const FEWEST_DIGITS: usize = 4;

/// 409 for a repository without branches.
pub fn empty() -> Problem {
    Problem::Conflict("Git Repository is empty.".into())
}

/// Whether the repository has a branch.
pub async fn has_branch(connection: &Connection, grant: &RepositoryGrant) -> Outcome<bool> {
    let all = NameRange::branches();
    let id = grant.repository.id;
    let first_branch = rows::list(connection, id, &all.from, &all.until, Some(1)).await?;
    Ok(!first_branch.is_empty())
}

/// 409 unless the repository has a branch.
pub async fn not_empty(connection: &Connection, grant: &RepositoryGrant) -> Outcome<()> {
    match has_branch(connection, grant).await? {
        true => Ok(()),
        false => Err(empty()),
    }
}

/// 409 unless the repository has a reference of any kind.
pub async fn has_a_ref(connection: &Connection, grant: &RepositoryGrant) -> Outcome<()> {
    let all = NameRange::all();
    let first = pull_heads::list(connection, grant.repository.id, all.bounds(), 1).await?;
    match first.is_empty() {
        true => Err(empty()),
        false => Ok(()),
    }
}

/// The object with this SHA-1, or the target of the reference with this name, as Git resolves it.
pub async fn resolve(
    connection: &Connection,
    grant: &RepositoryGrant,
    name: &str,
) -> Result<Option<RefTarget>, GitError> {
    let id = grant.repository.id;
    let mut target = RefTarget::find(connection, id, name).await?;
    if target.is_none() {
        let head = pull_heads::find(connection, id, &format!("refs/{name}")).await?;
        target = head.map(RefTarget::listed).transpose()?;
    }
    for folder in ["refs/", "refs/tags/", "refs/heads/"] {
        if target.is_none() {
            let row = rows::find(connection, id, &format!("{folder}{name}")).await?;
            target = row.as_ref().map(RefTarget::of).transpose()?;
        }
    }
    Ok(target)
}

/// The commit that a request names, also through annotated tags, or by a prefix.
/// `HEAD` is the default branch.
pub async fn commit(
    connection: &Connection,
    grant: &RepositoryGrant,
    name: &str,
) -> Result<Option<Sha>, GitError> {
    let (id, default) = (grant.repository.id, &grant.repository.default_branch);
    let head = format!("refs/heads/{default}");
    let name = match name {
        "HEAD" => head.strip_prefix("refs/").unwrap_or_default(),
        full => full.strip_prefix("refs/").unwrap_or(full),
    };
    if let Some(target) = resolve(connection, grant, name).await? {
        return target.commit(connection, id).await;
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
