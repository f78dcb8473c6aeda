//! Project items: the issues, pull requests and draft issues that a project tracks, and their
//! values in its fields.
//!
//! - An issue or a pull request is in a project at most once. A draft issue is its item.
//! - Reading an item takes access to the project, reading its content takes access to the
//!   repository: without it, the item is shown without content, title and values, and no filter
//!   matches it.
//! - The project's own fields store values of items. Built-in fields show those of the content and
//!   cannot be set.
//! - Every item has a title, which is shown as a field with the id 0.
//! - The list is paged by signed cursors, ordered by id (`projects/pages.rs`).
//!
//! World files add items too: they share `draft`, `rules` and `store` with the operations.

pub mod draft;
mod filter;
mod operations;
mod query;
pub mod rows;
pub mod rules;
mod view;

use std::sync::Arc;

use crate::app::App;
use crate::projects::cursor::List;
use crate::projects::pages::Cursors;

/// The reserved id of the title.
const TITLE: i64 = 0;

/// The operations, with the service they work on.
pub struct ProjectItems {
    app: Arc<App>,
    cursors: Cursors,
}

impl ProjectItems {
    pub fn new(app: Arc<App>) -> Self {
        let cursors = Cursors::new(app.clone(), List::Items, rules::RESOURCE);
        Self { app, cursors }
    }
}
