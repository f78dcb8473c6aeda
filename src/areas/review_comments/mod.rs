//! ReviewComments: comments on the diffs of pull requests. Not there yet: every operation answers 501.

mod operations;

use std::sync::Arc;

use crate::app::App;

/// The area, with the service it works on.
pub struct ReviewComments {
    #[allow(dead_code, reason = "the operations are not there yet")]
    app: Arc<App>,
}

impl ReviewComments {
    pub fn new(app: Arc<App>) -> Self {
        Self { app }
    }
}
