//! Reactions to comments on issues and on diffs. Whoever may read a comment may react to it,
//! once with each reaction, and take back what is their own; in a locked conversation only
//! whoever may write to the repository.

mod operations;
mod store;
mod view;

use std::sync::Arc;

use crate::app::App;

/// The reactions.
pub struct Reactions {
    app: Arc<App>,
}

impl Reactions {
    pub fn new(app: Arc<App>) -> Self {
        Self { app }
    }
}
