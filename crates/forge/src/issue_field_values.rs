//! Values of issue fields. They are defined in `crate::issue_field_values::values`, because items of projects
//! and world files have them as well.
//!
//! - Callers with write access set values on issues and pull requests of repositories of
//!   organizations.
//! - With the server's visibility setting on, a members-only field does not exist for others: they
//!   neither see nor change its values.

mod operations;
pub mod values;

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
