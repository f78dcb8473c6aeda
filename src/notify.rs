//! Notifications and webhooks. The transaction of a change also writes the outbox rows
//! (`people.rs`, `apps.rs`), so a rolled back change notifies nobody and a committed one is
//! never lost. A dispatcher (`dispatch.rs`) delivers the rows after the commit.
//!
//! People's notifications go to the log that `forgewright notifications` lists. Apps get a
//! signed webhook. Delivery is at least once: a process that stops between sending and
//! recording sends again, with the same delivery id. Deliveries are concurrent, so they may
//! arrive out of order; the payload has the times.

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

pub use apps::{EVENT, queue_deliveries, receivers};
pub use client::exchange;
pub use dispatch::{Dispatcher, Handle, Round, start};
pub use people::{Said, queue_notifications, recipients};
pub use trust::Trust;

/// A change of a comment.
#[derive(Debug, Clone)]
pub struct Event {
    pub action: Action,
    pub comment: review_comment::Model,
    pub pull: pull::Model,
    pub repository: repository::Model,
    pub owner: account::Model,
    /// The account that made the change.
    pub sender: Option<i64>,
    /// Builds URLs with the host that the sender used.
    pub urls: Urls,
    pub now: i64,
}

/// The kind of change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    Created,
    Edited { before: String },
    Deleted,
}

impl Action {
    /// The `action` in webhook payloads.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Edited { .. } => "edited",
            Self::Deleted => "deleted",
        }
    }
}

/// Signals the dispatcher that the outbox has new rows.
#[derive(Debug, Clone, Default)]
pub struct Outbox(Arc<tokio::sync::Notify>);

impl Outbox {
    /// Wakes the dispatcher. Call it after the commit.
    pub fn wake(&self) {
        self.0.notify_one();
    }

    /// Waits for new rows.
    async fn filled(&self) {
        self.0.notified().await;
    }
}
