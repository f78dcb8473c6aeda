//! Git references: names for objects in the Git database of a repository
//! (Spec, Git references).
//!
//! - A reference is read by its full name, or listed by a prefix, which is compared as plain bytes
//!   in every namespace.
//! - It is created under a valid full name that conflicts with no other reference, and for an
//!   object of the same repository; a branch names a commit. A repository without branches is
//!   empty: 409 for every request.
//! - It is only moved forward, unless forced; moving it to its current target does nothing. The
//!   default branch is never deleted.
//! - The consequences of a change (open pull requests, the time of the last push) are written in
//!   its transaction.
//!
//! Note: a change is checked first without a lock, because the history that it depends on never
//! changes. Then the operation locks the repository, and checks again if the reference moved in
//! the meantime. The outcome is serializable, and no request waits for the history walk of
//! another.
//!
//! `aliases.rs` serves the older paths of references.

mod aliases;
mod listing;
mod mistakes;
mod operations;
mod packed;
/// The references of pull requests.
pub mod pull_heads;
/// New references in batches.
pub mod queued;
/// Resolves names in requests.
pub mod revision;
/// Rows of references.
pub mod rows;
pub mod rules;
mod view;

use std::sync::Arc;

use tokio::sync::Semaphore;

use crate::app::App;
use storage::database::batches::Batches;

/// The operations, with the service they work on.
pub struct GitRefs {
    app: Arc<App>,
    creations: Batches<queued::QueuedRef>,
    /// Memory for long lists.
    memory: Arc<Semaphore>,
}

impl GitRefs {
    pub fn new(app: Arc<App>) -> Self {
        Self {
            app,
            creations: Batches::default(),
            memory: listing::memory(),
        }
    }
}
