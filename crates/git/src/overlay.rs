//! Objects that a merge has created. They are not stored yet; those of virtual ancestors, which
//! exist only to be merged against, never will be.

use std::collections::HashMap;

use super::Sha;
use super::objects::Object;

/// Objects beside those of a repository.
#[derive(Debug, Default)]
pub struct Overlay {
    new: HashMap<Sha, Object>,
    aside: HashMap<Sha, Object>,
}

impl Overlay {
    pub fn add(&mut self, object: Object) -> Sha {
        let sha = object.sha();
        self.new.insert(sha, object);
        sha
    }

    pub fn get(&self, sha: Sha) -> Option<&Object> {
        self.new.get(&sha).or_else(|| self.aside.get(&sha))
    }

    /// Excludes all objects so far from storing.
    pub fn set_aside(&mut self) {
        self.aside.extend(self.new.drain());
    }

    /// The objects that are to be stored.
    pub fn into_objects(self) -> Vec<Object> {
        self.new.into_values().collect()
    }
}
