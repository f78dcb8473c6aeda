//! Statuses of commits.
//!
//! - A status is a report on a commit in a context, and never changes. The newest of each
//!   context counts; it is marked as such when it is written, and the one before it is not
//!   any more.
//! - Whoever writes one locks the repository, so that two at once do not both count.
//!
//! World files make statuses too: `rules::NewStatus` and `store::insert` are theirs as well as
//! the operations'.

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
