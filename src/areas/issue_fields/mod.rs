//! IssueFields: the issue fields of organizations. Not there yet: every operation answers 501.

mod operations;

use std::sync::Arc;

use crate::app::App;

/// The area, with the service it works on.
pub struct IssueFields {
    #[allow(dead_code, reason = "the operations are not there yet")]
    app: Arc<App>,
}

impl IssueFields {
    pub fn new(app: Arc<App>) -> Self {
        Self { app }
    }
}
