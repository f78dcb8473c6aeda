//! Comments in the conversations of issues and pull requests.
//!
//! - Whoever can read a repository may comment, unless the conversation is locked; changing or
//!   deleting a comment takes its author, or somebody who may write to the repository.
//! - A comment updates its issue, and tells apps about itself, in its own transaction. Triggers
//!   count the comments of each issue.
//!
//! `operations.rs` is the walk of a request, `operations/` its transactions and what comes back.
//! What comments on diffs share, pages of lists for one, is in `crate::comments`.

mod operations;
mod store;
mod view;

use std::sync::Arc;

use crate::app::App;
use crate::database::batches::Batches;
use crate::issues::comments::batched::BatchedIssueComment;

/// The area, with the service it works on.
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
