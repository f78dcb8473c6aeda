//! Review comments: comments on the diff of a pull request (Spec, Pull request
//! review comments).
//!
//! - A comment stands on a line, on several lines of one hunk, or on a file of
//!   the diff between the place where the branches parted and the commit that it
//!   names, which must be one that the pull request brings in. A reply stands
//!   where its thread does.
//! - Whatever the commit, a comment is shown where its lines are in the diff to
//!   the head; if they are not there any more, it is outdated: no line, no
//!   position. `pulls::comments` moves comments when the head moves.
//! - Every comment that is made by itself, replies included, has a review of its
//!   own. Threads are one level deep. When a thread's first comment is deleted,
//!   its replies stay and are first comments themselves.
//! - Whoever can read a repository may comment on it; changing or deleting a
//!   comment takes its author, or somebody who may write to the repository.
//! - A new comment tells people and apps about itself in its own transaction.
//!
//! `operations.rs` is the walk of a request, `operations/` its transactions and what
//! comes back. What reviews share, from the placement of a comment to its rows, is in
//! `crate::reviews`; how a page of a long list is found is in `crate::comments`.

mod operations;
mod rules;
mod store;

use std::sync::Arc;

use crate::app::App;
use crate::database::batches::Batches;
use crate::reviews::creation::batched::BatchedComment;

/// The area, with the service it works on.
pub struct ReviewComments {
    app: Arc<App>,
    creations: Batches<BatchedComment>,
}

impl ReviewComments {
    pub fn new(app: Arc<App>) -> Self {
        Self {
            app,
            creations: Batches::default(),
        }
    }
}
