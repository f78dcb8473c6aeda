//! Lets a request take longer to arrive than usual: the pack of a push can be large.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The requests of a connection that may take long. They have time limits of their own.
#[derive(Debug, Clone, Default)]
pub struct Patience(Arc<AtomicUsize>);

/// Holds the connection open until dropped.
#[derive(Debug)]
pub struct Extended(Patience);

impl Patience {
    pub fn extend(&self) -> Extended {
        self.0.fetch_add(1, Ordering::Relaxed);
        Extended(self.clone())
    }

    pub(super) fn is_extended(&self) -> bool {
        self.0.load(Ordering::Relaxed) > 0
    }
}

impl Drop for Extended {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::Relaxed);
    }
}
