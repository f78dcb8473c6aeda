//! Cache counters for the metrics.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use quick_cache::Lifecycle;

use super::{CacheEntry, CacheKind, Key};

/// A counted cache event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CacheEvent {
    Hit,
    Miss,
    /// A request waited for another request's computation.
    Wait,
    Eviction,
}

impl CacheEvent {
    pub const ALL: [Self; 4] = [Self::Hit, Self::Miss, Self::Wait, Self::Eviction];
}

/// Counters by kind and event.
#[derive(Debug, Default)]
pub struct CacheCounts([[AtomicU64; CacheEvent::ALL.len()]; CacheKind::ALL.len()]);

impl CacheCounts {
    pub fn of(&self, kind: CacheKind, event: CacheEvent) -> u64 {
        self.0[kind as usize][event as usize].load(Ordering::Relaxed)
    }

    pub(super) fn count(&self, kind: CacheKind, event: CacheEvent) {
        self.0[kind as usize][event as usize].fetch_add(1, Ordering::Relaxed);
    }
}

/// Counts evictions.
#[derive(Clone)]
pub struct Evictions(pub Arc<CacheCounts>);

impl Lifecycle<Key, Arc<CacheEntry>> for Evictions {
    type RequestState = Vec<(Key, Arc<CacheEntry>)>;

    /// The cache drops evicted entries after it releases its lock.
    fn on_evict(&self, evicted: &mut Self::RequestState, key: Key, entry: Arc<CacheEntry>) {
        self.0.count(key.kind, CacheEvent::Eviction);
        evicted.push((key, entry));
    }
}
