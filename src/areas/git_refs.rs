//! Git references: names for objects in the Git database of a repository
//! (Spec, Git references).
//!
//! - A reference is read by its whole name, or listed by the beginning of it,
//!   which is compared as plain bytes in every namespace.
//! - It is created under a full name that Git would take, that no other reference
//!   stands in the way of, and for an object of the same repository; a branch
//!   names a commit. A repository without branches is empty: 409, whatever is asked.
//! - It is moved forward only, unless forced; moving it to where it is does
//!   nothing. The default branch is never deleted.
//! - What follows from a change (open pull requests, the time of the last push) is
//!   written in its transaction.
//!
//! The rule that surprises: a change is checked first, without a lock, because the
//! history it depends on never changes. Then the operation locks the repository, and
//! checks again if the reference moved in the meantime. The outcome is serializable,
//! and nobody waits while somebody else's history is walked.
//!
//! `aliases.rs` answers the older paths of references.

mod aliases;
mod checks;
mod listing;
mod operations;
mod packed;
pub mod rules;
mod view;

use std::sync::Arc;

use tokio::sync::Semaphore;

use crate::app::App;
use crate::database::batches::Batches;
use crate::refs::store;

/// The area, with the service it works on.
pub struct GitRefs {
    app: Arc<App>,
    creations: Batches<store::QueuedRef>,
    /// Memory for long lists.
    room: Arc<Semaphore>,
}

impl GitRefs {
    pub fn new(app: Arc<App>) -> Self {
        Self {
            app,
            creations: Batches::default(),
            room: listing::room(),
        }
    }
}
