//! What the cache has done so far, for the metrics.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use quick_cache::Lifecycle;

use super::{CacheKind, Entry, Key};

/// What can happen to a cached result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    Hit,
    Miss,
    /// A request waited for another to compute the same.
    Wait,
    Eviction,
}

impl Event {
    pub const ALL: [Self; 4] = [Self::Hit, Self::Miss, Self::Wait, Self::Eviction];
}

/// How often each has happened, by kind.
#[derive(Debug, Default)]
pub struct Counts([[AtomicU64; Event::ALL.len()]; CacheKind::ALL.len()]);

impl Counts {
    pub fn of(&self, kind: CacheKind, event: Event) -> u64 {
        self.0[kind as usize][event as usize].load(Ordering::Relaxed)
    }

    pub(super) fn count(&self, kind: CacheKind, event: Event) {
        self.0[kind as usize][event as usize].fetch_add(1, Ordering::Relaxed);
    }
}

/// Counts evictions.
#[derive(Clone)]
pub struct Evictions(pub Arc<Counts>);

impl Lifecycle<Key, Arc<Entry>> for Evictions {
    type RequestState = Vec<(Key, Arc<Entry>)>;

    /// What is evicted is dropped after the lock.
    fn on_evict(&self, evicted: &mut Self::RequestState, key: Key, entry: Arc<Entry>) {
        self.0.count(key.kind, Event::Eviction);
        evicted.push((key, entry));
    }
}
