//! The files of a repository: read as of any commit, and changed one at a time, each change
//! a commit on a branch.
//!
//! A change names the content that it replaces, so it never overwrites another change. It is
//! computed without a lock; then the repository is locked, and if the branch has moved meanwhile
//! the change is computed again. Objects, the branch and its consequences are written in one
//! transaction (`pushes::apply`).

mod operations;
mod reading;
pub mod rules;
mod view;

use std::sync::Arc;

use crate::app::App;

/// The operations, with the service they work on.
pub struct Contents {
    app: Arc<App>,
}

impl Contents {
    pub fn new(app: Arc<App>) -> Self {
        Self { app }
    }
}
