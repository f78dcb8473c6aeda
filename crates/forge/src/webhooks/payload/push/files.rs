//! The files that the commits of a push changed.

use std::collections::HashMap;

use super::gained::Pushed;
use contract::json;
use git::diff::{self, FileChange, FileStatus};
use git::objects::Commit;
use git::{GitError, Sha, graph};
use storage::database::Connection;

/// The number of newest commits whose files are listed.
const MOST_COMPARED: usize = 250;

/// The most files that are listed for a commit, and for all together.
const MOST_FILES: usize = 3000;
const MOST_FILES_OF_ALL: usize = 20_000;

/// The paths that a commit changed.
#[derive(Default)]
pub(super) struct Files {
    pub added: Vec<String>,
    pub removed: Vec<String>,
    pub modified: Vec<String>,
}

impl Files {
    fn of(changed: &[FileChange]) -> Self {
        let mut files = Self::default();
        for change in changed {
            let list = match change.status {
                FileStatus::Added => &mut files.added,
                FileStatus::Deleted => &mut files.removed,
                FileStatus::Modified | FileStatus::Renamed { .. } | FileStatus::TypeChanged => {
                    &mut files.modified
                }
            };
            list.push(String::from_utf8_lossy(change.path()).into_owned());
        }
        files
    }

    /// The bytes of the paths in the payload.
    fn written(&self) -> usize {
        let paths = [&self.added, &self.removed, &self.modified];
        let paths = paths.into_iter().flatten();
        paths.map(|path| json::text_bytes(path) + 3).sum()
    }
}

/// The changes of the newest commits, compared with their first parents, and the bytes that they
/// take in the payload: not more than these.
pub(super) async fn of(
    connection: &Connection,
    pushed: &Pushed,
    texts: &HashMap<Sha, Commit>,
    most_bytes: usize,
) -> Result<(HashMap<Sha, Files>, usize), GitError> {
    let mut pairs: Vec<(Sha, Sha, Sha)> = Vec::new();
    for commit in pushed.gained.iter().rev().take(MOST_COMPARED) {
        let old = commit.parents.first();
        let old = old.map_or(Sha::EMPTY_TREE, |parent| parent.tree);
        pairs.push((commit.sha, old, commit.tree));
    }
    if let Some(head) = pushed.head
        && pairs.first().is_none_or(|(newest, ..)| *newest != head)
        && let Some(commit) = texts.get(&head)
    {
        let old = parent_tree(connection, pushed.repository, commit).await?;
        pairs.push((head, old, commit.tree));
    }
    let mut files = HashMap::new();
    let mut left = MOST_FILES_OF_ALL;
    let mut bytes = 0;
    for (sha, old, new) in pairs {
        let most = left.min(MOST_FILES);
        let changed = diff::changed_paths(connection, pushed.repository, old, new, most).await?;
        if let Some(changed) = changed {
            left -= changed.len().min(left);
            let listed = Files::of(&changed);
            let written = listed.written();
            if bytes + written <= most_bytes {
                bytes += written;
                files.insert(sha, listed);
            }
        }
    }
    Ok((files, bytes))
}

async fn parent_tree(
    connection: &Connection,
    repository: i64,
    commit: &Commit,
) -> Result<Sha, GitError> {
    let Some(parent) = commit.parents.first() else {
        return Ok(Sha::EMPTY_TREE);
    };
    let node = graph::find(connection, repository, *parent).await?;
    let node = node.ok_or(GitError::Missing(*parent))?;
    Ok(Sha::stored(&node.tree_sha)?)
}
