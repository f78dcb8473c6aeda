//! Who can be assigned to issues and pull requests, and who is. Who can be is decided in
//! `crate::issues::assignees`, because issues are made and changed with assignees as well.

mod operations;

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
