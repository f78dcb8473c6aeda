//! Webhooks. The transaction of a change also writes its deliveries (`queue.rs`, `prepared.rs`), so
//! a rolled back change sends nothing and a committed one is never lost. A dispatcher (`dispatch.rs`) sends them
//! after the commit, signed.
//!
//! Delivery is at least once: a process that stops between sending and recording sends again,
//! with the same delivery id. Deliveries are concurrent, so they may arrive out of order; the
//! payload has the times. The dispatcher also writes people's notifications to the log that
//! `forgewright notifications` lists.

mod client;
mod dispatch;
mod items;
mod own;
mod payload;
mod prepared;
mod queue;
mod signature;

pub use dispatch::{
    Dispatcher, Handle, MOST_RETRIES, Redelivery, Round, redeliver, start, start_alone,
};
pub use items::{ItemAction, ItemChange, queue_item};
pub use own::{SelectionChange, queue_ping, queue_selection};
pub use queue::DeliveryQueue;
