//! Comments in the conversations of issues and pull requests.
//!
//! - Everybody who can read a repository may comment, unless the conversation is locked. Only
//!   the author and people with write access may change or delete a comment.
//! - The transaction of a comment also updates its issue and queues the webhook event. Triggers
//!   count the comments of each issue.
//!
//! `operations.rs` handles the requests, `operations/` has the transactions and the responses.
//! Code shared with comments on diffs is in `comments`.

pub mod creation;
mod operations;
mod rows;
mod view;

use std::sync::Arc;

use crate::app::App;
use crate::issue_comments::creation::batched::BatchedIssueComment;
use storage::database::batches::Batches;

pub struct IssueComments {
    app: Arc<App>,
    creations: Batches<BatchedIssueComment>,
}

impl IssueComments {
    pub fn new(app: Arc<App>) -> Self {
        Self {
            app,
            creations: Batches::default(),
        }
    }
}
