//! Check runs, and the suites that they belong to.
//!
//! - Only apps report by check runs, and each changes its own. The runs of an app on a
//!   commit are a suite, which is made with the first of them.
//! - Of the runs of a suite with one name the newest counts; it is marked as such. What a
//!   suite says follows from those that count (`rules.rs`).
//! - Whoever writes one locks the repository, as with statuses.
//!
//! World files make check runs too: `draft` and `creation` are theirs as well as the
//! operations'.

pub mod creation;
pub mod draft;
mod operations;
mod rules;
pub mod store;
mod view;

use std::sync::Arc;

use crate::app::App;

/// The area, with the service it works on.
pub struct Checks {
    app: Arc<App>,
}

impl Checks {
    pub fn new(app: Arc<App>) -> Self {
        Self { app }
    }
}
