//! Concurrency limits for heavy work: long lists, large diffs and long texts, which keep a
//! processor or a database connection busy for long.
//!
//! Heavy work needs a semaphore permit. A process has few of them, so that most processors
//! and connections stay free for cheap requests, and one caller gets at most half. A
//! request that waits for a permit holds nothing else. CPU work runs on a blocking thread
//! and keeps its permit until it ends, even if its request is cancelled.
//!
//! The caller is task-local, so that lower layers need no extra parameter.

mod bodies;
mod memory;

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinError;

use crate::limits::Subject;
pub use bodies::with_body;
pub use memory::{Held, MemoryExhausted, MemoryFigures, RequestMemory, hold};

tokio::task_local! {
    static CURRENT: CurrentRequest;
}

/// Lines that the diffs of one request may compare. GitHub shows at most 20,000 lines of a
/// diff, but finding them takes more comparisons.
const MOST_LINES: usize = 400_000;

/// The permits of a process, and the memory of its requests.
#[derive(Debug)]
pub struct Permits {
    all: Arc<Semaphore>,
    per_caller: usize,
    callers: Mutex<HashMap<Subject, Weak<Semaphore>>>,
    memory: Arc<RequestMemory>,
}

/// The right to do heavy work until dropped.
#[derive(Debug)]
pub struct Permit {
    _all: OwnedSemaphorePermit,
    _own: OwnedSemaphorePermit,
}

/// A caller's access to the permits.
#[derive(Debug, Clone)]
pub struct CallerPermits {
    permits: Arc<Permits>,
    subject: Subject,
}

struct CurrentRequest {
    caller: CallerPermits,
    /// The permit that the request holds.
    permit: RefCell<Option<Arc<Permit>>>,
    /// The request holds locks, so it must not wait for a permit.
    must_not_wait: Cell<bool>,
    lines: Cell<usize>,
}

impl Permits {
    /// Allows `most` heavy computations at a time, at least one.
    pub fn new(most: usize, memory: Arc<RequestMemory>) -> Arc<Self> {
        let most = most.max(1);
        Arc::new(Self {
            all: Arc::new(Semaphore::new(most)),
            per_caller: (most / 2).max(1),
            callers: Mutex::default(),
            memory,
        })
    }

    pub fn of(self: &Arc<Self>, subject: Subject) -> CallerPermits {
        CallerPermits {
            permits: self.clone(),
            subject,
        }
    }

    /// The semaphore of one caller. Removes those of callers without holders or waiters.
    fn semaphore_of(&self, subject: Subject) -> Arc<Semaphore> {
        let mut callers = self.callers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(semaphore) = callers.get(&subject).and_then(Weak::upgrade) {
            return semaphore;
        }
        callers.retain(|_, permits| permits.strong_count() > 0);
        let semaphore = Arc::new(Semaphore::new(self.per_caller));
        callers.insert(subject, Arc::downgrade(&semaphore));
        semaphore
    }
}

impl CallerPermits {
    /// Acquires a permit of the caller, then one of the process. So a greedy caller has few
    /// entries in the shared queue.
    pub async fn acquire(&self) -> Option<Permit> {
        let own = self.permits.semaphore_of(self.subject);
        let own = own.acquire_owned().await.ok()?;
        let all = self.permits.all.clone().acquire_owned().await.ok()?;
        Some(Permit {
            _all: all,
            _own: own,
        })
    }
}

/// Runs the work of a request.
pub async fn request<T>(caller: CallerPermits, work: impl Future<Output = T>) -> T {
    let request = CurrentRequest {
        caller,
        permit: RefCell::default(),
        must_not_wait: Cell::new(false),
        lines: Cell::new(MOST_LINES),
    };
    CURRENT.scope(request, work).await
}

/// The permits of the current request's caller, if there is a request.
pub fn caller_permits() -> Option<CallerPermits> {
    CURRENT.try_with(|request| request.caller.clone()).ok()
}

/// Runs work under a permit. Commands, and requests that hold a permit already, run it
/// directly.
pub async fn with_permit<T>(work: impl Future<Output = T>) -> T {
    let caller_without_permit = CURRENT.try_with(|request| {
        let free = !request.must_not_wait.get() && request.permit.borrow().is_none();
        free.then(|| request.caller.clone())
    });
    let Ok(Some(caller)) = caller_without_permit else {
        return work.await;
    };
    keep(caller.acquire().await.map(Arc::new));
    let result = work.await;
    keep(None);
    result
}

fn keep(permit: Option<Arc<Permit>>) {
    let _ = CURRENT.try_with(|request| request.permit.replace(permit));
}

/// Computes on a blocking thread, under a permit.
pub async fn compute<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, JoinError> {
    let span = tracing::Span::current();
    with_permit(async {
        let permit = CURRENT.try_with(|request| request.permit.borrow().clone());
        let permit = permit.ok().flatten();
        let work = move || {
            let result = span.in_scope(work);
            drop(permit);
            result
        };
        tokio::task::spawn_blocking(work).await
    })
    .await
}

/// Runs work that holds locks, in a transaction, and so must not wait for a permit.
pub async fn without_waiting<T>(work: impl Future<Output = T>) -> T {
    let set = |must_not_wait| {
        let _ = CURRENT.try_with(|request| request.must_not_wait.set(must_not_wait));
    };
    set(true);
    let result = work.await;
    set(false);
    result
}

/// Deducts from the lines that the request may still compare. Returns false if too few are
/// left. Commands have no limit.
pub fn spend_lines(lines: usize) -> bool {
    let spend = |request: &CurrentRequest| {
        let remaining = request.lines.get().checked_sub(lines);
        remaining
            .inspect(|remaining| request.lines.set(*remaining))
            .is_some()
    };
    CURRENT.try_with(spend).unwrap_or(true)
}

/// Runs work with the full number of lines of a request, and then restores the current number. For
/// cached results, which must not depend on what else a request has compared.
pub async fn with_own_lines<T>(work: impl Future<Output = T>) -> T {
    let remaining = CURRENT.try_with(|request| request.lines.replace(MOST_LINES));
    let result = work.await;
    if let Ok(remaining) = remaining {
        let _ = CURRENT.try_with(|request| request.lines.set(remaining));
    }
    result
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::{sleep, timeout};

    use super::*;

    /// A caller that waits longer waits forever.
    const PATIENCE: Duration = Duration::from_secs(60);

    fn permits(most: usize) -> Arc<Permits> {
        Permits::new(most, Arc::default())
    }

    #[tokio::test]
    async fn a_caller_never_has_all_permits() {
        let permits = permits(4);
        let (greedy, other) = (permits.of(Subject::User(1)), permits.of(Subject::User(2)));
        let held = [greedy.acquire().await, greedy.acquire().await];
        let third = timeout(Duration::from_millis(50), greedy.acquire()).await;
        assert!(third.is_err(), "a caller has more than half");
        timeout(PATIENCE, other.acquire()).await.unwrap().unwrap();
        drop(held);
        timeout(PATIENCE, greedy.acquire()).await.unwrap().unwrap();
    }

    #[tokio::test]
    async fn a_request_compares_a_limited_number_of_lines() {
        let caller = permits(4).of(Subject::User(1));
        let work = async {
            assert!(spend_lines(MOST_LINES - 1) && !spend_lines(2) && spend_lines(1));
            with_own_lines(async { assert!(spend_lines(MOST_LINES)) }).await;
            assert!(!spend_lines(1));
        };
        request(caller, work).await;
    }

    #[tokio::test]
    async fn a_waiting_caller_comes_before_the_second_permit_of_another() {
        let permits = permits(1);
        let (greedy, other) = (permits.of(Subject::User(1)), permits.of(Subject::User(2)));
        let first = greedy.acquire().await;
        let queue: Vec<_> = (0..50)
            .map(|_| {
                let greedy = greedy.clone();
                tokio::spawn(async move {
                    let permit = greedy.acquire().await;
                    sleep(Duration::from_millis(20)).await;
                    drop(permit);
                })
            })
            .collect();
        sleep(Duration::from_millis(50)).await;
        let waiting = tokio::spawn(async move { drop(other.acquire().await) });
        sleep(Duration::from_millis(50)).await;
        drop(first);
        timeout(PATIENCE, waiting).await.unwrap().unwrap();
        assert!(queue.iter().filter(|one| one.is_finished()).count() < 10);
    }

    #[tokio::test]
    async fn work_under_a_permit_needs_no_second_one() {
        let caller = permits(1).of(Subject::User(1));
        let work =
            with_permit(async { compute(|| 1).await.unwrap() + compute(|| 1).await.unwrap() });
        assert_eq!(timeout(PATIENCE, request(caller, work)).await.unwrap(), 2);
    }

    #[tokio::test]
    async fn a_computation_keeps_its_permit_when_its_request_ends() {
        let permits = permits(1);
        let caller = permits.of(Subject::User(1));
        let (finish, finished) = std::sync::mpsc::channel::<()>();
        let work = compute(move || finished.recv());
        let ended = timeout(Duration::from_millis(50), request(caller.clone(), work)).await;
        assert!(ended.is_err());
        let other = permits.of(Subject::User(2));
        assert!(
            timeout(Duration::from_millis(50), other.acquire())
                .await
                .is_err()
        );
        drop(finish);
        timeout(PATIENCE, other.acquire()).await.unwrap().unwrap();
    }

    #[tokio::test]
    async fn semaphores_of_idle_callers_are_removed() {
        let permits = permits(2);
        for user in 0..100 {
            permits.of(Subject::User(user)).acquire().await.unwrap();
        }
        assert!(permits.callers.lock().unwrap().len() <= 1);
    }
}
