//! The transitive closure of some objects, by name: the objects of a whole clone.
//!
//! An object is named after its content, so its closure never changes, and is the same in every
//! repository. The closure found for one clone is cached for the next.

use quick_cache::sync::Cache;
use quick_cache::{DefaultHashBuilder, OptionsBuilder, Weighter};

use super::filter::ObjectFilter;
use super::objects::Starts;
use super::revisions::Range;
use crate::Sha;
use crate::pack::ObjectNames;
use storage::cache::CacheSize;

/// Bytes of an entry besides its names.
const OVERHEAD: usize = 160;

/// The closures of recent clones. Single-flight: concurrent clones of the same objects share one
/// computation.
pub struct Closures(Option<Cache<WholeClone, ObjectNames, Weight>>);

/// The parameters of a whole clone.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct WholeClone {
    wants: Vec<Sha>,
    filter: ObjectFilter,
}

impl WholeClone {
    /// None if the client already has objects, or wants a shallow history.
    pub fn of(starts: &Starts, range: &Range, filter: ObjectFilter) -> Option<Self> {
        let whole = range.haves.is_empty()
            && range.cut.is_empty()
            && range.client_cut.is_empty()
            && range.since.is_none();
        if !whole {
            return None;
        }
        let mut wants = [&range.wants[..], &starts.tags, &starts.trees, &starts.blobs].concat();
        wants.sort_unstable();
        Some(Self { wants, filter })
    }
}

#[derive(Clone)]
struct Weight;

impl Weighter<WholeClone, ObjectNames> for Weight {
    fn weight(&self, clone: &WholeClone, names: &ObjectNames) -> u64 {
        let names = clone.wants.len() + names.len();
        (names * Sha::BYTES + OVERHEAD) as u64
    }
}

impl Closures {
    pub fn new(size: CacheSize) -> Self {
        let bytes = u64::try_from(size.0).ok().filter(|bytes| *bytes > 0);
        let options = bytes.and_then(|bytes| {
            // One shard, because there are few, large entries.
            let options = OptionsBuilder::new()
                .shards(1)
                .estimated_items_capacity(16)
                .weight_capacity(bytes)
                .build();
            options.ok()
        });
        Self(options.map(|options| {
            Cache::with_options(
                options,
                Weight,
                DefaultHashBuilder::default(),
                Default::default(),
            )
        }))
    }

    /// The cached closure of such a clone; computes it if it is missing.
    pub async fn get_or_find<E>(
        &self,
        clone: Option<WholeClone>,
        find: impl Future<Output = Result<ObjectNames, E>>,
    ) -> Result<ObjectNames, E> {
        match (&self.0, clone) {
            (Some(cache), Some(clone)) => cache.get_or_insert_async(&clone, find).await,
            _ => find.await,
        }
    }
}
