//! What the control API does to deliveries: it pauses them, and waits for one.

use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::watch;

/// Whether webhooks are sent, and a signal to those who wait for one.
#[derive(Debug, Default)]
pub struct DeliveryControl {
    paused: AtomicBool,
    /// How often something may have changed.
    changes: watch::Sender<u64>,
}

impl DeliveryControl {
    pub fn is_paused(&self) -> bool {
        self.paused.load(Ordering::SeqCst)
    }

    pub fn pause(&self, paused: bool) {
        self.paused.store(paused, Ordering::SeqCst);
    }

    /// Signals that a delivery was queued or has ended.
    pub fn changed(&self) {
        self.changes.send_modify(|count| *count += 1);
    }

    /// Changes from now on.
    pub fn watch(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }
}
