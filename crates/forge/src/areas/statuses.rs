//! Statuses of commits.
//!
//! - A status is a report on a commit in a context, and never changes. The newest of each context
//!   counts; it is marked when it is written, and the previous one is unmarked.
//! - Writers lock the repository, so that two concurrent statuses do not both count.
//!
//! World files create statuses too: they share `rules::NewStatus` and `store::insert` with the
//! operations.

mod operations;
pub mod rules;
pub mod store;
mod view;

use std::sync::Arc;

use crate::app::App;

/// The area, with the service it works on.
pub struct Statuses {
    app: Arc<App>,
}

impl Statuses {
    pub fn new(app: Arc<App>) -> Self {
        Self { app }
    }
}
