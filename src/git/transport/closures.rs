//! Everything that some objects lead to, by name: what a whole clone gets.
//!
//! An object is named after its content, so what it leads to never changes, and is the same
//! in every repository. What was found for one clone is kept for the next.

use quick_cache::sync::Cache;
use quick_cache::{DefaultHashBuilder, OptionsBuilder, Weighter};

use super::filter::ObjectFilter;
use super::objects::Starts;
use super::revisions::Range;
use crate::cache::CacheSize;
use crate::git::Sha;
use crate::git::pack::ObjectNames;

/// Bytes of an entry besides its names.
const OVERHEAD: usize = 160;

/// What clones got lately. One that waits for the names that another one is finding does
/// not look for them itself.
pub struct Closures(Option<Cache<WholeClone, ObjectNames, Weight>>);

/// What a whole clone asks for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct WholeClone {
    wants: Vec<Sha>,
    filter: ObjectFilter,
}

impl WholeClone {
    /// None if the client has something already, or wants a history that is cut off.
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
            // In one shard, because few are large.
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

    /// What was found for such a clone, or is found now.
    pub async fn get_or_find<E>(
        &self,
        clone: Option<WholeClone>,
        find: impl Future<Output = Result<ObjectNames, E>>,
    ) -> Result<ObjectNames, E> {
        match (&self.0, clone) {
            (Some(known), Some(clone)) => known.get_or_insert_async(&clone, find).await,
            _ => find.await,
        }
    }
}
