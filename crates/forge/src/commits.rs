//! Commits: history, one commit with its changes, comparisons, and the branches and tags that lead
//! to them. Nothing is changed here.
//!
//! Walks and diffs are bounded, and take a permit for heavy work. The view of a commit depends
//! only on the commit, and on the accounts of its email addresses.

/// The authors of new commits and tags.
pub mod authorship;
mod comparison;
pub mod diff_entry;
mod operations;
pub mod rules;
mod single;
pub mod view;

use std::sync::Arc;

use crate::app::App;

/// The operations, with the service they work on.
pub struct Commits {
    app: Arc<App>,
}

impl Commits {
    pub fn new(app: Arc<App>) -> Self {
        Self { app }
    }
}
