//! Issues: lists, reads, creates, changes and locks them. A pull request is an issue with the same
//! number; its own parts are changed by the rules of pull requests (`crate::pulls::changes`).

mod operations;
mod rules;
pub mod store;

use std::sync::Arc;

use crate::app::App;

/// The issues.
pub struct Issues {
    app: Arc<App>,
}

impl Issues {
    pub fn new(app: Arc<App>) -> Self {
        Self { app }
    }
}
