//! Values of issue fields. What they are is in `crate::issues::values`, because the items of
//! projects and world files have them as well.
//!
//! - Values are given to issues and to pull requests of repositories of organizations, by
//!   whoever may write to the repository.
//! - With the server's visibility setting on, a field of members alone does not exist for
//!   others: they neither see nor change its values.

mod operations;

use std::sync::Arc;

use crate::app::App;

/// The values of issue fields.
pub struct IssueFieldValues {
    app: Arc<App>,
}

impl IssueFieldValues {
    pub fn new(app: Arc<App>) -> Self {
        Self { app }
    }
}
