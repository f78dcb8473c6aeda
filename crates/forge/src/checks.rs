//! Check runs, and the suites that they belong to.
//!
//! - Only apps create check runs, and each changes only its own. The runs of an app on a commit
//!   are a suite, which is created with the first of them.
//! - Of the runs of a suite with the same name the newest counts; it is marked as such. The state
//!   of a suite follows from those that count (`rules.rs`).
//! - Writers lock the repository, as with statuses.
//!
//! World files create check runs too: they share `draft` and `creation` with the operations.

pub mod creation;
pub mod draft;
mod operations;
pub mod rows;
mod rules;
/// Check suites.
pub mod suites;
mod view;

use std::sync::Arc;

use crate::app::App;

/// The operations, with the service they work on.
pub struct Checks {
    app: Arc<App>,
}

impl Checks {
    pub fn new(app: Arc<App>) -> Self {
        Self { app }
    }
}
