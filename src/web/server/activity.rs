//! Tracks the requests of a connection, and their responses until they are sent.
//!
//! Traffic on the socket is not enough: an HTTP/2 client that answers every PING may never
//! send a request, or may give a stream no window for its response. So requests are
//! counted, each until its whole response is sent, and so are the sent bytes.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use super::limits::ConnectionLimits;
use storage::heavy::RequestMemory;

/// The requests of one connection.
pub struct Activity {
    limits: ConnectionLimits,
    memory: Arc<RequestMemory>,
    state: Mutex<ActivityState>,
}

struct ActivityState {
    open: HashMap<u64, Exchange>,
    next: u64,
    /// When a connection without a request times out.
    deadline: Instant,
    /// Bytes of responses that are not sent yet.
    unsent: usize,
}

/// A request and its unsent response.
#[derive(Default)]
struct Exchange {
    unsent: usize,
    /// None until there is a response.
    sending: Option<Sending>,
}

/// The progress of sending a response.
struct Sending {
    started: Instant,
    progressed: Instant,
    sent: usize,
}

/// Why a connection is closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CloseReason {
    /// No request for too long.
    Unused,
    /// The client does not read a response, or too slowly.
    Stalled,
}

impl Activity {
    pub fn new(limits: ConnectionLimits, memory: Arc<RequestMemory>) -> Self {
        let state = ActivityState {
            open: HashMap::new(),
            next: 0,
            deadline: Instant::now() + limits.first_request,
            unsent: 0,
        };
        Self {
            limits,
            memory,
            state: Mutex::new(state),
        }
    }

    /// Registers a new request.
    pub fn open(self: &Arc<Self>) -> OpenRequest {
        let mut state = self.state();
        let id = state.next;
        state.next += 1;
        state.open.insert(id, Exchange::default());
        OpenRequest {
            activity: self.clone(),
            id,
        }
    }

    /// Whether the connection has had no request yet.
    pub fn is_fresh(&self) -> bool {
        self.state().next == 0
    }

    /// Returns when the connection must be closed.
    pub async fn close_reason(&self) -> CloseReason {
        loop {
            let now = Instant::now();
            let (deadline, why) = self.deadline(now);
            if deadline <= now {
                return why;
            }
            sleep_until(deadline).await;
        }
    }

    /// The nearest deadline, or a time before which there is none.
    fn deadline(&self, now: Instant) -> (Instant, CloseReason) {
        let limits = &self.limits;
        let shortest = limits.first_request.min(limits.idle).min(limits.stall);
        let state = self.state();
        if state.open.is_empty() {
            return (state.deadline.min(now + shortest), CloseReason::Unused);
        }
        let answers = state.open.values().filter_map(|one| one.sending.as_ref());
        let nearest = answers.map(|sending| sending.deadline(limits));
        let nearest = nearest.chain([now + shortest]).min();
        (nearest.unwrap_or(now + shortest), CloseReason::Stalled)
    }

    fn state(&self) -> MutexGuard<'_, ActivityState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Sending {
    /// The deadline for progress: any at all, and a minimum rate.
    fn deadline(&self, limits: &ConnectionLimits) -> Instant {
        let earned = Duration::from_secs_f64(self.sent as f64 / limits.bytes_per_second);
        let slow = self.started + earned.max(limits.stall);
        slow.min(self.progressed + limits.stall)
    }
}

/// A request whose response is not sent yet.
pub struct OpenRequest {
    activity: Arc<Activity>,
    id: u64,
}

impl OpenRequest {
    /// Whether there is room for any response.
    pub fn has_room(&self) -> bool {
        let unsent = self.activity.state().unsent;
        unsent < self.activity.limits.connection_bytes && self.activity.memory.has_room()
    }

    /// Reserves room for a response of this size. Always succeeds for the only response of
    /// a connection or process.
    pub fn try_reserve(&self, bytes: usize) -> bool {
        let mut state = self.activity.state();
        let most = self.activity.limits.connection_bytes;
        if state.unsent > 0 && state.unsent + bytes > most {
            return false;
        }
        let admitted = self.activity.memory.try_add_response(bytes);
        if admitted {
            self.begin(&mut state, bytes);
        }
        admitted
    }

    /// Reserves room for more of a response that is sent in any case.
    pub fn reserve(&self, bytes: usize) {
        self.activity.memory.add_response(bytes);
        self.begin(&mut self.activity.state(), bytes);
    }

    fn begin(&self, state: &mut ActivityState, bytes: usize) {
        state.unsent += bytes;
        if let Some(exchange) = state.open.get_mut(&self.id) {
            exchange.unsent += bytes;
            let now = Instant::now();
            exchange.sending.get_or_insert(Sending {
                started: now,
                progressed: now,
                sent: 0,
            });
        }
    }

    /// Records sent bytes.
    pub fn record_sent(&self, bytes: usize) {
        let mut state = self.activity.state();
        let Some(exchange) = state.open.get_mut(&self.id) else {
            return;
        };
        exchange.unsent = exchange.unsent.saturating_sub(bytes);
        if let Some(sending) = &mut exchange.sending {
            sending.progressed = Instant::now();
            sending.sent += bytes;
        }
        state.unsent = state.unsent.saturating_sub(bytes);
        self.activity.memory.remove_response(bytes);
    }
}

impl Drop for OpenRequest {
    fn drop(&mut self) {
        let mut state = self.activity.state();
        if let Some(exchange) = state.open.remove(&self.id) {
            state.unsent -= exchange.unsent;
            self.activity.memory.remove_response(exchange.unsent);
        }
        state.deadline = Instant::now() + self.activity.limits.idle;
    }
}
