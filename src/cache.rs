//! Results that are computed from the database, in a bounded amount of memory, each
//! with the versions of the aggregates that it depends on.
//!
//! A result is given out only if those versions are the current ones, read after the
//! request arrived (`database/versions.rs`). So nothing stale is ever given out, and
//! nothing has to be invalidated. When a result is out of date, one request computes
//! it and the others wait for it (single-flight).

mod counts;
mod key;

use std::any::Any;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;

use quick_cache::sync::{EntryAction, EntryResult, PlaceholderGuard};
use quick_cache::{DefaultHashBuilder, OptionsBuilder, Weighter};

use migration::aggregates::Aggregate;

use crate::database::Database;
use crate::database::dependencies::{self, Age, Dependencies, Stamp};
use counts::Evictions;
pub use counts::{Counts, Event};
pub use key::{CacheKind, Key};

/// More shards would make each too small for a long list.
const SHARDS: usize = 8;

/// Bytes that an entry takes beside its key, its value and its stamp: the slot in the
/// table, two allocations, and the headers of both.
const OVERHEAD: usize = 160;

/// How often a request waits for a result that is out of date when it comes.
const ATTEMPTS: usize = 3;

/// How many bytes may be cached; 0 switches the cache off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CacheSize(pub usize);

impl Default for CacheSize {
    fn default() -> Self {
        Self(32 << 20)
    }
}

/// What can be cached.
pub trait Weigh: Send + Sync + 'static {
    /// The bytes that it holds on the heap.
    fn heap_bytes(&self) -> usize;

    /// Whether it may be given out again at all.
    fn is_reusable(&self) -> bool {
        true
    }
}

/// The cache of a process.
pub struct Cache {
    db: Database,
    store: Option<Store>,
    counts: Arc<Counts>,
}

type Store = quick_cache::sync::Cache<Key, Arc<Entry>, EntryWeight, DefaultHashBuilder, Evictions>;

type Guard<'a> = PlaceholderGuard<'a, Key, Arc<Entry>, EntryWeight, DefaultHashBuilder, Evictions>;

struct Entry {
    /// `None` where the last result could not be kept: the next request computes it
    /// without making others wait.
    value: Option<Arc<dyn Any + Send + Sync>>,
    stamp: Stamp,
    bytes: usize,
}

/// What may be out of date.
pub struct Candidate(Arc<Entry>);

impl Entry {
    /// Lets the next requests compute at the same time.
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

impl Weighter<Key, Arc<Entry>> for EntryWeight {
    fn weight(&self, key: &Key, entry: &Arc<Entry>) -> u64 {
        (key.heap_bytes() + size_of::<Key>() + entry.bytes) as u64
    }
}

/// What a request has to do about a result that is not there.
enum Duty<'a> {
    /// Compute it for all who wait.
    Lead(Guard<'a>),
    /// Look again: another request has computed it.
    Retry,
}

impl Cache {
    pub fn new(db: Database, size: CacheSize) -> Self {
        let counts = Arc::new(Counts::default());
        Self {
            store: store(size, &counts),
            db,
            counts,
        }
    }

    pub fn counts(&self) -> &Counts {
        &self.counts
    }

    /// The bytes that are cached.
    pub fn bytes(&self) -> u64 {
        self.store.as_ref().map_or(0, Store::weight)
    }

    /// What is cached under a key, or else is computed now.
    ///
    /// The computation lives in a box: it would make every request a large value that
    /// is moved from hand to hand.
    pub async fn get_or_compute<T: Weigh, E, Computing>(
        &self,
        key: Key,
        compute: impl FnOnce() -> Computing,
    ) -> Result<Arc<T>, E>
    where
        Computing: Future<Output = Result<T, E>>,
    {
        let Some(store) = &self.store else {
            return compute().await.map(Arc::new);
        };
        let kind = key.kind;
        for _ in 0..ATTEMPTS {
            let entry = store.get(&key);
            if let Some(value) = self.current(entry.as_deref()).await {
                self.counts.count(kind, Event::Hit);
                return Ok(value);
            }
            let unstorable = entry.as_ref().is_some_and(|entry| entry.value.is_none());
            if unstorable || dependencies::is_tainted() {
                break;
            }
            if let Duty::Lead(guard) = self.duty(store, &key, entry).await {
                self.counts.count(kind, Event::Miss);
                let computed = Box::pin(self.compute(compute())).await;
                let entry = computed.as_ref().map(|(_, entry)| entry.clone());
                // If the key is no longer awaited, the entry is not needed.
                let _ = guard.insert(entry.unwrap_or_else(|_| Arc::new(Entry::unstorable())));
                return computed.map(|(value, _)| value);
            }
        }
        self.counts.count(kind, Event::Miss);
        let (value, entry) = Box::pin(self.compute(compute())).await?;
        if entry.value.is_some() {
            store.insert(key, entry);
        }
        Ok(value)
    }

    /// What is stored under a key, up to date or not. The versions that it depends on
    /// are read, so that the request needs to ask for no others.
    pub async fn candidate(&self, key: &Key) -> Option<Candidate> {
        let entry = self.store.as_ref().and_then(|store| store.get(key))?;
        self.learn(&entry.stamp).await;
        Some(Candidate(entry))
    }

    /// The value of a candidate, if it is up to date. Cheaper than a computation that
    /// turns out not to be needed.
    pub async fn get<T: Weigh>(&self, kind: CacheKind, candidate: &Candidate) -> Option<Arc<T>> {
        let value = self.current(Some(&candidate.0)).await?;
        self.counts.count(kind, Event::Hit);
        Some(value)
    }

    /// The value of an entry that is up to date.
    async fn current<T: Weigh>(&self, entry: Option<&Entry>) -> Option<Arc<T>> {
        let entry = entry?;
        let value = entry.value.clone()?;
        self.learn(&entry.stamp).await;
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

    async fn learn(&self, stamp: &Stamp) {
        let aggregates = stamp.iter().map(|(aggregate, _)| *aggregate);
        self.db.learn_versions(aggregates).await;
    }

    /// Takes the place of an entry that is out of date, or waits for whoever has.
    async fn duty<'a>(&self, store: &'a Store, key: &Key, stale: Option<Arc<Entry>>) -> Duty<'a> {
        let is_stale = |entry: &Arc<Entry>| {
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
            self.counts.count(key.kind, Event::Wait);
        }
        match claimed {
            EntryResult::Replaced(guard, _) | EntryResult::Vacant(guard) => Duty::Lead(guard),
            _ => Duty::Retry,
        }
    }

    async fn compute<T: Weigh, E>(
        &self,
        computation: impl Future<Output = Result<T, E>>,
    ) -> Result<(Arc<T>, Arc<Entry>), E> {
        self.db.learn_versions([Aggregate::EVERYTHING]).await;
        let (outcome, dependencies) = dependencies::tracked(computation).await;
        let value = Arc::new(outcome?);
        let dependencies = dependencies.filter(|_| value.is_reusable());
        let entry = match dependencies.map(Dependencies::into_stamp) {
            None => Entry::unstorable(),
            Some(stamp) => Entry {
                bytes: size_of::<T>()
                    + value.heap_bytes()
                    + size_of_val(&*stamp)
                    + size_of::<Entry>()
                    + OVERHEAD,
                value: Some(value.clone()),
                stamp,
            },
        };
        Ok((value, Arc::new(entry)))
    }
}

fn store(size: CacheSize, counts: &Arc<Counts>) -> Option<Store> {
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
