//! Project fields: the custom fields of projects that organizations and users
//! own (Spec, Project fields).
//!
//! - A field is the project's own, or represents an issue field of the organization. The latter
//!   stores nothing of its own: it shows the current name, type and options of the issue field,
//!   and is deleted with it.
//! - A name is unique among the project's own fields, ignoring case; a project has at most 50
//!   fields of both kinds.
//! - A new project has no fields: only added fields are listed.
//! - The list is paged by cursors, ordered by id: new fields come last, so no page shifts. A
//!   cursor is signed (`projects/cursor.rs`).
//! - With the server's visibility setting on, a field that represents a members-only issue field
//!   cannot be in a public project.
//!
//! World files add fields too: they share `rules::draft`, `rows::find_by_name` and
//! `addition::add` with the operations.

pub mod addition;
pub mod draft;
mod operations;
pub mod rows;
pub mod rules;
mod view;

use std::sync::Arc;

use crate::app::App;
use crate::projects::cursor::List;
use crate::projects::pages::Cursors;

/// The operations, with the service they work on.
pub struct ProjectFields {
    app: Arc<App>,
    cursors: Cursors,
}

impl ProjectFields {
    pub fn new(app: Arc<App>) -> Self {
        let cursors = Cursors::new(app.clone(), List::Fields, rules::RESOURCE);
        Self { app, cursors }
    }
}
