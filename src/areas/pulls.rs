//! Pull requests: lists, one of them, making and changing, merging. How they follow their
//! branches is in `crate::pulls`.

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
