//! Labels of repositories, and of issues and pull requests. The rows are in
//! `crate::issues::labels`, because issues are created and changed with labels as well.

mod operations;
mod rules;
mod store;

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
