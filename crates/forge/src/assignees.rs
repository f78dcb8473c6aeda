//! Assignees of issues and pull requests, and the users who can be assigned. The rules are in
//! `crate::assignees::rows`, because issues are created and changed with assignees as well.

mod operations;
pub mod rows;

use std::sync::Arc;

use crate::app::App;

/// The assignees.
pub struct Assignees {
    app: Arc<App>,
}

impl Assignees {
    pub fn new(app: Arc<App>) -> Self {
        Self { app }
    }
}
