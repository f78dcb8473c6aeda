//! Git objects: commits, trees, tags and blobs by their SHA-1, and new ones. Nothing leads
//! to a new object until a reference does; references are another area.
//!
//! A new object is stored with what is needed to find it (a commit is added to the graph),
//! in one transaction. Storing what exists changes nothing, so nobody is ever too late.

mod operations;
pub mod rules;
mod view;

use std::sync::Arc;

use crate::app::App;

/// The area, with the service it works on.
pub struct GitObjects {
    app: Arc<App>,
}

impl GitObjects {
    pub fn new(app: Arc<App>) -> Self {
        Self { app }
    }
}
