//! Lets the control API pause deliveries and wait for them.

use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::watch;

/// Whether deliveries are paused, and a signal of changes.
#[derive(Debug, Default)]
pub struct DeliveryControl {
    paused: AtomicBool,
    /// A counter of possible changes.
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

    /// Receives changes from now on.
    pub fn watch(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }
}
