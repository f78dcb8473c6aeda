//! Leaves the deliveries of events in the transaction of the change that causes them.

use std::sync::Arc;

use async_trait::async_trait;
use tokio::sync::Notify;

use super::{Event, Origin};
use contract::reply::Outcome;
use storage::database::Transaction;
use storage::entropy::Entropy;

/// Writes the deliveries of events.
#[async_trait]
pub trait Deliver: Send + Sync {
    async fn deliver(
        &self,
        transaction: &Transaction,
        origin: &Origin<'_>,
        events: &[Event<'_>],
    ) -> Outcome<()>;
}

/// Where changes leave their deliveries, and the signal that wakes the dispatcher.
#[derive(Clone)]
pub struct Outbox {
    deliver: Arc<dyn Deliver>,
    signal: Arc<Notify>,
    /// Makes the ids of deliveries.
    pub entropy: Arc<dyn Entropy>,
    /// Whether deliveries are recorded for apps without a webhook.
    pub recording: bool,
}

impl Outbox {
    pub fn new(deliver: Arc<dyn Deliver>, entropy: Arc<dyn Entropy>, recording: bool) -> Self {
        Self {
            deliver,
            signal: Arc::default(),
            entropy,
            recording,
        }
    }

    /// Wakes the dispatcher. Call it after the commit.
    pub fn wake(&self) {
        self.signal.notify_one();
    }

    /// The signal that a transaction sends when it commits.
    pub fn signal(&self) -> Arc<Notify> {
        self.signal.clone()
    }

    /// Waits for new rows.
    pub async fn wait(&self) {
        self.signal.notified().await;
    }
}

/// Queues an event for every app that is subscribed to it and may see it. The payload is built
/// only if there is such an app. The commit of the transaction wakes the dispatcher.
pub async fn queue(
    transaction: &Transaction,
    origin: &Origin<'_>,
    event: Event<'_>,
) -> Outcome<()> {
    queue_all(transaction, origin, &[event]).await
}

/// Queues several events.
pub async fn queue_all(
    transaction: &Transaction,
    origin: &Origin<'_>,
    events: &[Event<'_>],
) -> Outcome<()> {
    match events {
        [] => Ok(()),
        events => {
            let deliver = &origin.outbox.deliver;
            deliver.deliver(transaction, origin, events).await
        }
    }
}
