//! What a change owes to others. Rows are written in the transaction of the
//! change (`people.rs`, `apps.rs`), so that nothing is told that did not happen,
//! and nothing that happened is forgotten; a dispatcher (`dispatch.rs`) delivers
//! them after the commit.
//!
//! People are told in the log that `forgewright notifications` lists. Apps get a
//! signed webhook. Each delivery is made at least once: a process that ends
//! between sending and noting so sends again, under the same delivery id. Deliveries
//! do not wait for each other, so they may arrive in another order than the changes
//! were made; the payload has the times.

pub mod address;
mod apps;
mod client;
mod dispatch;
mod payload;
mod people;
mod signature;
mod trust;

use std::sync::Arc;

use crate::entities::{account, pull, repository, review_comment};
use crate::urls::Urls;

pub use apps::{EVENT, receivers, tell_apps};
pub use client::exchange;
pub use dispatch::{Dispatcher, Handle, Round, start};
pub use people::{Said, recipients, tell_people};
pub use trust::Trust;

/// Something that happened to a comment.
#[derive(Debug, Clone)]
pub struct Event {
    pub action: Action,
    pub comment: review_comment::Model,
    pub pull: pull::Model,
    pub repository: repository::Model,
    pub owner: account::Model,
    /// Who did it.
    pub sender: Option<i64>,
    /// How the one who did it reaches the service; addresses are given so.
    pub urls: Urls,
    pub now: i64,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    Created,
    Edited { before: String },
    Deleted,
}

impl Action {
    /// The word that webhooks have for it.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Edited { .. } => "edited",
            Self::Deleted => "deleted",
        }
    }
}

/// Where the dispatcher hears that something was written for it.
#[derive(Debug, Clone, Default)]
pub struct Outbox(Arc<tokio::sync::Notify>);

impl Outbox {
    /// Says so. Call it after the commit.
    pub fn wake(&self) {
        self.0.notify_one();
    }

    /// Waits for it.
    async fn filled(&self) {
        self.0.notified().await;
    }
}
