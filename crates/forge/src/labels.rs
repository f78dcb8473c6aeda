//! Labels of repositories, and of issues and pull requests. The rows are in
//! `crate::labels::labels`, because issues are created and changed with labels as well.

pub mod labels;
mod operations;
mod rows;
mod rules;

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
