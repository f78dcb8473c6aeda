//! A bounded in-process cache of results computed from the database. Each entry stores the
//! versions of the aggregates it depends on.
//!
//! The cache returns an entry only if those versions are current, read after the request
//! arrived (`database/versions.rs`). So it never returns stale data and needs no
//! invalidation. If an entry is stale, one request recomputes it and the others wait
//! (single-flight).

mod counts;
mod key;

use std::any::Any;
use std::collections::BTreeSet;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;

use quick_cache::sync::{EntryAction, EntryResult, PlaceholderGuard};
use quick_cache::{DefaultHashBuilder, OptionsBuilder, Weighter};

use migration::aggregates::Aggregate;

use crate::database::Database;
use crate::database::dependencies::{self, Age, Dependencies, Stamp};
use crate::database::guard;
use crate::entities::pull;
use counts::Evictions;
pub use counts::{CacheCounts, CacheEvent};
pub use key::{CacheKind, Key};

/// More shards would make each too small for a long list.
const SHARDS: usize = 8;

/// Bytes of an entry besides its key, value and stamp: the slot in the table, two
/// allocations, and the headers of both.
const OVERHEAD: usize = 160;

/// How often a request waits for another request's result before it computes its own.
const ATTEMPTS: usize = 3;

/// The size limit in bytes; 0 disables the cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CacheSize(pub usize);

impl Default for CacheSize {
    fn default() -> Self {
        Self(32 << 20)
    }
}

/// A value that can be cached.
pub trait Weigh: Send + Sync + 'static {
    /// The bytes it holds on the heap.
    fn heap_bytes(&self) -> usize;

    /// Whether the value may be reused at all.
    fn is_reusable(&self) -> bool {
        true
    }
}

impl Weigh for BTreeSet<i64> {
    fn heap_bytes(&self) -> usize {
        self.len() * 2 * size_of::<i64>()
    }
}

impl Weigh for pull::Model {
    fn heap_bytes(&self) -> usize {
        let refs = self.base_ref.len() + self.head_ref.len() + 80;
        self.title.len() + self.body.as_ref().map_or(0, String::len) + refs
    }
}

/// The cache of a process.
pub struct Cache {
    db: Database,
    store: Option<Store>,
    counts: Arc<CacheCounts>,
}

type Store =
    quick_cache::sync::Cache<Key, Arc<CacheEntry>, EntryWeight, DefaultHashBuilder, Evictions>;

type FillGuard<'a> =
    PlaceholderGuard<'a, Key, Arc<CacheEntry>, EntryWeight, DefaultHashBuilder, Evictions>;

struct CacheEntry {
    /// `None` if the last result could not be stored. Then requests compute it concurrently
    /// instead of waiting for each other.
    value: Option<Arc<dyn Any + Send + Sync>>,
    stamp: Stamp,
    bytes: usize,
}

/// A cached entry that may be stale.
pub struct Candidate {
    kind: CacheKind,
    entry: Arc<CacheEntry>,
}

impl CacheEntry {
    /// Makes the next requests compute concurrently.
    fn unstorable() -> Self {
        Self {
            value: None,
            stamp: Stamp::default(),
            bytes: size_of::<Self>() + OVERHEAD,
        }
    }
}

#[derive(Clone)]
struct EntryWeight;

impl Weighter<Key, Arc<CacheEntry>> for EntryWeight {
    fn weight(&self, key: &Key, entry: &Arc<CacheEntry>) -> u64 {
        (key.heap_bytes() + size_of::<Key>() + entry.bytes) as u64
    }
}

/// The role of a request in single-flight after a cache miss.
enum Flight<'a> {
    /// Compute the result for every waiting request.
    Lead(FillGuard<'a>),
    /// Look it up again: another request has computed it.
    Retry,
}

impl Cache {
    pub fn new(db: Database, size: CacheSize) -> Self {
        let counts = Arc::new(CacheCounts::default());
        Self {
            store: store(size, &counts),
            db,
            counts,
        }
    }

    pub fn counts(&self) -> &CacheCounts {
        &self.counts
    }

    /// The size of all entries in bytes.
    pub fn bytes(&self) -> u64 {
        self.store.as_ref().map_or(0, Store::weight)
    }

    /// Returns the cached value of a key, or computes it.
    ///
    /// The computation is boxed: it is large, and every request future would carry it several
    /// times.
    pub async fn get_or_compute<T: Weigh, E, Computing>(
        &self,
        key: Key,
        compute: impl FnOnce() -> Computing,
    ) -> Result<Arc<T>, E>
    where
        Computing: Future<Output = Result<T, E>>,
    {
        let Some(store) = &self.store else {
            let computation = Box::pin(compute());
            // A write is checked against the versions of its grant, stored or not.
            return match key.kind == CacheKind::Grant && guard::is_guarded() {
                true => self.compute(computation).await.map(|(value, _)| value),
                false => computation.await.map(Arc::new),
            };
        };
        let kind = key.kind;
        for _ in 0..ATTEMPTS {
            let entry = store.get(&key);
            if let Some(value) = self.current(entry.as_deref()).await {
                self.counts.count(kind, CacheEvent::Hit);
                return Ok(value);
            }
            let unstorable = entry.as_ref().is_some_and(|entry| entry.value.is_none());
            if unstorable || dependencies::is_caching_forbidden() {
                break;
            }
            if let Flight::Lead(guard) = self.join_flight(store, &key, entry).await {
                self.counts.count(kind, CacheEvent::Miss);
                let computed = self.compute(Box::pin(compute())).await;
                let entry = computed.as_ref().map(|(_, entry)| entry.clone());
                // Fails if the placeholder was removed meanwhile; then nobody waits for the
                // entry.
                let _ = guard.insert(entry.unwrap_or_else(|_| Arc::new(CacheEntry::unstorable())));
                return computed.map(|(value, _)| value);
            }
        }
        self.counts.count(kind, CacheEvent::Miss);
        let (value, entry) = self.compute(Box::pin(compute())).await?;
        if entry.value.is_some() {
            store.insert(key, entry);
        }
        Ok(value)
    }

    /// Looks up an entry, stale or not, and reads the versions it depends on. The request
    /// then needs no further version query.
    pub async fn candidate(&self, key: &Key) -> Option<Candidate> {
        let entry = self.store.as_ref().and_then(|store| store.get(key))?;
        self.load_versions(&entry.stamp).await;
        Some(Candidate {
            kind: key.kind,
            entry,
        })
    }

    /// Returns the value of a candidate if it is current. Cheaper than setting up a
    /// computation.
    pub async fn get<T: Weigh>(&self, candidate: &Candidate) -> Option<Arc<T>> {
        let value = self.current(Some(&candidate.entry)).await?;
        self.counts.count(candidate.kind, CacheEvent::Hit);
        Some(value)
    }

    /// Returns the value of an entry if it is current.
    async fn current<T: Weigh>(&self, entry: Option<&CacheEntry>) -> Option<Arc<T>> {
        let entry = entry?;
        let value = entry.value.clone()?;
        self.load_versions(&entry.stamp).await;
        let mut age = dependencies::age(&entry.stamp);
        if age == Age::Newer {
            let aggregates = entry.stamp.iter().map(|(aggregate, _)| *aggregate);
            self.db.read_versions(aggregates.collect()).await;
            age = dependencies::age(&entry.stamp);
        }
        if age != Age::Current {
            return None;
        }
        dependencies::depend_on(entry.stamp.iter().map(|(aggregate, _)| *aggregate));
        value.downcast().ok()
    }

    async fn load_versions(&self, stamp: &Stamp) {
        let aggregates = stamp.iter().map(|(aggregate, _)| *aggregate);
        self.db.load_versions(aggregates).await;
    }

    /// Claims the computation of a stale entry, or waits for the request that has claimed
    /// it.
    async fn join_flight<'a>(
        &self,
        store: &'a Store,
        key: &Key,
        stale: Option<Arc<CacheEntry>>,
    ) -> Flight<'a> {
        let is_stale = |entry: &Arc<CacheEntry>| {
            let stale = stale.as_ref();
            stale.is_some_and(|stale| Arc::ptr_eq(stale, entry))
        };
        let claim = store.entry_async(key, |_, entry| match is_stale(entry) {
            true => EntryAction::ReplaceWithGuard,
            false => EntryAction::Retain(()),
        });
        let mut claim = pin!(claim);
        let mut waited = false;
        let claimed = poll_fn(|context| {
            let poll = claim.as_mut().poll(context);
            waited |= poll.is_pending();
            poll
        });
        let claimed = claimed.await;
        if waited {
            self.counts.count(key.kind, CacheEvent::Wait);
        }
        match claimed {
            EntryResult::Replaced(guard, _) | EntryResult::Vacant(guard) => Flight::Lead(guard),
            _ => Flight::Retry,
        }
    }

    async fn compute<T: Weigh, E>(
        &self,
        computation: impl Future<Output = Result<T, E>>,
    ) -> Result<(Arc<T>, Arc<CacheEntry>), E> {
        self.db.load_versions([Aggregate::EVERYTHING]).await;
        let (outcome, dependencies) = dependencies::tracked(computation).await;
        let value = Arc::new(outcome?);
        let dependencies = dependencies.filter(|_| value.is_reusable());
        let entry = match dependencies.map(Dependencies::into_stamp) {
            None => CacheEntry::unstorable(),
            Some(stamp) => CacheEntry {
                bytes: size_of::<T>()
                    + value.heap_bytes()
                    + size_of_val(&*stamp)
                    + size_of::<CacheEntry>()
                    + OVERHEAD,
                value: Some(value.clone()),
                stamp,
            },
        };
        Ok((value, Arc::new(entry)))
    }
}

fn store(size: CacheSize, counts: &Arc<CacheCounts>) -> Option<Store> {
    let bytes = u64::try_from(size.0).ok().filter(|bytes| *bytes > 0)?;
    let options = OptionsBuilder::new()
        .shards(SHARDS)
        .estimated_items_capacity(size.0 / 4096)
        .weight_capacity(bytes)
        .build()
        .ok()?;
    let evictions = Evictions(counts.clone());
    Some(Store::with_options(
        options,
        EntryWeight,
        DefaultHashBuilder::default(),
        evictions,
    ))
}
