//! Leaves the deliveries of events in the transaction of the change that causes them.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use tokio::sync::Notify;

use super::{Event, Origin, PreparedDeliveries, RefUpdate};
use crate::tools::Tools;
use contract::reply::Outcome;
use storage::cache::Cache;
use storage::database::{Database, Transaction};
use storage::entropy::Entropy;

/// The dispatcher deletes old deliveries, so it is woken for some that it does not send too.
const RECORDED_PER_WAKE: usize = 256;

/// Writes the deliveries of events.
#[async_trait]
pub trait Deliver: Send + Sync {
    async fn deliver(
        &self,
        transaction: &Transaction,
        origin: &Origin<'_>,
        events: &[Event<'_>],
    ) -> Outcome<()>;

    /// Prepares the deliveries of a new reference, whose audience is known. None if only a
    /// transaction of several statements can write them.
    async fn prepare(
        &self,
        db: &Database,
        cache: &Cache,
        origin: &Origin<'_>,
        created: &RefUpdate<'_>,
    ) -> Outcome<Option<PreparedDeliveries>>;
}

/// Where changes leave their deliveries, and the signal that wakes the dispatcher.
#[derive(Clone)]
pub struct Outbox {
    deliver: Arc<dyn Deliver>,
    signal: Arc<Notify>,
    /// Makes the ids of deliveries.
    pub entropy: Arc<dyn Entropy>,
    /// The control API, if it is served.
    tools: Option<Arc<Tools>>,
    /// How many times only recorded deliveries were announced.
    recorded: Arc<AtomicUsize>,
}

impl Outbox {
    pub fn new(
        deliver: Arc<dyn Deliver>,
        entropy: Arc<dyn Entropy>,
        tools: Option<Arc<Tools>>,
    ) -> Self {
        Self {
            deliver,
            signal: Arc::default(),
            entropy,
            tools,
            recorded: Arc::default(),
        }
    }

    /// Whether deliveries are recorded for apps without a webhook.
    pub fn is_recording(&self) -> bool {
        self.tools.is_some()
    }

    /// Prepares the deliveries of a new reference (`Deliver::prepare`).
    pub async fn prepare(
        &self,
        db: &Database,
        cache: &Cache,
        origin: &Origin<'_>,
        created: &RefUpdate<'_>,
    ) -> Outcome<Option<PreparedDeliveries>> {
        self.deliver.prepare(db, cache, origin, created).await
    }

    /// Announces committed deliveries: to the dispatcher if it has to send one of them, otherwise
    /// only to those who wait for them through the control API.
    pub fn announce(&self, to_send: bool) {
        let recorded = || self.recorded.fetch_add(1, Ordering::Relaxed);
        match &self.tools {
            Some(tools) if !to_send && !recorded().is_multiple_of(RECORDED_PER_WAKE) => {
                tools.delivery.changed();
            }
            _ => self.wake(),
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
