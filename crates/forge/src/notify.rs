//! Notifications and webhooks. The transaction of a change also writes the outbox rows
//! (`people.rs`, `queue.rs`), so a rolled back change notifies nobody and a committed one is
//! never lost. A dispatcher (`dispatch.rs`) delivers the rows after the commit.
//!
//! People's notifications go to the log that `forgewright notifications` lists. Apps get a
//! signed webhook. Delivery is at least once: a process that stops between sending and
//! recording sends again, with the same delivery id. Deliveries are concurrent, so they may
//! arrive out of order; the payload has the times.

pub mod address;
mod audience;
mod client;
mod control;
mod dispatch;
mod event;
mod exchange;
mod items;
mod own;
mod payload;
mod people;
mod queue;
mod signature;
mod trust;

use std::sync::Arc;

pub use crate::notify::audience::{Audience, audience};
pub use crate::notify::control::DeliveryControl;
pub use crate::notify::dispatch::{
    Dispatcher, Handle, MOST_RETRIES, Redelivery, Round, redeliver, start, start_alone,
};
pub use crate::notify::event::{
    CheckRunAction, CommentAction, Event, EventName, IssueAction, IssueChanges, LabelAction,
    PullAction, PullChanges, RefUpdate, ReviewAction, StatusReport,
};
pub use crate::notify::exchange::exchange;
pub use crate::notify::items::{ItemAction, ItemChange, queue_item};
pub use crate::notify::own::{SelectionChange, queue_ping, queue_selection};
pub use crate::notify::people::{NotifiedComment, queue_notifications, recipients};
pub use crate::notify::queue::{queue, queue_all};
pub use crate::notify::trust::Trust;

/// Signals the dispatcher that the outbox has new rows.
#[derive(Debug, Clone, Default)]
pub struct Outbox(Arc<tokio::sync::Notify>);

impl Outbox {
    /// Wakes the dispatcher. Call it after the commit.
    pub fn wake(&self) {
        self.0.notify_one();
    }

    /// The signal that a transaction sends when it commits.
    pub fn signal(&self) -> Arc<tokio::sync::Notify> {
        self.0.clone()
    }

    /// Waits for new rows.
    async fn wait(&self) {
        self.0.notified().await;
    }
}
