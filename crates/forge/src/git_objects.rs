//! Git objects: reads commits, trees, tags and blobs by their SHA-1, and creates them. No
//! reference leads to a new object until one is created; references are another area.
//!
//! A new object is stored with its index data (a commit is added to the graph), in one
//! transaction. Storing an existing object changes nothing, so there are no conflicts.

mod operations;
pub mod rules;
pub mod view;

use std::sync::Arc;

use crate::app::App;

/// The operations, with the service they work on.
pub struct GitObjects {
    app: Arc<App>,
}

impl GitObjects {
    pub fn new(app: Arc<App>) -> Self {
        Self { app }
    }
}
