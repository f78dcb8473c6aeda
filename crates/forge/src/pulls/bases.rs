//! Updates pull requests when their base branch changes: a pull request whose head becomes part of
//! the base is merged, and one whose base is deleted gets another base or is closed.

use std::collections::HashMap;

use sea_orm::{ColumnTrait, DbErr, EntityTrait, QueryFilter, QueryOrder};

use super::comments::comments_follow;
use super::{Followed, save};
use git::walk::{GainedCommit, NewCommits, new_commits};
use git::{GitError, Sha, ancestry};
use storage::database::Connection;
use storage::entities::git_ref;
use storage::entities::pull::{self, Column, Entity, PullState};

/// For a push of more commits than this, each pull request is checked separately.
const MOST_COMMITS: usize = 10_000;

/// The most pull requests that are checked separately.
const MOST_CHECKED: usize = 500;

/// A change of a base branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BaseChange {
    Moved { old: Sha, new: Sha },
    Deleted { old: Sha },
}

/// How a pull request was merged.
#[derive(Debug, Clone)]
pub struct Merged {
    /// The base before the merge.
    pub base: Sha,
    pub commit: Sha,
    pub by: Option<i64>,
    pub now: i64,
}

/// The row of a merged pull request.
pub fn merged(before: &pull::Model, how: &Merged) -> pull::Model {
    pull::Model {
        state: PullState::Merged,
        base_sha: how.base.to_string(),
        merge_commit_sha: Some(how.commit.to_string()),
        merged_by_id: how.by,
        merged_at: Some(how.now),
        closed_at: Some(how.now),
        updated_at: how.now,
        ..before.clone()
    }
}

/// Updates the open pull requests into a branch. Returns those that were merged,
/// closed or got another base.
///
/// Call it in the transaction of the change, with the repository locked.
pub async fn bases_follow(
    transaction: &Connection,
    repository_id: i64,
    branch: &str,
    change: BaseChange,
    (by, now): (Option<i64>, i64),
) -> Result<Vec<Followed>, GitError> {
    let open = Entity::find()
        .filter(pull::COLUMN.repository_id.eq(repository_id))
        .filter(pull::COLUMN.base_ref.eq(branch))
        .filter(pull::COLUMN.state.eq(PullState::Open))
        .order_by_asc(Column::Id)
        .all(transaction)
        .await?;
    if open.is_empty() {
        return Ok(Vec::new());
    }
    let followed = match change {
        BaseChange::Moved { old, new } => {
            let merge_commits = contained(transaction, repository_id, &open, old, new).await?;
            let merge = |before: pull::Model| {
                let how = Merged {
                    base: old,
                    commit: *merge_commits.get(&before.id)?,
                    by,
                    now,
                };
                let now = merged(&before, &how);
                Some(Followed { before, now })
            };
            open.into_iter().filter_map(merge).collect()
        }
        BaseChange::Deleted { old } => {
            let new_base = find_new_base(transaction, repository_id, branch).await?;
            let mut followed = Vec::with_capacity(open.len());
            for before in open {
                let now = without_base(transaction, &before, new_base.as_ref(), old, now).await?;
                followed.push(Followed { before, now });
            }
            followed
        }
    };
    for pull in &followed {
        write(transaction, pull).await?;
    }
    Ok(followed)
}

/// Writes a pull request. Another base means another diff, so its comments are positioned
/// again.
async fn write(transaction: &Connection, pull: &Followed) -> Result<(), GitError> {
    let Followed { before, now } = pull;
    save(transaction, now).await?;
    if before.base_ref != now.base_ref {
        comments_follow(transaction, now, Sha::stored(&now.head_sha)?).await?;
    }
    Ok(())
}

/// The pull requests whose heads a branch now contains, each with the commit that
/// introduced it.
async fn contained(
    connection: &Connection,
    repository_id: i64,
    open: &[pull::Model],
    old: Sha,
    new: Sha,
) -> Result<HashMap<i64, Sha>, GitError> {
    let gained = new_commits(connection, repository_id, &[old], new, MOST_COMMITS).await?;
    let NewCommits { commits, complete } = &gained;
    let by_sha: HashMap<Sha, &GainedCommit> =
        commits.iter().map(|commit| (commit.sha, commit)).collect();
    let mut merge_commits = HashMap::new();
    let mut checked = 0;
    for pull in open {
        let head = Sha::stored(&pull.head_sha)?;
        let mut is_contained = by_sha.contains_key(&head);
        if !is_contained && !complete && checked < MOST_CHECKED {
            checked += 1;
            is_contained = ancestry::is_ancestor(connection, repository_id, head, new).await?;
        }
        if is_contained {
            merge_commits.insert(pull.id, merge_of(commits, head).unwrap_or(head));
        }
    }
    Ok(merge_commits)
}

/// The commit that merged another into its first parent.
fn merge_of(commits: &[GainedCommit], head: Sha) -> Option<Sha> {
    let merged = |commit: &&GainedCommit| {
        let others = commit.parents.iter().skip(1);
        others.map(|parent| parent.sha).any(|sha| sha == head)
    };
    commits.iter().find(merged).map(|commit| commit.sha)
}

/// The new base for pull requests into a deleted branch: the base of the pull request by which
/// the branch was last merged.
async fn find_new_base(
    connection: &Connection,
    repository_id: i64,
    branch: &str,
) -> Result<Option<git_ref::Model>, DbErr> {
    let merged = Entity::find()
        .filter(pull::COLUMN.repository_id.eq(repository_id))
        .filter(pull::COLUMN.head_ref.eq(branch))
        .filter(pull::COLUMN.state.eq(PullState::Merged))
        .order_by_desc(Column::MergedAt)
        .order_by_desc(Column::Id)
        .one(connection)
        .await?;
    let Some(merged) = merged else {
        return Ok(None);
    };
    git_ref::Entity::find()
        .filter(git_ref::COLUMN.repository_id.eq(repository_id))
        .filter(
            git_ref::COLUMN
                .name
                .eq(format!("refs/heads/{}", merged.base_ref)),
        )
        .one(connection)
        .await
}

/// A pull request whose base was deleted: with another base, or closed.
async fn without_base(
    connection: &Connection,
    before: &pull::Model,
    new_base: Option<&git_ref::Model>,
    old: Sha,
    now: i64,
) -> Result<pull::Model, GitError> {
    let mut row = before.clone();
    row.updated_at = now;
    let branch = new_base.and_then(|new_base| new_base.name.strip_prefix("refs/heads/"));
    match (new_base, branch) {
        (Some(new_base), Some(branch))
            if branch != row.head_ref && !is_taken(connection, before, branch).await? =>
        {
            (row.base_ref, row.base_sha) = (branch.to_owned(), new_base.sha.clone());
        }
        _ => {
            (row.state, row.closed_at) = (PullState::Closed, Some(now));
            row.base_sha = old.to_string();
        }
    }
    Ok(row)
}

/// Whether another open pull request has the same branch and that base.
pub async fn is_taken(
    connection: &Connection,
    pull: &pull::Model,
    base: &str,
) -> Result<bool, DbErr> {
    let other = Entity::find()
        .filter(pull::COLUMN.repository_id.eq(pull.repository_id))
        .filter(pull::COLUMN.head_ref.eq(pull.head_ref.as_str()))
        .filter(pull::COLUMN.base_ref.eq(base))
        .filter(pull::COLUMN.state.eq(PullState::Open))
        .filter(pull::COLUMN.id.ne(pull.id))
        .one(connection)
        .await?;
    Ok(other.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use git::walk::ParentCommit;

    fn sha(digit: u8) -> Sha {
        Sha::from_bytes([digit; Sha::BYTES])
    }

    #[test]
    fn the_commit_that_merged_a_head_has_it_as_a_later_parent() {
        let commit = |name: u8, parents: &[u8]| GainedCommit {
            sha: sha(name),
            tree: sha(0),
            parents: parents
                .iter()
                .map(|parent| ParentCommit {
                    sha: sha(*parent),
                    tree: sha(0),
                })
                .collect(),
        };
        let commits = [commit(4, &[3]), commit(3, &[1, 2]), commit(2, &[1])];
        assert_eq!(merge_of(&commits, sha(2)), Some(sha(3)));
        assert_eq!(merge_of(&commits, sha(3)), None);
    }
}
