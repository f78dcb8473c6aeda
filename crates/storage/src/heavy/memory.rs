//! The bytes that all requests of a process hold together: bodies, inflated data, packs, trees,
//! pages, payloads, responses that are being sent. All worlds of a process share one budget.
//!
//! A request counts what it is about to hold before it holds it. If there is no room, it
//! waits for some time, and is then refused with 503. So a flood of requests makes requests
//! slow, and never makes the process large.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::timeout;

use super::{CURRENT, CallerPermits};
use crate::limits::Subject;
use contract::problem::Problem;
use contract::reply::Outcome;

/// The default size of the budget in bytes.
const DEFAULT: usize = 192 << 20;

/// The largest small amount in bytes. Large ones leave a quarter of the budget to small ones.
const SMALL: usize = 64 * 1024;

/// Less than the time limit of a request, so that the client gets a response.
const PATIENCE: Duration = Duration::from_secs(8);

/// The budget of a process.
#[derive(Debug)]
pub struct RequestMemory {
    most: usize,
    /// How long a request waits for room.
    patience: Duration,
    state: Mutex<MemoryInUse>,
    freed: Notify,
}

#[derive(Debug, Default)]
struct MemoryInUse {
    held: usize,
    /// Bytes of responses that are being sent, which are a part of `held`.
    unsent: usize,
    /// What each caller holds, which is a part of `held`.
    callers: HashMap<Subject, usize>,
    waits: u64,
    refusals: u64,
}

/// The figures of the budget, for the metrics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryFigures {
    pub held: usize,
    pub most: usize,
    /// Requests that had to wait for room, and those that got none.
    pub waits: u64,
    pub refusals: u64,
}

/// There is no room for what a request needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the requests of this process hold too many bytes")]
pub struct MemoryExhausted;

impl From<MemoryExhausted> for Problem {
    fn from(cause: MemoryExhausted) -> Self {
        Self::Unavailable(cause.into())
    }
}

impl Default for RequestMemory {
    fn default() -> Self {
        Self::new(DEFAULT)
    }
}

impl RequestMemory {
    pub fn new(most: usize) -> Self {
        Self {
            most,
            patience: PATIENCE,
            state: Mutex::default(),
            freed: Notify::new(),
        }
    }

    /// The same budget, whose requests wait this long for room.
    #[must_use]
    pub fn with_patience(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }

    /// Bytes for a caller. Waits for room.
    pub async fn hold(
        self: &Arc<Self>,
        caller: Subject,
        bytes: usize,
    ) -> Result<Held, MemoryExhausted> {
        let mut held = self.nothing(caller);
        held.grow(bytes).await?;
        Ok(held)
    }

    /// A caller's hold on nothing yet.
    pub fn nothing(self: &Arc<Self>, caller: Subject) -> Held {
        Held {
            memory: self.clone(),
            caller,
            bytes: 0,
        }
    }

    /// Whether there is room for a small response.
    pub fn has_room(&self) -> bool {
        self.state().held < self.most
    }

    /// Adds the bytes of a response if there is room. Large responses may use half of the
    /// budget, so that slow readers of them leave room for small ones. The only holder always has
    /// room.
    pub fn try_add_response(&self, bytes: usize) -> bool {
        let mut state = self.state();
        let fits = match bytes > SMALL {
            true => {
                state.unsent + bytes <= self.most / 2 && state.held + bytes <= self.most_for_large()
            }
            false => state.held + bytes <= self.most,
        };
        let admitted = fits || state.held == 0;
        if admitted {
            state.held += bytes;
            state.unsent += bytes;
        }
        admitted
    }

    /// Adds bytes of a response that is sent in any case.
    pub fn add_response(&self, bytes: usize) {
        let mut state = self.state();
        state.held += bytes;
        state.unsent += bytes;
    }

    /// Removes bytes of a response that are sent, or never will be.
    pub fn remove_response(&self, bytes: usize) {
        let mut state = self.state();
        state.held -= bytes;
        state.unsent -= bytes;
        drop(state);
        self.freed.notify_waiters();
    }

    pub fn figures(&self) -> MemoryFigures {
        let state = self.state();
        MemoryFigures {
            held: state.held,
            most: self.most,
            waits: state.waits,
            refusals: state.refusals,
        }
    }

    /// Adds bytes of a caller if there is room. A caller gets at most half of the budget while
    /// others hold something. If nobody holds anything, any size has room.
    fn try_add(&self, caller: Subject, bytes: usize) -> bool {
        let mut state = self.state();
        let own = state.callers.get(&caller).copied().unwrap_or_default();
        let most = match bytes > SMALL {
            true => self.most_for_large(),
            false => self.most,
        };
        let is_fair = own == 0 || own + bytes <= self.most / 2 || own == state.held;
        let admitted = is_fair && state.held + bytes <= most || state.held == 0;
        if admitted {
            state.held += bytes;
            *state.callers.entry(caller).or_default() += bytes;
        }
        admitted
    }

    fn remove(&self, caller: Subject, bytes: usize) {
        let mut state = self.state();
        state.held -= bytes;
        if let Some(own) = state.callers.get_mut(&caller) {
            *own -= bytes;
            if *own == 0 {
                state.callers.remove(&caller);
            }
        }
        drop(state);
        self.freed.notify_waiters();
    }

    fn most_for_large(&self) -> usize {
        self.most / 4 * 3
    }

    fn state(&self) -> MutexGuard<'_, MemoryInUse> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Bytes that a request holds. Dropping it gives them back.
#[derive(Debug)]
pub struct Held {
    memory: Arc<RequestMemory>,
    caller: Subject,
    bytes: usize,
}

impl Held {
    /// Holds more bytes. Waits for room.
    pub async fn grow(&mut self, bytes: usize) -> Result<(), MemoryExhausted> {
        if self.try_grow(bytes) {
            return Ok(());
        }
        self.memory.state().waits += 1;
        let patience = self.memory.patience;
        let found = timeout(patience, self.grow_when_freed(bytes)).await;
        found.map_err(|_| {
            self.memory.state().refusals += 1;
            MemoryExhausted
        })
    }

    async fn grow_when_freed(&mut self, bytes: usize) {
        loop {
            let memory = self.memory.clone();
            let freed = memory.freed.notified();
            tokio::pin!(freed);
            // Registered before the attempt: no release in between is missed.
            freed.as_mut().enable();
            if self.try_grow(bytes) {
                return;
            }
            freed.await;
        }
    }

    /// Holds more bytes if there is room at once.
    pub fn try_grow(&mut self, bytes: usize) -> bool {
        let admitted = self.memory.try_add(self.caller, bytes);
        if admitted {
            self.bytes += bytes;
        }
        admitted
    }

    /// Further bytes for the same caller. Waits for room.
    pub fn further(
        &self,
        bytes: usize,
    ) -> impl Future<Output = Result<Self, MemoryExhausted>> + use<> {
        let mut further = self.memory.nothing(self.caller);
        async move {
            further.grow(bytes).await?;
            Ok(further)
        }
    }

    /// Takes over what another hold of the same caller has.
    pub fn absorb(&mut self, mut other: Self) {
        self.bytes += std::mem::take(&mut other.bytes);
    }

    /// Gives some bytes back.
    pub fn shrink(&mut self, bytes: usize) {
        let bytes = bytes.min(self.bytes);
        self.bytes -= bytes;
        self.memory.remove(self.caller, bytes);
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.memory.remove(self.caller, self.bytes);
    }
}

/// Bytes that the current request is about to hold. Waits for room, unless the request holds
/// locks. Commands hold what they need.
pub async fn hold(bytes: usize) -> Outcome<Held> {
    let caller = CURRENT.try_with(|request| (request.caller.clone(), request.must_not_wait.get()));
    let held = match caller {
        Ok((CallerPermits { permits, subject }, true)) => {
            let mut held = permits.memory.nothing(subject);
            let fits = held.try_grow(bytes);
            fits.then_some(held).ok_or(MemoryExhausted)
        }
        Ok((CallerPermits { permits, subject }, false)) => {
            permits.memory.hold(subject, bytes).await
        }
        Err(_) => {
            let unlimited = Arc::new(RequestMemory::new(usize::MAX));
            unlimited.hold(Subject::Loopback, bytes).await
        }
    };
    Ok(held?)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALICE: Subject = Subject::User(1);
    const BOB: Subject = Subject::User(2);
    const CAROL: Subject = Subject::User(3);

    fn memory(most: usize) -> Arc<RequestMemory> {
        Arc::new(RequestMemory::new(most))
    }

    #[tokio::test]
    async fn a_caller_without_room_is_refused() {
        let memory =
            Arc::new(RequestMemory::new(8 * SMALL).with_patience(Duration::from_millis(20)));
        let _first = memory.hold(ALICE, 4 * SMALL).await.unwrap();
        let refused = memory.hold(BOB, 4 * SMALL).await;
        assert_eq!(refused.unwrap_err(), MemoryExhausted);
        let figures = memory.figures();
        assert_eq!((figures.waits, figures.refusals), (1, 1));
        assert_eq!(figures.held, 4 * SMALL);
    }

    #[tokio::test]
    async fn a_caller_waits_for_room() {
        let memory = memory(8 * SMALL);
        let first = memory.hold(ALICE, 4 * SMALL).await.unwrap();
        let waiting = memory.clone();
        let waiting = tokio::spawn(async move { waiting.hold(BOB, 4 * SMALL).await });
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished());
        drop(first);
        let held = waiting.await.unwrap().unwrap();
        let figures = memory.figures();
        assert_eq!((figures.waits, figures.refusals), (1, 0));
        assert_eq!(figures.held, 4 * SMALL);
        drop(held);
        assert_eq!(memory.figures().held, 0);
        assert!(memory.state().callers.is_empty());
    }

    #[test]
    fn a_caller_has_at_most_half_unless_it_is_alone() {
        let memory = memory(8 * SMALL);
        let (mut alice, mut bob) = (memory.nothing(ALICE), memory.nothing(BOB));
        assert!(alice.try_grow(2 * SMALL) && bob.try_grow(1));
        assert!(!alice.try_grow(2 * SMALL + 1));
        assert!(alice.try_grow(2 * SMALL));
        drop(bob);
        assert!(alice.try_grow(2 * SMALL));
        assert!(!alice.try_grow(2 * SMALL));
        alice.shrink(6 * SMALL);
        let mut carol = memory.nothing(CAROL);
        assert!(carol.try_grow(100 * SMALL), "alone, any size has room");
        assert!(!alice.try_grow(1));
    }

    #[test]
    fn large_amounts_leave_room_for_small_ones() {
        let memory = memory(16 * SMALL);
        assert!(memory.try_add_response(8 * SMALL));
        assert!(!memory.try_add_response(SMALL + 1));
        let mut alice = memory.nothing(ALICE);
        assert!(alice.try_grow(4 * SMALL));
        assert!(!memory.nothing(BOB).try_grow(SMALL + 1));
        for _ in 0..4 {
            assert!(memory.has_room());
            assert!(memory.try_add_response(SMALL));
        }
        assert!(!memory.has_room());
        assert!(!memory.try_add_response(1));
        memory.remove_response(12 * SMALL);
        assert!(memory.try_add_response(1));
    }

    #[test]
    fn a_response_that_is_alone_has_room_whatever_its_size() {
        let memory = memory(SMALL);
        assert!(memory.try_add_response(100 * SMALL));
        assert!(!memory.try_add_response(1));
        memory.remove_response(100 * SMALL);
        assert!(memory.try_add_response(1));
    }
}
