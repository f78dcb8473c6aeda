//! Issue fields: custom fields that an organization defines for its issues
//! (Spec, Issue fields).
//!
//! - A name is unique in the organization, ignoring case; an organization has at most 25 fields,
//!   and a field at most 100 options.
//! - Only the two select types have options, and they have at least one.
//! - An update replaces the options: an option is kept or changed only if its id is listed, one
//!   without an id is new, and all others are deleted. An invalid update changes nothing.
//! - `updated_at` changes only when something changed.
//! - Visibility is always stored; it is shown and enforced only if the server's setting is on.
//! - Deleting a field deletes the project fields that were created from it, which the database
//!   does.
//!
//! World files create issue fields too: they share `rules::draft`, `rows::find_by_name` and
//! `creation::create` with the operations.

pub mod creation;
pub mod draft;
mod operations;
pub mod rows;
pub mod rules;
pub mod view;

use std::sync::Arc;

use crate::app::App;

/// The operations, with the service they work on.
pub struct IssueFields {
    app: Arc<App>,
}

impl IssueFields {
    pub fn new(app: Arc<App>) -> Self {
        Self { app }
    }
}
