//! What goes on on a connection: its requests, and their answers until they have
//! gone out.
//!
//! Bytes on the wire do not tell. An HTTP/2 peer that answers every PING may never
//! ask for anything, or may give a stream no window to be answered in. So requests
//! are counted, each from its head until all of its answer has gone out, and so are
//! the bytes of an answer as they go.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use super::in_flight::InFlight;
use super::limits::Limits;

/// The requests of one connection.
pub struct Activity {
    limits: Limits,
    process: Arc<InFlight>,
    state: Mutex<State>,
}

struct State {
    open: HashMap<u64, Exchange>,
    next: u64,
    /// When a connection without a request must have one.
    deadline: Instant,
    /// Bytes of answers that have not gone out.
    held: usize,
}

/// A request and what is left of its answer.
#[derive(Default)]
struct Exchange {
    held: usize,
    /// None until there is an answer.
    taking: Option<Taking>,
}

/// How far an answer has gone out.
struct Taking {
    begun: Instant,
    progressed: Instant,
    taken: usize,
}

/// Why a connection is given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GivenUp {
    /// Nothing has been asked for too long.
    Unused,
    /// An answer is not taken, or too slowly.
    Stalled,
}

impl Activity {
    pub fn new(limits: Limits, process: Arc<InFlight>) -> Self {
        let state = State {
            open: HashMap::new(),
            next: 0,
            deadline: Instant::now() + limits.first_request,
            held: 0,
        };
        Self {
            limits,
            process,
            state: Mutex::new(state),
        }
    }

    /// Counts a request that begins.
    pub fn open(self: &Arc<Self>) -> Open {
        let mut state = self.state();
        let id = state.next;
        state.next += 1;
        state.open.insert(id, Exchange::default());
        Open {
            activity: self.clone(),
            id,
        }
    }

    /// Whether nothing was ever asked.
    pub fn is_fresh(&self) -> bool {
        self.state().next == 0
    }

    /// Returns when the connection is of no more use.
    pub async fn given_up(&self) -> GivenUp {
        loop {
            let now = Instant::now();
            let (deadline, why) = self.deadline(now);
            if deadline <= now {
                return why;
            }
            sleep_until(deadline).await;
        }
    }

    /// The nearest deadline as things are, or a moment before which no other can come.
    fn deadline(&self, now: Instant) -> (Instant, GivenUp) {
        let limits = &self.limits;
        let shortest = limits.first_request.min(limits.idle).min(limits.taking);
        let state = self.state();
        if state.open.is_empty() {
            return (state.deadline.min(now + shortest), GivenUp::Unused);
        }
        let answers = state.open.values().filter_map(|one| one.taking.as_ref());
        let nearest = answers.map(|taking| taking.deadline(limits));
        let nearest = nearest.chain([now + shortest]).min();
        (nearest.unwrap_or(now + shortest), GivenUp::Stalled)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Taking {
    /// When more must have gone out: anything at all, and so much in so many seconds.
    fn deadline(&self, limits: &Limits) -> Instant {
        let earned = Duration::from_secs_f64(self.taken as f64 / limits.bytes_per_second);
        let slow = self.begun + earned.max(limits.taking);
        slow.min(self.progressed + limits.taking)
    }
}

/// A request that has come and whose answer has not gone out.
pub struct Open {
    activity: Arc<Activity>,
    id: u64,
}

impl Open {
    /// Whether there is room for any answer at all.
    pub fn has_room(&self) -> bool {
        let held = self.activity.state().held;
        held < self.activity.limits.connection_bytes && self.activity.process.has_room()
    }

    /// Takes room for an answer of so many bytes, if there is any. One that is alone
    /// on its connection, or in the process, always has it.
    pub fn try_hold(&self, bytes: usize) -> bool {
        let mut state = self.activity.state();
        let most = self.activity.limits.connection_bytes;
        if state.held > 0 && state.held + bytes > most {
            return false;
        }
        let admitted = self.activity.process.try_add(bytes);
        if admitted {
            self.begin(&mut state, bytes);
        }
        admitted
    }

    /// Takes room for more of an answer that goes out in any case.
    pub fn hold(&self, bytes: usize) {
        self.activity.process.add(bytes);
        self.begin(&mut self.activity.state(), bytes);
    }

    fn begin(&self, state: &mut State, bytes: usize) {
        state.held += bytes;
        if let Some(exchange) = state.open.get_mut(&self.id) {
            exchange.held += bytes;
            let now = Instant::now();
            exchange.taking.get_or_insert(Taking {
                begun: now,
                progressed: now,
                taken: 0,
            });
        }
    }

    /// Notes that so much of the answer has gone out.
    pub fn took(&self, bytes: usize) {
        let mut state = self.activity.state();
        let Some(exchange) = state.open.get_mut(&self.id) else {
            return;
        };
        exchange.held = exchange.held.saturating_sub(bytes);
        if let Some(taking) = &mut exchange.taking {
            taking.progressed = Instant::now();
            taking.taken += bytes;
        }
        state.held = state.held.saturating_sub(bytes);
        self.activity.process.remove(bytes);
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        let mut state = self.activity.state();
        if let Some(exchange) = state.open.remove(&self.id) {
            state.held -= exchange.held;
            self.activity.process.remove(exchange.held);
        }
        state.deadline = Instant::now() + self.activity.limits.idle;
    }
}
