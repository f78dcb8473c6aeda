//! Reviews of pull requests.
//!
//! - A review has a verdict, a text and comments; one that was created without a verdict
//!   is pending until its author submits or deletes it. Nobody else sees it: it looks
//!   absent, and its comments are in a table of their own.
//! - Submitting moves the comments to the others, with the same ids, in one transaction.
//!   They are placed in the diff to the head of that moment; those whose lines are gone are
//!   outdated.
//! - Every change locks the pull request, as comments and moves of its head do. So of two
//!   submissions at once one succeeds, and the other finds nothing pending.
//!
//! `operations.rs` is the walk of a request; `operations/creating.rs` and
//! `operations/changing.rs` have the transactions, `draft.rs` a new review before it is
//! stored. What review comments share is in `crate::reviews`.

mod draft;
mod operations;
mod rules;
mod store;
mod view;

use std::sync::Arc;

use crate::app::App;

/// The area, with the service it works on.
pub struct Reviews {
    app: Arc<App>,
}

impl Reviews {
    pub fn new(app: Arc<App>) -> Self {
        Self { app }
    }
}
