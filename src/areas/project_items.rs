//! Project items: the issues, pull requests and draft issues that a project tracks, and what
//! they have in its fields.
//!
//! - An issue or a pull request is in a project at most once. A draft issue is its item.
//! - A project is read by those who may read it, its content by those who may read the
//!   repository: what they may not read is shown as an item without content, title and values,
//!   and no filter finds it.
//! - The project's own fields have values of items. Those that are built in show the content's
//!   own and cannot be set.
//! - Every item has a title, which is shown as a field with the id 0.
//! - The list is walked by signed cursors in order of id (`projects/pages.rs`).
//!
//! World files add items too: `draft`, `rules` and `store` are theirs as well as the
//! operations'.

pub mod draft;
mod filter;
mod operations;
mod query;
pub mod rules;
pub mod store;
mod view;

use std::sync::Arc;

use crate::app::App;
use crate::projects::cursor::List;
use crate::projects::pages::Cursors;

/// The id under which the title is shown, which is nobody else's.
const TITLE: i64 = 0;

/// The area, with the service it works on.
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
