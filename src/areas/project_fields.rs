//! Project fields: the custom fields of projects that organizations and users
//! own (Spec, Project fields).
//!
//! - A field is the project's own, or stands for an issue field of the
//!   organization. The latter keeps nothing of its own: it shows the issue
//!   field's name, type and options as they are now, and goes when that goes.
//! - A name belongs to one of the project's own fields, whatever its case; a
//!   project has at most 50 fields of both kinds.
//! - A new project has no fields: only what was added is listed.
//! - The list is walked by cursors, in order of id: what is added later comes
//!   later, so no page shifts under a reader. A cursor is signed (`projects/cursor.rs`).
//! - With the server's visibility setting on, a field that stands for an issue
//!   field of members alone has no place in a public project.
//!
//! World files add fields too: `rules::draft`, `store::find_by_name` and
//! `addition::add` are theirs as well as the operations'.

pub mod addition;
pub mod draft;
mod operations;
pub mod rules;
pub mod store;
mod view;

use std::sync::Arc;

use crate::app::App;
use crate::projects::cursor::List;
use crate::projects::pages::Cursors;

/// The area, with the service it works on.
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
