//! Lookups of other resources, and of the service itself (openapi/companion.yaml): the targets of
//! the URLs in responses. Nothing changes here, and private resources look absent.

mod operations;
mod rows;
mod view;

use std::sync::Arc;

use crate::app::App;

/// The lookups.
pub struct Lookups {
    app: Arc<App>,
}

impl Lookups {
    pub fn new(app: Arc<App>) -> Self {
        Self { app }
    }
}
