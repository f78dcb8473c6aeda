//! Reactions to comments on issues and on diffs. Callers who may read a comment may react to it,
//! once with each reaction, and remove their own; in a locked conversation only callers with write
//! access may.

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
