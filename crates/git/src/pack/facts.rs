//! What the received objects contain: which objects they reference, and the commits among them.

mod folders;
mod trees;

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use super::{PackError, PackLimits};
use crate::graph::NewCommit;
use crate::names::GitFile;
use crate::objects::Commit;
use crate::{GitError, Sha, fsck, ident, tree};
use folders::Folders;
pub(super) use folders::TreeBase;
use storage::entities::git_object::ObjectKind;
pub(super) use trees::ArrivingTree;

/// Bytes of a tree that are checked at a time.
const TREE_PIECE: usize = 64 * 1024;

/// Collected while objects are checked.
#[derive(Default)]
pub(super) struct PackFacts {
    /// Every object that a received one references, and as which kind.
    pub(super) referenced: HashMap<Sha, ObjectReference>,
    pub(super) commits: Vec<ReceivedCommit>,
    /// The parents of all commits.
    parents: Vec<Sha>,
    /// The objects so far, if duplicates are tolerated.
    seen: Option<HashSet<Sha>>,
    folders: Folders,
    /// The files that Git itself reads.
    pub(super) git_files: HashSet<(Sha, GitFile)>,
}

/// Folders that are kept for each object that a pack may have.
const FOLDERS: u64 = 4;

/// The kind that an object is referenced as, and how often.
pub(super) struct ObjectReference {
    pub(super) kind: ObjectKind,
    count: u32,
}

/// A received commit, in compact form.
pub(super) struct ReceivedCommit {
    pub(super) sha: Sha,
    tree: Sha,
    committed_at: i64,
    first_parent: usize,
    parents: usize,
}

impl PackFacts {
    /// Checks the content of an object as `git fsck` does, and collects its references. A tree may
    /// be a delta of another.
    pub(super) fn check(
        &mut self,
        sha: Sha,
        kind: ObjectKind,
        content: &[u8],
        base: Option<&TreeBase>,
        limits: &PackLimits,
    ) -> Result<(), PackError> {
        let faulty = |cause: GitError| PackError::Fsck { sha, cause };
        match kind {
            ObjectKind::Blob => return Ok(()),
            ObjectKind::Tree => {
                let mut tree = ArrivingTree::over(base);
                for piece in content.chunks(TREE_PIECE) {
                    self.tree_piece(&mut tree, piece, limits)?;
                }
                return self.end_tree(sha, tree, limits);
            }
            ObjectKind::Commit | ObjectKind::Tag if !self.is_first(sha) => return Ok(()),
            ObjectKind::Commit => self.commit(sha, &fsck::commit(content).map_err(faulty)?)?,
            ObjectKind::Tag => {
                let tag = fsck::tag(content).map_err(faulty)?;
                self.name(tag.target, tag.target_kind)?;
            }
        }
        self.check_count(limits)
    }

    /// Whether an object is to be counted: duplicates are not, where they are tolerated.
    fn is_first(&mut self, sha: Sha) -> bool {
        self.seen.as_mut().is_none_or(|seen| seen.insert(sha))
    }

    fn check_count(&self, limits: &PackLimits) -> Result<(), PackError> {
        let names = self.referenced.len().max(self.parents.len()) as u64;
        match names > u64::from(limits.objects) {
            true => Err(PackError::Limit {
                resource: "number of objects that its objects name",
                limit: u64::from(limits.objects),
            }),
            false if self.folders.count() as u64 > FOLDERS * u64::from(limits.objects) => {
                Err(PackError::Limit {
                    resource: "number of folders in its folders",
                    limit: FOLDERS * u64::from(limits.objects),
                })
            }
            false => Ok(()),
        }
    }

    /// Checks how deep the folders nest, and how long the paths are.
    pub(super) fn check_folders(&self) -> Result<(), PackError> {
        let checked = self.folders.check();
        checked.map_err(|(sha, cause)| PackError::Fsck { sha, cause })
    }

    fn commit(&mut self, sha: Sha, commit: &Commit) -> Result<(), PackError> {
        for (sha, kind) in named_by(commit) {
            self.name(sha, kind)?;
        }
        self.commits.push(ReceivedCommit {
            sha,
            tree: commit.tree,
            committed_at: ident::seconds_of(&commit.committer),
            first_parent: self.parents.len(),
            parents: commit.parents.len(),
        });
        self.parents.extend(&commit.parents);
        Ok(())
    }

    fn name(&mut self, sha: Sha, kind: ObjectKind) -> Result<(), PackError> {
        match self.referenced.entry(sha) {
            Entry::Vacant(entry) => {
                entry.insert(ObjectReference { kind, count: 1 });
                Ok(())
            }
            Entry::Occupied(mut entry) if entry.get().kind == kind => {
                let count = &mut entry.get_mut().count;
                *count = count.saturating_add(1);
                Ok(())
            }
            Entry::Occupied(entry) => Err(PackError::WrongKind {
                sha,
                expected: kind,
                actual: entry.get().kind,
            }),
        }
    }

    /// Removes one reference to an object; returns whether none is left.
    pub(super) fn forget(&mut self, sha: Sha) -> bool {
        let Entry::Occupied(mut entry) = self.referenced.entry(sha) else {
            return false;
        };
        entry.get_mut().count -= 1;
        let last = entry.get().count == 0;
        if last {
            entry.remove();
        }
        last
    }

    /// Bytes of memory.
    pub(super) fn memory(&self) -> usize {
        let referenced = size_of::<(Sha, ObjectReference)>() + 1;
        self.referenced.capacity() * referenced
            + self.commits.capacity() * size_of::<ReceivedCommit>()
            + self.parents.capacity() * Sha::BYTES
            + self.git_files.capacity() * size_of::<(Sha, GitFile)>()
            + self.folders.memory()
    }

    /// Accepts objects that occur more than once, as in the packs of a repository on disk.
    pub(super) fn tolerate_duplicates(&mut self) {
        self.seen = Some(HashSet::new());
    }

    pub(super) fn tolerates_duplicates(&self) -> bool {
        self.seen.is_some()
    }

    fn parents_of(&self, commit: &ReceivedCommit) -> &[Sha] {
        &self.parents[commit.first_parent..][..commit.parents]
    }

    /// The commit at an index of `commits`, for the graph.
    pub(super) fn new_commit(&self, index: u32) -> NewCommit {
        let commit = &self.commits[index as usize];
        NewCommit {
            sha: commit.sha,
            tree: commit.tree,
            parents: self.parents_of(commit).to_vec(),
            committed_at: commit.committed_at,
        }
    }

    /// The indices of all commits, parents before children. Sorts `commits` by name.
    pub(super) fn in_order(&mut self) -> Vec<u32> {
        self.commits.sort_unstable_by_key(|commit| commit.sha);
        let mut order = Vec::with_capacity(self.commits.len());
        let mut visited = vec![false; self.commits.len()];
        // Each commit is pushed twice: first to add its parents, then to add itself.
        let mut stack: Vec<(u32, bool)> = (0..self.commits.len() as u32)
            .rev()
            .map(|index| (index, false))
            .collect();
        while let Some((index, parents_done)) = stack.pop() {
            if parents_done {
                order.push(index);
                continue;
            }
            if std::mem::replace(&mut visited[index as usize], true) {
                continue;
            }
            stack.push((index, true));
            for parent in self.parents_of(&self.commits[index as usize]) {
                let parent_index = self
                    .commits
                    .binary_search_by_key(parent, |commit| commit.sha);
                if let Ok(parent_index) = parent_index
                    && !visited[parent_index]
                {
                    stack.push((parent_index as u32, false));
                }
            }
        }
        order
    }
}

/// The objects that a checked object references.
pub(super) fn names(kind: ObjectKind, content: &[u8]) -> Result<Vec<(Sha, ObjectKind)>, GitError> {
    Ok(match kind {
        ObjectKind::Blob => Vec::new(),
        ObjectKind::Tree => {
            let named = tree::entries(content).filter_map(|entry| {
                let named = entry.map(|entry| Some((entry.sha, entry.mode.kind()?)));
                named.transpose()
            });
            named.collect::<Result<_, _>>()?
        }
        ObjectKind::Commit => named_by(&fsck::commit(content)?).collect(),
        ObjectKind::Tag => {
            let tag = fsck::tag(content)?;
            vec![(tag.target, tag.target_kind)]
        }
    })
}

fn named_by(commit: &Commit) -> impl Iterator<Item = (Sha, ObjectKind)> {
    let parents = commit
        .parents
        .iter()
        .map(|parent| (*parent, ObjectKind::Commit));
    std::iter::once((commit.tree, ObjectKind::Tree)).chain(parents)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commit(parents: &[Sha], message: &str) -> (Sha, Vec<u8>) {
        let commit = Commit {
            tree: Sha::EMPTY_TREE,
            parents: parents.to_vec(),
            author: b"A <a@b> 1 +0000".to_vec(),
            committer: b"A <a@b> 1 +0000".to_vec(),
            more: Vec::new(),
            message: Some(message.into()),
        };
        let object = commit.write();
        (object.sha(), object.content)
    }

    #[test]
    fn parents_come_before_children() {
        let outside = Sha::from_bytes([1; 20]);
        let mut commits = vec![commit(&[outside], "root")];
        for number in 1..200 {
            let one = commits[number - 1].0;
            let other = commits[number / 2].0;
            commits.push(commit(&[one, other], &number.to_string()));
        }
        let mut facts = PackFacts::default();
        for (sha, content) in commits.iter().rev() {
            let limits = PackLimits::default();
            facts
                .check(*sha, ObjectKind::Commit, content, None, &limits)
                .unwrap();
        }
        let order: Vec<Sha> = facts
            .in_order()
            .iter()
            .map(|index| facts.new_commit(*index).sha)
            .collect();
        let expected: Vec<Sha> = commits.iter().map(|(sha, _)| *sha).collect();
        assert_eq!(order, expected);
        assert_eq!(facts.referenced[&outside].kind, ObjectKind::Commit);
    }

    #[test]
    fn an_object_has_one_kind_and_names_a_bounded_number() {
        let mut facts = PackFacts::default();
        let (sha, content) = commit(&[Sha::EMPTY_TREE], "a tree as a parent");
        let limits = PackLimits::default();
        let outcome = facts.check(sha, ObjectKind::Commit, &content, None, &limits);
        assert!(matches!(outcome, Err(PackError::WrongKind { .. })));

        let few = PackLimits {
            objects: 1,
            ..PackLimits::default()
        };
        let (sha, content) = commit(&[sha], "two names");
        let outcome = PackFacts::default().check(sha, ObjectKind::Commit, &content, None, &few);
        assert!(matches!(outcome, Err(PackError::Limit { .. })));
    }
}
