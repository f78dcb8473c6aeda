//! Checks whether a reference would introduce workflow files that the repository does not have on
//! a branch: a token without the workflows permission may not do that (Spec, Authentication, rule
//! 4: refs create and update). A merge is stricter: it may not change these files of its branch.
//!
//! Commits that a branch already reaches are not new. The work is
//! bounded, and a change that cannot be shown to be harmless within the bounds is rejected.

use std::collections::{HashMap, HashSet};

use sea_orm::DbErr;

use crate::access::RepositoryGrant;
use crate::git_refs;
use crate::pulls::comparison::tree_of;
use contract::reply::Outcome;
use git::ancestry::is_ancestor;
use git::refs::NameRange;
use git::target::RefTarget;
use git::tree::Mode;
use git::tree_listing::entries_named;
use git::walk::{GainedCommit, new_commits};
use git::{GitError, Sha};
use storage::database::Connection;

/// Commits that are visited, including known ones.
const MOST_COMMITS: usize = 10_000;

/// Branches that are checked for reaching a commit already.
const MOST_BRANCHES: u64 = 500;

/// Commits whose trees are read at once.
const AT_ONCE: usize = 250;

/// Rejects changes of workflow files for a caller without the permission.
pub async fn check_workflows(
    connection: &Connection,
    grant: &RepositoryGrant,
    old: Option<RefTarget>,
    new: RefTarget,
) -> Outcome<()> {
    if grant.may_change_workflows() {
        return Ok(());
    }
    let repository = &grant.repository;
    let Some(new) = new.commit(connection, repository.id).await? else {
        return Ok(());
    };
    let old: Option<Sha> = match old {
        Some(old) => old.commit(connection, repository.id).await?,
        None => None,
    };
    let default = &repository.default_branch;
    match would_change(connection, repository.id, default, old, new).await? {
        true => Err(grant.without_workflows()),
        false => Ok(()),
    }
}

/// Rejects a merge that changes the workflow files of the branch that it moves, for a caller
/// without the permission, even if another branch has these files already.
pub async fn check_merged_workflows(
    connection: &Connection,
    grant: &RepositoryGrant,
    old: Sha,
    new: Sha,
) -> Outcome<()> {
    if grant.may_change_workflows() {
        return Ok(());
    }
    let id = grant.repository.id;
    let old = tree_of(connection, id, old).await?;
    let new = tree_of(connection, id, new).await?;
    let folders = workflow_folders(connection, id, HashSet::from([old, new])).await?;
    match folders.get(&old) == folders.get(&new) {
        true => Ok(()),
        false => Err(grant.without_workflows()),
    }
}

/// Whether commits that `new` reaches, and no branch does, change a file under
/// `.github/workflows/`. `old` is the previous target of the reference.
async fn would_change(
    connection: &Connection,
    repository_id: i64,
    default_branch: &str,
    old: Option<Sha>,
    new: Sha,
) -> Result<bool, GitError> {
    let all = NameRange::branches();
    if git_refs::rows::is_tip(connection, repository_id, new, &all.from, &all.until).await? {
        return Ok(false);
    }
    let mut known_commits: Vec<Sha> = old.into_iter().collect();
    let default = format!("refs/heads/{default_branch}");
    if let Some(row) = git_refs::rows::find(connection, repository_id, &default).await? {
        let tip = Sha::stored(&row.sha)?;
        if is_ancestor(connection, repository_id, new, tip).await? {
            return Ok(false);
        }
        known_commits.push(tip);
    }
    if !changed_since(connection, repository_id, &known_commits, new).await? {
        return Ok(false);
    }
    // Rarely needed and more work: the commits may be on another branch.
    known_commits.extend(tips(connection, repository_id).await?);
    changed_since(connection, repository_id, &known_commits, new).await
}

async fn tips(connection: &Connection, repository_id: i64) -> Result<HashSet<Sha>, DbErr> {
    let all = NameRange::branches();
    let most = Some(MOST_BRANCHES);
    let rows = git_refs::rows::list(connection, repository_id, &all.from, &all.until, most).await?;
    rows.iter().map(|(_, sha, _)| Sha::stored(sha)).collect()
}

async fn changed_since(
    connection: &Connection,
    repository_id: i64,
    known: &[Sha],
    new: Sha,
) -> Result<bool, GitError> {
    let gained = new_commits(connection, repository_id, known, new, MOST_COMMITS).await?;
    if !gained.complete {
        return Ok(true);
    }
    for chunk in gained.commits.chunks(AT_ONCE) {
        let trees = chunk.iter().flat_map(|commit| {
            let parents = commit.parents.iter().map(|parent| parent.tree);
            parents.chain([commit.tree])
        });
        let folders = workflow_folders(connection, repository_id, trees.collect()).await?;
        if chunk.iter().any(|commit| changes(commit, &folders)) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// A commit changes the folder if no parent has the same one: a merge that takes the folder of
/// one side introduces nothing.
fn changes(commit: &GainedCommit, folders: &HashMap<Sha, Sha>) -> bool {
    let folder = folders.get(&commit.tree);
    if commit.parents.is_empty() {
        return folder.is_some();
    }
    commit
        .parents
        .iter()
        .all(|parent| folders.get(&parent.tree) != folder)
}

/// The name of `.github/workflows` in each of the trees that has it.
async fn workflow_folders(
    connection: &Connection,
    repository_id: i64,
    trees: HashSet<Sha>,
) -> Result<HashMap<Sha, Sha>, GitError> {
    let roots = entries_named(connection, repository_id, trees, b".github").await?;
    let directories = roots
        .iter()
        .filter(|(_, entry)| entry.0 == Mode::Tree)
        .map(|(root, entry)| (*root, entry.1));
    let directories: HashMap<Sha, Sha> = directories.collect();
    let inner = directories.values().copied().collect();
    let folders = entries_named(connection, repository_id, inner, b"workflows").await?;
    Ok(directories
        .into_iter()
        .filter_map(|(root, directory)| Some((root, folders.get(&directory)?.1)))
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use git::walk::ParentCommit;

    fn sha(digit: u8) -> Sha {
        Sha::from_bytes([digit; Sha::BYTES])
    }

    /// Trees 1 and 2 have the folder, each its own; tree 3 has none.
    fn verdict(tree: u8, parents: &[u8]) -> bool {
        let folders = HashMap::from([(sha(1), sha(101)), (sha(2), sha(102))]);
        let commit = GainedCommit {
            sha: sha(9),
            tree: sha(tree),
            parents: parents
                .iter()
                .map(|tree| ParentCommit {
                    sha: sha(8),
                    tree: sha(*tree),
                })
                .collect(),
        };
        changes(&commit, &folders)
    }

    #[test]
    fn adding_changing_and_removing_are_changes_and_taking_over_is_none() {
        assert!(verdict(1, &[]), "a root that has them");
        assert!(!verdict(3, &[]), "a root that has none");
        assert!(verdict(1, &[3]), "added");
        assert!(verdict(1, &[2]), "changed");
        assert!(verdict(3, &[1]), "removed");
        assert!(!verdict(1, &[1]), "kept");
        assert!(!verdict(1, &[2, 1]), "a merge that takes one side");
        assert!(verdict(3, &[2, 1]), "a merge that is unlike both sides");
    }
}
