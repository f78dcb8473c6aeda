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
//!   later, so no page shifts under a reader. A cursor is signed (`cursor.rs`).
//! - With the server's visibility setting on, a field that stands for an issue
//!   field of members alone has no place in a public project.
//!
//! World files add fields too: `rules::draft`, `store::find_by_name` and
//! `addition::add` are theirs as well as the operations'.

pub mod addition;
pub mod cursor;
pub mod draft;
mod iteration;
mod operations;
pub mod rules;
pub mod store;
mod view;

use std::sync::Arc;

use tokio::sync::OnceCell;

use crate::app::App;
use crate::entities::{
    issue_field, issue_field_option, project_field, project_field_iteration, project_field_option,
};

/// The area, with the service it works on.
pub struct ProjectFields {
    app: Arc<App>,
    signer: OnceCell<cursor::Signer>,
}

impl ProjectFields {
    pub fn new(app: Arc<App>) -> Self {
        Self {
            app,
            signer: OnceCell::new(),
        }
    }
}

/// A field with all the rows that it shows.
#[derive(Debug, Clone)]
pub struct Whole {
    pub field: project_field::Model,
    pub content: Content,
}

/// What a field shows beside its own row.
#[derive(Debug, Clone)]
pub enum Content {
    /// The project's own field.
    Own {
        options: Vec<project_field_option::Model>,
        iterations: Vec<project_field_iteration::Model>,
    },
    /// A field that stands for an issue field.
    Issue {
        field: issue_field::Model,
        options: Vec<issue_field_option::Model>,
    },
}
