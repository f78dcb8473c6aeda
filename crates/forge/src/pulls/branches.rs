//! The two branches of a pull request, locked in a transaction.

use crate::access::RepositoryGrant;
use crate::git_refs::rows as refs_store;
use crate::issues::rows::lock_pull;
use crate::repositories::rows::lock_repository;
use contract::problem::Problem;
use contract::reply::Outcome;
use git::{GitError, Sha, ancestry};
use storage::database::{Connection, Transaction};
use storage::entities::{git_ref, pull};

/// The branch with this name.
pub async fn branch(
    connection: &Connection,
    grant: &RepositoryGrant,
    name: &str,
) -> Outcome<Option<git_ref::Model>> {
    let name = format!("refs/heads/{name}");
    Ok(refs_store::find(connection, grant.repository.id, &name).await?)
}

/// The relation of a branch to its base.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BranchRelation {
    /// It has commits that the base does not have.
    Ahead,
    /// It has no such commits.
    Nothing,
    /// They have no common ancestor.
    Unrelated,
}

impl BranchRelation {
    pub async fn of(
        connection: &Connection,
        repository_id: i64,
        base: &str,
        head: &str,
    ) -> Result<Self, GitError> {
        let (base, head) = (Sha::stored(base)?, Sha::stored(head)?);
        let fork = ancestry::merge_base(connection, repository_id, base, head).await?;
        Ok(match fork {
            Some(fork) if fork == head => Self::Nothing,
            Some(_) => Self::Ahead,
            None => Self::Unrelated,
        })
    }
}

/// Blocks other changes of the branches and the pull request until the transaction ends, and reads
/// the pull request again.
pub async fn lock(
    transaction: &Transaction,
    grant: &RepositoryGrant,
    pull: i64,
) -> Outcome<pull::Model> {
    lock_repository(transaction, grant).await?;
    let pull = lock_pull(transaction, pull).await?;
    pull.ok_or(Problem::NotFound)
}
