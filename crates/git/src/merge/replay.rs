//! Rebases: recreates commits on top of another, as `git rebase` does.

use super::{Merge, Merger, SideChanges};
use crate::objects::Commit;
use crate::store::load_commit;
use crate::walk::GainedCommit;
use crate::{GitError, Sha};

/// The outcome of a rebase.
#[derive(Debug)]
pub enum Replayed {
    /// The new commits, oldest first. Omits commits whose changes are already there.
    Commits(Vec<(Sha, Commit)>),
    Conflict,
    TooLarge,
}

/// The commit to rebase onto.
#[derive(Clone, Copy, Debug)]
pub struct Onto {
    pub commit: Sha,
    pub tree: Sha,
    /// The tree of the commit where the histories diverged.
    pub base_tree: Sha,
}

/// Recreates commits on top of another, oldest first, with a new committer. Skips merges.
pub async fn replay(
    merger: &mut Merger<'_>,
    onto: Onto,
    commits: &[GainedCommit],
    committer: &[u8],
) -> Result<Replayed, GitError> {
    let Onto {
        commit: mut tip,
        mut tree,
        base_tree,
    } = onto;
    let side = SideChanges::between(&mut merger.workspace, base_tree, tree).await?;
    let Some(side) = side else {
        return Ok(Replayed::TooLarge);
    };
    let mut replayed = Vec::new();
    for commit in commits.iter().filter(|commit| commit.parents.len() < 2) {
        let parent = commit.parents.first();
        let before = parent.map_or(Sha::EMPTY_TREE, |parent| parent.tree);
        let after = match merger.apply(before, commit.tree, tree, &side).await? {
            Merge::Tree(after) => after,
            Merge::Conflict => return Ok(Replayed::Conflict),
            Merge::TooLarge => return Ok(Replayed::TooLarge),
        };
        if after == tree && before != commit.tree {
            continue;
        }
        let new = rewritten(merger, commit.sha, (tip, after), committer).await?;
        (tip, tree) = (merger.workspace.overlay.add(new.write()), after);
        replayed.push((tip, new));
    }
    Ok(Replayed::Commits(replayed))
}

/// A commit with another parent and another tree.
async fn rewritten(
    merger: &Merger<'_>,
    commit: Sha,
    (parent, tree): (Sha, Sha),
    committer: &[u8],
) -> Result<Commit, GitError> {
    let workspace = &merger.workspace;
    let old = load_commit(workspace.connection, workspace.repository_id, commit).await?;
    Ok(Commit {
        tree,
        parents: vec![parent],
        committer: committer.to_vec(),
        more: unsigned(&old.more),
        ..old
    })
}

/// The headers of a commit without signatures, which are not valid for another.
fn unsigned(headers: &[u8]) -> Vec<u8> {
    let mut unsigned = Vec::with_capacity(headers.len());
    let mut signature = false;
    for line in headers.split_inclusive(|byte| *byte == b'\n') {
        if !line.starts_with(b" ") {
            signature = line.starts_with(b"gpgsig");
        }
        if !signature {
            unsigned.extend(line);
        }
    }
    unsigned
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures_are_dropped_and_other_headers_stay() {
        let headers = b"gpgsig -----BEGIN\n \n abc\n -----END\nencoding latin-1\n";
        assert_eq!(unsigned(headers), b"encoding latin-1\n");
        assert_eq!(unsigned(b""), b"");
    }
}
