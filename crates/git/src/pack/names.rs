//! The names of many objects.

use std::sync::Arc;

use crate::Sha;

/// Names of objects in their order, each once. Clones share them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectNames(Arc<[Sha]>);

impl ObjectNames {
    /// Sorts the names, which takes a while if there are many.
    pub fn new(mut names: Vec<Sha>) -> Self {
        names.sort_unstable();
        names.dedup();
        Self(names.into())
    }

    pub fn contains(&self, name: Sha) -> bool {
        self.0.binary_search(&name).is_ok()
    }

    /// Adds other names.
    #[must_use]
    pub fn with(self, others: &[Sha]) -> Self {
        match others.iter().all(|other| self.contains(*other)) {
            true => self,
            false => Self::new([&self.0[..], others].concat()),
        }
    }
}

impl std::ops::Deref for ObjectNames {
    type Target = [Sha];

    fn deref(&self) -> &[Sha] {
        &self.0
    }
}
