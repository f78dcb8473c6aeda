//! Issues: lists, one of them, making and changing, locking. A pull request is an issue with
//! the same number, and what it has of its own is changed by the rules of pull requests
//! (`crate::pulls::changes`).

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
