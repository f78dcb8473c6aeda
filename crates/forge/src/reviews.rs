//! Reviews of pull requests.
//!
//! - A review has a verdict, a text and comments. A review without a verdict is pending
//!   until its author submits or deletes it. Nobody else sees it: it looks absent, and its
//!   comments are in a separate table.
//! - Submitting moves the comments to the table of submitted comments, with the same ids, in
//!   one transaction. They are located in the diff to the current head; comments whose lines
//!   are gone are outdated.
//! - Every change locks the pull request, as comments and moves of its head do. So one of two
//!   concurrent submissions succeeds, and the other gets 422.
//!
//! `operations.rs` handles the requests; `operations/creating.rs` and
//! `operations/changing.rs` have the transactions, `draft.rs` a new review before it is
//! stored. Comments of reviews are `review_comments`.

/// The texts of new reviews.
pub mod creation;
mod draft;
mod operations;
mod rows;
mod rules;
mod view;

use std::sync::Arc;

use crate::app::App;

pub struct Reviews {
    app: Arc<App>,
}

impl Reviews {
    pub fn new(app: Arc<App>) -> Self {
        Self { app }
    }
}
