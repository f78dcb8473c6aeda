//! What clients look up around the service: its root, versions and rate limits.

mod operations;

use std::sync::Arc;

use crate::app::App;

/// The look-ups.
pub struct Lookups {
    app: Arc<App>,
}

impl Lookups {
    pub fn new(app: Arc<App>) -> Self {
        Self { app }
    }
}
