//! Lets a request take longer to arrive than usual: the pack of a push can be large.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The number of requests of a connection that may take long. They have time limits of their own.
#[derive(Debug, Clone, Default)]
pub struct LongRequests(Arc<AtomicUsize>);

/// Marks a request as long until dropped.
#[derive(Debug)]
pub struct LongRequestGuard(LongRequests);

impl LongRequests {
    pub fn begin(&self) -> LongRequestGuard {
        self.0.fetch_add(1, Ordering::Relaxed);
        LongRequestGuard(self.clone())
    }

    pub(super) fn any(&self) -> bool {
        self.0.load(Ordering::Relaxed) > 0
    }
}

impl Drop for LongRequestGuard {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::Relaxed);
    }
}
