//! Labels of repositories, and of issues and pull requests. Issues are created and changed with
//! labels as well, and share the rules and the rows.

mod operations;
pub mod rows;
pub mod rules;
pub mod view;

use std::sync::Arc;

use crate::app::App;

/// The labels.
pub struct Labels {
    app: Arc<App>,
}

impl Labels {
    pub fn new(app: Arc<App>) -> Self {
        Self { app }
    }
}
