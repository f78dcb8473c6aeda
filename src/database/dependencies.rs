//! What the work under way depends on: the aggregates that it reads, each with the
//! version that it had before.
//!
//! A task-local, so that every query can reach it. Work that is handed to another
//! task is not tracked; in debug builds, storing a result whose queries went past
//! the tracking panics (`check.rs`).
//!
//! A result is stored under the first version that the request has read of each
//! aggregate: all that the request knows of the aggregate was read after that. So a
//! stored result is at worst newer than it claims, and is then discarded at the next
//! comparison. Whether a result is up to date is decided by the last version read.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use migration::aggregates::{Aggregate, Kind};

#[cfg(debug_assertions)]
use super::check::Tables;

tokio::task_local! {
    static CURRENT: RefCell<Work>;
}

/// What a result depends on: aggregates with their versions.
pub type Stamp = Box<[(Aggregate, u64)]>;

#[derive(Debug, Default)]
struct Work {
    /// The versions that this request has read.
    seen: BTreeMap<Aggregate, Seen>,
    /// The aggregates that this computation has read; `None` outside of one.
    reads: Option<BTreeSet<Aggregate>>,
    /// The result must not be stored.
    tainted: bool,
    /// The group commit whose uncommitted changes this request may have seen.
    batch: Option<u64>,
    #[cfg(debug_assertions)]
    tables: Tables,
}

/// The versions of one aggregate that were read first and last.
#[derive(Debug, Clone, Copy)]
struct Seen {
    first: u64,
    last: u64,
}

/// How a stored result compares with the versions that this request has read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Age {
    Current,
    /// Versions have changed since it was computed, or are not known.
    Stale,
    /// It was computed after this request read the versions.
    Newer,
}

/// Does the work of one request.
pub async fn request<T>(work: impl Future<Output = T>) -> T {
    CURRENT.scope(RefCell::default(), work).await
}

/// Does work on which the request around it does not depend.
pub async fn detached<T>(work: impl Future<Output = T>) -> T {
    request(work).await
}

/// What a computation depends on.
#[derive(Debug)]
pub struct Dependencies {
    stamp: Stamp,
    #[cfg(debug_assertions)]
    tables: Tables,
}

impl Dependencies {
    /// What its result may be stored under.
    pub fn into_stamp(self) -> Stamp {
        #[cfg(debug_assertions)]
        self.tables.assert_covered(&self.stamp);
        self.stamp
    }
}

/// Computes something, and says what it depends on; `None` if that is not known.
/// The computation around it depends on the same.
pub async fn tracked<T>(computation: impl Future<Output = T>) -> (T, Option<Dependencies>) {
    let begun = Work {
        seen: with(|work| work.seen.clone()).unwrap_or_default(),
        reads: Some(BTreeSet::from([Aggregate::EVERYTHING])),
        tainted: with(|work| work.tainted).unwrap_or_default(),
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
        if self.tainted {
            return None;
        }
        let reads = self.reads.iter().flatten();
        let versions = reads.map(|part| Some((*part, self.seen.get(part)?.first)));
        Some(Dependencies {
            stamp: versions.collect::<Option<Stamp>>()?,
            #[cfg(debug_assertions)]
            tables: self.tables.clone(),
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
        self.tainted |= inner.tainted;
        self.batch = inner.batch.or(self.batch);
        #[cfg(debug_assertions)]
        self.tables.extend(inner.tables);
    }
}

/// Whether queries have to say what they read.
pub fn is_tracking() -> bool {
    with(|work| work.reads.is_some()).unwrap_or_default()
}

/// Those of the aggregates whose version this request has not read.
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

/// Notes versions that were just read.
pub fn note_versions(versions: impl IntoIterator<Item = (Aggregate, u64)>) {
    with(|work| {
        for (aggregate, version) in versions {
            let first = Seen {
                first: version,
                last: version,
            };
            work.seen.entry(aggregate).or_insert(first).last = version;
        }
    });
}

/// The versions of aggregates that this request has read first; None unless it has read
/// all of them.
pub fn first_versions(aggregates: &[Aggregate]) -> Option<Vec<(Aggregate, u64)>> {
    let found = with(|work| {
        let versions = aggregates.iter();
        let versions = versions.map(|part| Some((*part, work.seen.get(part)?.first)));
        versions.collect()
    });
    found.flatten()
}

/// The same of all accounts and repositories that it has read: what decides who may.
pub(super) fn deciding() -> Vec<(Aggregate, u64)> {
    let decides = |part: &Aggregate| matches!(part.kind, Kind::Account | Kind::Repository);
    let found = with(|work| {
        let seen = work.seen.iter().filter(|(part, _)| decides(part));
        seen.map(|(part, seen)| (*part, seen.first)).collect()
    });
    found.unwrap_or_default()
}

/// How old a result with this stamp is.
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

/// The computation under way reads these aggregates.
pub fn depend_on(aggregates: impl IntoIterator<Item = Aggregate>) {
    with(|work| {
        if let Some(reads) = &mut work.reads {
            reads.extend(aggregates);
        }
    });
}

/// Whether nothing that this request computes may be stored.
pub fn is_tainted() -> bool {
    with(|work| work.tainted).unwrap_or_default()
}

/// Lets nothing be stored that this request computes from here on.
pub fn taint() {
    with(|work| work.tainted = true);
}

/// After a change, versions that were read before it would hide it. And what was
/// learnt before it may be older than what is read from here on, so no result of
/// both is stored.
pub(super) fn note_change() {
    with(|work| {
        work.seen.clear();
        work.tainted = true;
    });
}

/// The group commit whose outcome this request has to wait for.
pub fn batch() -> Option<u64> {
    with(|work| work.batch).flatten()
}

pub(super) fn note_batch(batch: Option<u64>) {
    with(|work| work.batch = batch);
}

#[cfg(debug_assertions)]
pub(super) fn note_query(sql: &str) {
    with(|work| work.tables.note(sql));
}

/// Nothing outside of requests is tracked.
fn with<T>(change: impl FnOnce(&mut Work) -> T) -> Option<T> {
    CURRENT.try_with(|work| change(&mut work.borrow_mut())).ok()
}
