//! Review comments: comments on the diff of a pull request (Spec, Pull request
//! review comments).
//!
//! - A comment is on a line, on several lines of one hunk, or on a file. The diff is that
//!   from the merge base to the commit of the comment, which must be a commit of the pull
//!   request. A reply has the location of its thread.
//! - Views show the lines in the diff to the head. If they are no longer there, the
//!   comment is outdated: it has no line and no position. `pulls::comments` moves
//!   comments when the head moves.
//! - Every single comment, replies included, has a review of its own. Threads are one
//!   level deep. If the first comment of a thread is deleted, each reply becomes the
//!   first comment of a thread.
//! - Everybody who can read a repository may comment. Only the author and people with
//!   write access may change or delete a comment.
//! - The transaction of a comment also queues its notifications and webhook events.
//!
//! `operations.rs` handles the requests, `operations/` has the transactions and the responses.
//! `placement.rs` parses the place that a request asks for, and `location.rs` finds it in the
//! diff. `creation.rs` has the rows of a new comment, and `pending.rs` the comments of pending
//! reviews. Code shared with comments on issues is in `comments`.

pub mod cached;
pub mod creation;
pub mod events;
pub mod location;
mod operations;
pub mod pending;
pub mod placement;
pub mod rows;
pub mod rules;
pub mod showing;
pub mod view;

use std::sync::Arc;

use crate::app::App;
use crate::review_comments::creation::batched::BatchedComment;
use storage::database::batches::Batches;

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
