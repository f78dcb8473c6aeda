//! The gate of a world: requests pass until a replacement of all data closes it.
//!
//! A replacement waits for the requests in flight, so that each finishes either before or after
//! it. It does not wait forever: a request may upload slowly. A request that outlasts the wait
//! cannot write what it decided before (`database/guard.rs`), and its result is not returned
//! (`Pass::is_outdated`).

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::sync::{RwLock, RwLockReadGuard, RwLockWriteGuard};

/// How long a change waits for the requests in flight.
const TIMEOUT: Duration = Duration::from_secs(2);

/// Separates requests from replacements of all data.
#[derive(Debug, Default)]
pub struct Gate {
    lock: RwLock<()>,
    /// Odd while a change is in progress.
    changes: AtomicU64,
}

/// A request that has passed.
#[derive(Debug)]
pub struct Pass<'a> {
    gate: &'a Gate,
    changes: u64,
    _lock: RwLockReadGuard<'a, ()>,
}

/// A closed gate. It opens when this is dropped.
#[derive(Debug)]
pub struct Closed<'a> {
    gate: &'a Gate,
    _lock: Option<RwLockWriteGuard<'a, ()>>,
}

impl Gate {
    /// Waits while the gate is closed.
    pub async fn enter(&self) -> Pass<'_> {
        let lock = self.lock.read().await;
        Pass {
            gate: self,
            changes: self.changes.load(Ordering::SeqCst),
            _lock: lock,
        }
    }

    /// Closes the gate, and waits for the requests in flight. One change at a time.
    pub async fn close(&self) -> Closed<'_> {
        let lock = tokio::time::timeout(TIMEOUT, self.lock.write()).await;
        self.changes.fetch_add(1, Ordering::SeqCst);
        Closed {
            gate: self,
            _lock: lock.ok(),
        }
    }
}

impl Pass<'_> {
    /// Whether the data was, or may have been, replaced meanwhile.
    pub fn is_outdated(&self) -> bool {
        let changes = self.gate.changes.load(Ordering::SeqCst);
        changes != self.changes || changes % 2 == 1
    }
}

impl Drop for Closed<'_> {
    fn drop(&mut self) {
        self.gate.changes.fetch_add(1, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_change_waits_for_requests_and_others_wait_for_it() {
        let gate = Gate::default();
        let pass = gate.enter().await;
        let closing = tokio::time::timeout(Duration::from_millis(20), gate.close());
        assert!(closing.await.is_err(), "it waits for the request");
        assert!(!pass.is_outdated());
        drop(pass);
        let closed = gate.close().await;
        let entering = tokio::time::timeout(Duration::from_millis(20), gate.enter());
        assert!(entering.await.is_err(), "the gate is closed");
        drop(closed);
        assert!(!gate.enter().await.is_outdated());
    }

    #[tokio::test]
    async fn a_request_that_takes_too_long_is_told_that_it_is_outdated() {
        let gate = Gate::default();
        let slow = gate.enter().await;
        let closed = gate.close().await;
        assert!(slow.is_outdated());
        let during = gate.enter().await;
        assert!(during.is_outdated());
        drop(closed);
        assert!(slow.is_outdated() && during.is_outdated());
        assert!(!gate.enter().await.is_outdated());
    }
}
