//! Pull requests: lists, reads, creates, changes and merges them. `crate::pulls` updates them when
//! their branches change.

mod files;
mod operations;
mod rules;
mod showing;
pub mod store;

use std::sync::Arc;

use crate::app::App;

/// The pull requests.
pub struct Pulls {
    app: Arc<App>,
}

impl Pulls {
    pub fn new(app: Arc<App>) -> Self {
        Self { app }
    }
}
