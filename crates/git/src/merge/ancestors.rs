//! Merges of commits. After criss-cross merges two commits have several merge bases; as in
//! Git, these are merged with each other first, and conflicts among them stay in the result
//! as marked lines. That ancestor is never stored.

use std::pin::Pin;

use super::{Conflicts, Merge, Merger};
use crate::ancestry::merge_bases;
use crate::graph;
use crate::{GitError, Sha};

/// The most merges of ancestors for one merge.
const MOST_MERGES: usize = 16;

/// The merge of ancestors, recursively.
type Merging<'b> = Pin<Box<dyn Future<Output = Result<Merge, GitError>> + Send + 'b>>;

impl Merger<'_> {
    /// Merges two commits. Reports a conflict if they have no common ancestor, or if `ours`
    /// already contains `theirs`.
    pub async fn merge_commits(&mut self, ours: Sha, theirs: Sha) -> Result<Merge, GitError> {
        let bases = self.bases(&[ours], theirs).await?;
        if bases.is_empty() || bases == [theirs] {
            return Ok(Merge::Conflict);
        }
        let mut remaining = MOST_MERGES;
        let base = match self.ancestor(bases, 1, &mut remaining).await? {
            Merge::Tree(tree) => tree,
            unmerged => return Ok(unmerged),
        };
        self.workspace.overlay.set_aside();
        let (ours, theirs) = (self.tree_of(ours).await?, self.tree_of(theirs).await?);
        self.merge(base, ours, theirs).await
    }

    /// The tree of a virtual ancestor that represents several: the first, with the others
    /// merged into it one by one.
    fn ancestor<'b>(
        &'b mut self,
        bases: Vec<Sha>,
        depth: usize,
        remaining: &'b mut usize,
    ) -> Merging<'b> {
        Box::pin(async move {
            let Some((first, others)) = bases.split_first() else {
                return Ok(Merge::Tree(Sha::EMPTY_TREE));
            };
            let mut tree = self.tree_of(*first).await?;
            for (merged, next) in (1..).zip(others) {
                let Some(fewer) = remaining.checked_sub(1) else {
                    return Ok(Merge::TooLarge);
                };
                *remaining = fewer;
                let common = self.bases(&bases[..merged], *next).await?;
                let base = match self.ancestor(common, depth + 1, remaining).await? {
                    Merge::Tree(base) => base,
                    unmerged => return Ok(unmerged),
                };
                tree = match self.merge_marked(base, tree, *next, depth).await? {
                    Merge::Tree(merged_tree) => merged_tree,
                    unmerged => return Ok(unmerged),
                };
            }
            Ok(Merge::Tree(tree))
        })
    }

    async fn merge_marked(
        &mut self,
        base: Sha,
        tree: Sha,
        next: Sha,
        depth: usize,
    ) -> Result<Merge, GitError> {
        let theirs = self.tree_of(next).await?;
        self.conflicts = Conflicts::Marked { depth };
        let outcome = self.merge(base, tree, theirs).await;
        self.conflicts = Conflicts::Refused;
        outcome
    }

    async fn bases(&self, ones: &[Sha], other: Sha) -> Result<Vec<Sha>, GitError> {
        let workspace = &self.workspace;
        merge_bases(workspace.connection, workspace.repository_id, ones, other).await
    }

    async fn tree_of(&self, commit: Sha) -> Result<Sha, GitError> {
        let workspace = &self.workspace;
        let node = graph::find(workspace.connection, workspace.repository_id, commit).await?;
        let node = node.ok_or(GitError::Missing(commit))?;
        Ok(Sha::stored(&node.tree_sha)?)
    }
}
