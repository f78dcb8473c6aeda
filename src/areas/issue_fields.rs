//! Issue fields: what an organization lets its issues say about themselves
//! (Spec, Issue fields).
//!
//! - A name belongs to one field of the organization, whatever its case; an
//!   organization has at most 25 fields, and a field at most 100 options.
//! - Only the two select types have options, and they have at least one.
//! - An update replaces the options: one is kept or changed only if its id is
//!   listed, one without an id is new, and all others go. Whatever is wrong, all
//!   stays as it was.
//! - `updated_at` moves only when something changed.
//! - Visibility is always stored; it is shown and takes effect only when the
//!   server has the setting on.
//! - Deleting a field deletes the project fields that were made from it, which
//!   the database does.
//!
//! World files make issue fields too: `rules::draft`, `store::find_by_name` and
//! `creation::create` are theirs as well as the operations'.

pub mod creation;
pub mod draft;
mod operations;
pub mod rules;
pub mod store;
mod view;

use std::sync::Arc;

use crate::app::App;

/// The area, with the service it works on.
pub struct IssueFields {
    app: Arc<App>,
}

impl IssueFields {
    pub fn new(app: Arc<App>) -> Self {
        Self { app }
    }
}
