//! Whether a caller may still do what was allowed when the request came.
//!
//! A body may take seconds to arrive, and whoever may do something is decided before it
//! is read. Meanwhile the token may be revoked, and the installation, the membership or
//! the repository may change. So a change is made only while all that decided has the
//! versions that it had, and the token's time is not over.
//!
//! SQLite compares when a transaction commits, on the calling thread: nobody else can
//! commit in between. PostgreSQL compares while a transaction begins, with a statement
//! that requests share; a change that is one statement compares within it.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::sync::Arc;

use migration::aggregates::Aggregate;
use sea_orm::{DbErr, RuntimeErr};

use super::{Versions, dependencies};
use crate::clock::Clock;

tokio::task_local! {
    static CURRENT: Guard;
}

/// The versions of what decided about a request.
pub(super) type Stamp = BTreeMap<Aggregate, u64>;

/// What decided about a request.
pub struct Guard {
    clock: Arc<dyn Clock>,
    expires_at: Option<i64>,
    /// None if versions could not be read.
    stamp: Option<RefCell<Stamp>>,
    lost: Cell<bool>,
}

impl Guard {
    /// For a caller who was recognised by these aggregates.
    pub fn new(clock: Arc<dyn Clock>, expires_at: Option<i64>, caller: &[Aggregate]) -> Self {
        let versions = dependencies::first_versions(caller);
        Self {
            clock,
            expires_at,
            stamp: versions.map(|versions| RefCell::new(versions.into_iter().collect())),
            lost: Cell::new(false),
        }
    }

    fn is_expired(&self) -> bool {
        let now = self.clock.now().0;
        self.expires_at.is_some_and(|moment| moment <= now)
    }
}

/// Does work that may change something, and says whether a change was refused because
/// what decided has changed.
pub async fn guarded<T>(guard: Guard, work: impl Future<Output = T>) -> (T, bool) {
    let work = async {
        let done = work.await;
        (done, CURRENT.with(|guard| guard.lost.get()))
    };
    CURRENT.scope(guard, work).await
}

/// Adds what the request has read of accounts and repositories. Call it when a change
/// begins, before versions are forgotten.
pub(super) fn note_grants() {
    let _ = CURRENT.try_with(|guard| {
        if let Some(stamp) = &guard.stamp {
            let mut stamp = stamp.borrow_mut();
            for (aggregate, version) in dependencies::deciding() {
                stamp.entry(aggregate).or_insert(version);
            }
        }
    });
}

/// Fails if what decided is not as it was.
pub(super) async fn check(versions: &Versions) -> Result<(), DbErr> {
    let held = CURRENT.try_with(|guard| {
        let stamp = guard.stamp.as_ref();
        let stamp: Option<Vec<_>> = stamp.map(|stamp| stamp.borrow().clone().into_iter().collect());
        (guard.is_expired(), stamp)
    });
    let Ok((expired, stamp)) = held else {
        return Ok(());
    };
    if expired {
        return Err(lost());
    }
    let stamp = stamp.ok_or_else(unknown)?;
    let wanted = stamp.iter().map(|(aggregate, _)| *aggregate).collect();
    match versions.read(wanted).await {
        Some(now) if now == stamp => Ok(()),
        Some(_) => Err(lost()),
        None => Err(unknown()),
    }
}

/// What decided about the request, to be compared by a statement of PostgreSQL; `None`
/// if the caller may no longer do anything, or that is not known.
pub(super) fn stamp() -> Option<Stamp> {
    let held = CURRENT.try_with(|guard| match &guard.stamp {
        Some(stamp) if !guard.is_expired() => Some(stamp.borrow().clone()),
        _ => None,
    });
    held.unwrap_or_else(|_| Some(Stamp::new()))
}

fn lost() -> DbErr {
    let _ = CURRENT.try_with(|guard| guard.lost.set(true));
    failed("what the caller may do has changed")
}

fn unknown() -> DbErr {
    failed("what the caller may do is not known")
}

fn failed(why: &str) -> DbErr {
    DbErr::Conn(RuntimeErr::Internal(why.to_owned()))
}
