//! Trees that are checked while they arrive: their entries are not kept.

use super::folders::TreeBase;
use super::{PackError, PackFacts, PackLimits};
use crate::fsck::{NamedObject, TreeCheck};
use crate::{GitError, Sha};

/// A tree that arrives in pieces.
#[derive(Default)]
pub(in crate::pack) struct ArrivingTree<'a> {
    check: TreeCheck,
    /// Why it is malformed. Its name is not known before its end.
    fault: Option<GitError>,
    /// The objects that it references and that are not counted yet: those of one piece, or of the
    /// whole tree if duplicates are tolerated.
    names: Vec<NamedObject>,
    /// The tree that it is a delta of.
    base: Option<&'a TreeBase>,
}

impl<'a> ArrivingTree<'a> {
    pub(super) fn over(base: Option<&'a TreeBase>) -> Self {
        Self {
            base,
            ..Self::default()
        }
    }

    /// Bytes of memory.
    pub(in crate::pack) fn memory(&self) -> usize {
        self.check.memory() + self.names.capacity() * size_of::<NamedObject>()
    }
}

impl PackFacts {
    /// Checks the next bytes of a tree, and collects their references.
    pub(in crate::pack) fn tree_piece(
        &mut self,
        tree: &mut ArrivingTree<'_>,
        bytes: &[u8],
        limits: &PackLimits,
    ) -> Result<(), PackError> {
        if tree.fault.is_some() {
            return Ok(());
        }
        tree.fault = tree.check.push(bytes, &mut tree.names).err();
        match self.tolerates_duplicates() {
            true => Ok(()),
            false => self.name_all(tree, limits),
        }
    }

    /// The tree is complete, and has this name.
    pub(in crate::pack) fn end_tree(
        &mut self,
        sha: Sha,
        mut tree: ArrivingTree<'_>,
        limits: &PackLimits,
    ) -> Result<(), PackError> {
        let fault = tree.fault.take().or_else(|| tree.check.finish().err());
        if let Some(cause) = fault {
            return Err(PackError::Fsck { sha, cause });
        }
        if self.is_first(sha) {
            self.name_all(&mut tree, limits)?;
            self.folders.end(sha, tree.base);
        }
        Ok(())
    }

    fn name_all(
        &mut self,
        tree: &mut ArrivingTree<'_>,
        limits: &PackLimits,
    ) -> Result<(), PackError> {
        for named in tree.names.drain(..) {
            self.name(named.sha, named.kind)?;
            self.folders.add(&named, tree.base);
            if let Some(file) = named.git_file {
                self.git_files.insert((named.sha, file));
            }
        }
        self.check_count(limits)
    }
}
