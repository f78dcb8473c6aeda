//! What clients look up around the service: the things that its addresses lead
//! to, and the service itself (openapi/companion.yaml). Nothing changes here,
//! and what is private looks absent.

mod operations;
mod store;
mod view;

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
