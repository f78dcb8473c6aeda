//! Heavy work: what keeps a processor, or a connection to the database, busy for long.
//! Long lists, large diffs and long texts are such work.
//!
//! It is done in turns. A process has a few, so that most processors and connections are
//! left to cheap requests, and one caller never has more than half of them. Whoever has
//! no turn waits without holding anything. What only computes runs on a thread that may
//! block, and keeps its turn until it ends, also when its request ends before.
//!
//! Who calls is a task-local, so that the layers below the areas need not be told.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinError;

use crate::limits::Subject;

tokio::task_local! {
    static CURRENT: Request;
}

/// Lines that the diffs of one request may compare. GitHub shows no more than 20,000
/// lines of a diff; these are the lines among which those are looked for.
const MOST_LINES: usize = 400_000;

/// The turns of a process.
#[derive(Debug)]
pub struct Turns {
    all: Arc<Semaphore>,
    of_a_caller: usize,
    callers: Mutex<HashMap<Subject, Weak<Semaphore>>>,
}

/// The right to do heavy work, until it is dropped.
#[derive(Debug)]
pub struct Turn {
    _all: OwnedSemaphorePermit,
    _own: OwnedSemaphorePermit,
}

/// Whose turn it is to be.
#[derive(Debug, Clone)]
pub struct Waiter {
    turns: Arc<Turns>,
    subject: Subject,
}

struct Request {
    waiter: Waiter,
    /// The turn that the request has.
    turn: RefCell<Option<Arc<Turn>>>,
    /// Others wait for it, so it waits for no turn.
    hurried: Cell<bool>,
    lines: Cell<usize>,
}

impl Turns {
    /// So many at a time, at least one.
    pub fn new(most: usize) -> Arc<Self> {
        let most = most.max(1);
        Arc::new(Self {
            all: Arc::new(Semaphore::new(most)),
            of_a_caller: (most / 2).max(1),
            callers: Mutex::default(),
        })
    }

    pub fn of(self: &Arc<Self>, subject: Subject) -> Waiter {
        Waiter {
            turns: self.clone(),
            subject,
        }
    }

    /// The turns of one caller. Those of callers who have none and want none are
    /// forgotten.
    fn own(&self, subject: Subject) -> Arc<Semaphore> {
        let mut callers = self.callers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = callers.get(&subject).and_then(Weak::upgrade) {
            return known;
        }
        callers.retain(|_, turns| turns.strong_count() > 0);
        let own = Arc::new(Semaphore::new(self.of_a_caller));
        callers.insert(subject, Arc::downgrade(&own));
        own
    }
}

impl Waiter {
    /// Waits for a turn: first for the caller's own, then for one of the process. So
    /// a caller who wants a lot has few in the common queue.
    pub async fn turn(&self) -> Option<Turn> {
        let own = self.turns.own(self.subject);
        let own = own.acquire_owned().await.ok()?;
        let all = self.turns.all.clone().acquire_owned().await.ok()?;
        Some(Turn {
            _all: all,
            _own: own,
        })
    }
}

/// Does the work of a request.
pub async fn request<T>(waiter: Waiter, work: impl Future<Output = T>) -> T {
    let request = Request {
        waiter,
        turn: RefCell::default(),
        hurried: Cell::new(false),
        lines: Cell::new(MOST_LINES),
    };
    CURRENT.scope(request, work).await
}

/// Where the request under way waits for turns, if there is one.
pub fn waiter() -> Option<Waiter> {
    CURRENT.try_with(|request| request.waiter.clone()).ok()
}

/// Does something in one turn. Commands, and requests that have a turn, just do it.
pub async fn in_turn<T>(work: impl Future<Output = T>) -> T {
    let wanted = CURRENT.try_with(|request| {
        let free = !request.hurried.get() && request.turn.borrow().is_none();
        free.then(|| request.waiter.clone())
    });
    let Ok(Some(waiter)) = wanted else {
        return work.await;
    };
    hold(waiter.turn().await.map(Arc::new));
    let done = work.await;
    hold(None);
    done
}

/// Whether the request under way has a turn.
pub fn is_in_turn() -> bool {
    let held = CURRENT.try_with(|request| request.turn.borrow().is_some());
    held.unwrap_or_default()
}

fn hold(turn: Option<Arc<Turn>>) {
    let _ = CURRENT.try_with(|request| request.turn.replace(turn));
}

/// Computes something in a turn, on a thread that may block.
pub async fn compute<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, JoinError> {
    let span = tracing::Span::current();
    in_turn(async {
        let held = CURRENT.try_with(|request| request.turn.borrow().clone());
        let held = held.ok().flatten();
        let work = move || {
            let done = span.in_scope(work);
            drop(held);
            done
        };
        tokio::task::spawn_blocking(work).await
    })
    .await
}

/// Does what others wait for, within a transaction: it does not wait for turns itself.
pub async fn hurried<T>(work: impl Future<Output = T>) -> T {
    let set = |hurried| {
        let _ = CURRENT.try_with(|request| request.hurried.set(hurried));
    };
    set(true);
    let done = work.await;
    set(false);
    done
}

/// Takes lines from what the request may still compare. False if it has not so many
/// left. Commands compare what they like.
pub fn spend_lines(lines: usize) -> bool {
    let spend = |request: &Request| {
        let left = request.lines.get().checked_sub(lines);
        left.inspect(|left| request.lines.set(*left)).is_some()
    };
    CURRENT.try_with(spend).unwrap_or(true)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::{sleep, timeout};

    use super::*;

    const SOON: Duration = Duration::from_secs(5);

    #[tokio::test]
    async fn a_caller_never_has_all_turns() {
        let turns = Turns::new(4);
        let (greedy, other) = (turns.of(Subject::User(1)), turns.of(Subject::User(2)));
        let held = [greedy.turn().await, greedy.turn().await];
        let third = timeout(Duration::from_millis(50), greedy.turn()).await;
        assert!(third.is_err(), "a caller has more than half");
        timeout(SOON, other.turn()).await.unwrap().unwrap();
        drop(held);
        timeout(SOON, greedy.turn()).await.unwrap().unwrap();
    }

    #[tokio::test]
    async fn a_caller_who_waits_is_before_the_second_turn_of_another() {
        let turns = Turns::new(1);
        let (greedy, other) = (turns.of(Subject::User(1)), turns.of(Subject::User(2)));
        let first = greedy.turn().await;
        let queue: Vec<_> = (0..50)
            .map(|_| {
                let greedy = greedy.clone();
                tokio::spawn(async move {
                    let turn = greedy.turn().await;
                    sleep(Duration::from_millis(20)).await;
                    drop(turn);
                })
            })
            .collect();
        sleep(Duration::from_millis(50)).await;
        let waiting = tokio::spawn(async move { drop(other.turn().await) });
        sleep(Duration::from_millis(50)).await;
        drop(first);
        timeout(SOON, waiting).await.unwrap().unwrap();
        assert!(queue.iter().filter(|one| one.is_finished()).count() < 10);
    }

    #[tokio::test]
    async fn work_within_a_turn_needs_no_second_one() {
        let waiter = Turns::new(1).of(Subject::User(1));
        let work = in_turn(async { compute(|| 1).await.unwrap() + compute(|| 1).await.unwrap() });
        assert_eq!(timeout(SOON, request(waiter, work)).await.unwrap(), 2);
    }

    #[tokio::test]
    async fn what_computes_keeps_its_turn_when_its_request_ends() {
        let turns = Turns::new(1);
        let waiter = turns.of(Subject::User(1));
        let (tell, told) = std::sync::mpsc::channel::<()>();
        let work = compute(move || told.recv());
        let ended = timeout(Duration::from_millis(50), request(waiter.clone(), work)).await;
        assert!(ended.is_err());
        let other = turns.of(Subject::User(2));
        assert!(
            timeout(Duration::from_millis(50), other.turn())
                .await
                .is_err()
        );
        drop(tell);
        timeout(SOON, other.turn()).await.unwrap().unwrap();
    }

    #[tokio::test]
    async fn callers_who_want_nothing_are_forgotten() {
        let turns = Turns::new(2);
        for user in 0..100 {
            turns.of(Subject::User(user)).turn().await.unwrap();
        }
        assert!(turns.callers.lock().unwrap().len() <= 1);
    }
}
