//! Checks again, when a request writes, that it is still authorized.
//!
//! A request is authorized before its body is read, which may take seconds. Meanwhile the
//! token may be revoked, or the installation, membership or repository may change. So a
//! change is written only if everything that the decision depends on still has the same
//! version, and the token has not expired.
//!
//! SQLite compares the versions when a transaction commits, on the calling thread: no other
//! writer can commit in between. PostgreSQL compares them while a transaction begins, with
//! a statement that requests share. Batched changes (`batches.rs`) are compared before they
//! are written, on SQLite while nobody else can write, on PostgreSQL within their statement;
//! that the token has not expired is checked when they begin to wait.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::sync::Arc;

use migration::aggregates::Aggregate;
use sea_orm::{DbErr, RuntimeErr};

use super::{Versions, dependencies};
use crate::clock::Clock;

tokio::task_local! {
    static CURRENT: PermissionGuard;
}

/// The versions that the authorization of a request depends on.
pub(super) type GrantVersions = BTreeMap<Aggregate, u64>;

/// The authorization of the current request.
pub struct PermissionGuard {
    clock: Arc<dyn Clock>,
    expires_at: Option<i64>,
    /// `None` if the versions could not be read.
    versions: Option<RefCell<GrantVersions>>,
    lost: Cell<bool>,
}

impl PermissionGuard {
    /// For a caller who was authenticated by these aggregates.
    pub fn new(clock: Arc<dyn Clock>, expires_at: Option<i64>, caller: &[Aggregate]) -> Self {
        let versions = dependencies::first_versions(caller);
        Self {
            clock,
            expires_at,
            versions: versions.map(|versions| RefCell::new(versions.into_iter().collect())),
            lost: Cell::new(false),
        }
    }

    fn is_expired(&self) -> bool {
        let now = self.clock.now().0;
        self.expires_at.is_some_and(|time| time <= now)
    }
}

/// Runs work that may write, and returns whether a write was refused because the
/// permissions have changed.
pub async fn guarded<T>(guard: PermissionGuard, work: impl Future<Output = T>) -> (T, bool) {
    let work = async {
        let done = work.await;
        (done, CURRENT.with(|guard| guard.lost.get()))
    };
    CURRENT.scope(guard, work).await
}

/// Whether the current request may write.
pub fn is_guarded() -> bool {
    CURRENT.try_with(|_| ()).is_ok()
}

/// Adds the accounts, repositories and installations that the request has read. Call it when a
/// write begins, before the request's versions are cleared.
pub(super) fn record_grants() {
    let _ = CURRENT.try_with(|guard| {
        if let Some(versions) = &guard.versions {
            let mut versions = versions.borrow_mut();
            for (aggregate, version) in dependencies::permission_versions() {
                versions.entry(aggregate).or_insert(version);
            }
        }
    });
}

/// Fails if the permissions have changed.
pub(super) async fn check(database: &Versions) -> Result<(), DbErr> {
    let held = CURRENT.try_with(|guard| {
        let versions = guard.versions.as_ref();
        let versions: Option<Vec<_>> =
            versions.map(|versions| versions.borrow().clone().into_iter().collect());
        (guard.is_expired(), versions)
    });
    let Ok((expired, versions)) = held else {
        return Ok(());
    };
    if expired {
        return Err(lost());
    }
    let versions = versions.ok_or_else(unknown)?;
    let wanted = versions.iter().map(|(aggregate, _)| *aggregate).collect();
    match database.read(wanted).await {
        Some(now) if now == versions => Ok(()),
        Some(_) => Err(lost()),
        None => Err(unknown()),
    }
}

/// Whether these versions are the current ones.
pub(super) async fn are_current(database: &Versions, held: &GrantVersions) -> bool {
    let now = database.read(held.keys().copied().collect()).await;
    now.is_some_and(|now| now.into_iter().eq(held.clone()))
}

/// The versions that are compared when a batch is written; `None` if the token has expired
/// or the versions are unknown.
pub(super) fn grant_versions() -> Option<GrantVersions> {
    let held = CURRENT.try_with(|guard| match &guard.versions {
        Some(versions) if !guard.is_expired() => Some(versions.borrow().clone()),
        _ => None,
    });
    held.unwrap_or_else(|_| Some(GrantVersions::new()))
}

fn lost() -> DbErr {
    let _ = CURRENT.try_with(|guard| guard.lost.set(true));
    failed("the caller's permissions have changed")
}

fn unknown() -> DbErr {
    failed("the caller's permissions are unknown")
}

fn failed(why: &str) -> DbErr {
    DbErr::Conn(RuntimeErr::Internal(why.to_owned()))
}
