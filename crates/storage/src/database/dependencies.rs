//! Dependency tracking: the aggregates that a computation reads, each with the version it
//! had before the read.
//!
//! The state is task-local, so that every query can reach it. Work on another task is not
//! tracked. Debug builds panic when a result is stored whose queries were not tracked
//! (`check.rs`).
//!
//! A result is stored under the first version of each aggregate that its request has read,
//! because all data was read after that. A stored result is at worst newer than its
//! versions, and the next comparison discards it. The last version read decides whether a
//! result is current.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use migration::aggregates::{Aggregate, Kind};

#[cfg(debug_assertions)]
use super::check::Queries;

tokio::task_local! {
    static CURRENT: RefCell<Work>;
}

/// The dependencies of a result: aggregates with their versions.
pub type Stamp = Box<[(Aggregate, u64)]>;

#[derive(Debug, Default)]
struct Work {
    /// The versions that this request has read.
    seen: BTreeMap<Aggregate, VersionRange>,
    /// The aggregates that this computation has read; `None` outside a computation.
    reads: Option<BTreeSet<Aggregate>>,
    /// The result must not be cached.
    caching_forbidden: bool,
    /// The group commit whose uncommitted changes this request may have seen.
    batch: Option<u64>,
    #[cfg(debug_assertions)]
    queries: Queries,
}

/// The first and the last version of an aggregate that the request has read.
#[derive(Debug, Clone, Copy)]
struct VersionRange {
    first: u64,
    last: u64,
}

/// How a stored result compares with the versions that this request has read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Age {
    Current,
    /// Versions have changed since it was computed, or are unknown.
    Stale,
    /// It was computed after this request read the versions.
    Newer,
}

/// Tracks work separately: a request, or work that the surrounding request does not depend on.
pub async fn request<T>(work: impl Future<Output = T>) -> T {
    CURRENT.scope(RefCell::default(), work).await
}

/// The dependencies of a computation.
#[derive(Debug)]
pub struct Dependencies {
    stamp: Stamp,
    #[cfg(debug_assertions)]
    queries: Queries,
}

impl Dependencies {
    /// The stamp to store the result under.
    pub fn into_stamp(self) -> Stamp {
        #[cfg(debug_assertions)]
        self.queries.assert_covered(&self.stamp);
        self.stamp
    }
}

/// Runs a computation and returns its dependencies; `None` if they are unknown. The
/// surrounding computation gets the same dependencies.
pub async fn tracked<T>(computation: impl Future<Output = T>) -> (T, Option<Dependencies>) {
    let begun = Work {
        seen: with(|work| work.seen.clone()).unwrap_or_default(),
        reads: Some(BTreeSet::from([Aggregate::EVERYTHING])),
        caching_forbidden: with(|work| work.caching_forbidden).unwrap_or_default(),
        ..Work::default()
    };
    let whole = async {
        let outcome = computation.await;
        (outcome, CURRENT.with(RefCell::take))
    };
    let (outcome, done) = CURRENT.scope(RefCell::new(begun), whole).await;
    let dependencies = done.dependencies();
    with(|work| work.absorb(done));
    (outcome, dependencies)
}

impl Work {
    fn dependencies(&self) -> Option<Dependencies> {
        if self.caching_forbidden {
            return None;
        }
        let reads = self.reads.iter().flatten();
        let versions = reads.map(|part| Some((*part, self.seen.get(part)?.first)));
        Some(Dependencies {
            stamp: versions.collect::<Option<Stamp>>()?,
            #[cfg(debug_assertions)]
            queries: self.queries.clone(),
        })
    }

    fn absorb(&mut self, inner: Self) {
        for (aggregate, seen) in inner.seen {
            let known = self.seen.entry(aggregate).or_insert(seen);
            known.last = seen.last;
        }
        if let Some(reads) = &mut self.reads {
            reads.extend(inner.reads.into_iter().flatten());
        }
        self.caching_forbidden |= inner.caching_forbidden;
        self.batch = inner.batch.or(self.batch);
        #[cfg(debug_assertions)]
        self.queries.extend(inner.queries);
    }
}

/// Whether queries must name the aggregates they read.
pub fn is_tracking() -> bool {
    with(|work| work.reads.is_some()).unwrap_or_default()
}

/// The aggregates whose version this request has not read.
pub fn unseen(aggregates: impl IntoIterator<Item = Aggregate>) -> Vec<Aggregate> {
    let all = aggregates.into_iter();
    match CURRENT.try_with(|work| !work.borrow().seen.is_empty()) {
        Ok(true) => CURRENT.with(|work| {
            let seen = &work.borrow().seen;
            all.filter(|part| !seen.contains_key(part)).collect()
        }),
        _ => all.collect(),
    }
}

/// Records versions that were just read.
pub fn record_versions(versions: impl IntoIterator<Item = (Aggregate, u64)>) {
    with(|work| {
        for (aggregate, version) in versions {
            let first = VersionRange {
                first: version,
                last: version,
            };
            work.seen.entry(aggregate).or_insert(first).last = version;
        }
    });
}

/// The first version of each aggregate that this request has read; `None` unless it has
/// read all of them.
pub fn first_versions(aggregates: &[Aggregate]) -> Option<Vec<(Aggregate, u64)>> {
    let found = with(|work| {
        let versions = aggregates.iter();
        let versions = versions.map(|part| Some((*part, work.seen.get(part)?.first)));
        versions.collect()
    });
    found.flatten()
}

/// The first versions of all accounts, repositories and installations that the request has
/// read: those decide its permissions. A change of everything changes them as well.
pub(super) fn permission_versions() -> Vec<(Aggregate, u64)> {
    let decides = |part: &Aggregate| {
        matches!(
            part.kind,
            Kind::Everything | Kind::Account | Kind::Repository | Kind::Installation
        )
    };
    let found = with(|work| {
        let seen = work.seen.iter().filter(|(part, _)| decides(part));
        seen.map(|(part, seen)| (*part, seen.first)).collect()
    });
    found.unwrap_or_default()
}

/// Compares a stamp with the versions of this request.
pub fn age(stamp: &[(Aggregate, u64)]) -> Age {
    let compared = with(|work| {
        let mut age = Age::Current;
        for (aggregate, version) in stamp {
            match work.seen.get(aggregate) {
                Some(seen) if seen.last == *version => {}
                Some(seen) if seen.last < *version => age = Age::Newer,
                _ => return Age::Stale,
            }
        }
        age
    });
    compared.unwrap_or(Age::Stale)
}

/// Adds dependencies to the current computation.
pub fn depend_on(aggregates: impl IntoIterator<Item = Aggregate>) {
    with(|work| {
        if let Some(reads) = &mut work.reads {
            reads.extend(aggregates);
        }
    });
}

/// Whether the results of this request must not be cached.
pub fn is_caching_forbidden() -> bool {
    with(|work| work.caching_forbidden).unwrap_or_default()
}

/// Prevents caching of everything that this request computes from here on.
pub fn forbid_caching() {
    with(|work| work.caching_forbidden = true);
}

/// Records a write. Versions read before it are outdated. Results that mix data from before
/// and after it are not cached.
pub(super) fn record_write() {
    with(|work| {
        work.seen.clear();
        work.caching_forbidden = true;
    });
}

/// The group commit that this request must wait for.
pub fn batch() -> Option<u64> {
    with(|work| work.batch).flatten()
}

pub(super) fn record_batch(batch: Option<u64>) {
    with(|work| work.batch = batch);
}

#[cfg(debug_assertions)]
pub(super) fn record_query(sql: &str) {
    with(|work| work.queries.record(sql));
}

/// Does nothing outside a request.
fn with<T>(change: impl FnOnce(&mut Work) -> T) -> Option<T> {
    CURRENT.try_with(|work| change(&mut work.borrow_mut())).ok()
}
