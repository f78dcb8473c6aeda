//! Whether anything is being asked on a connection, and since when nothing is.
//!
//! Bytes do not tell: an HTTP/2 peer that answers every PING may never ask for
//! anything. So requests are counted, each from its head until all of its answer
//! has been passed on.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use http_body_util::combinators::BoxBody;
use hyper::body::{Body, Bytes, Frame, SizeHint};
use tokio::time::{Instant, sleep_until};

use super::limits::Limits;

/// The requests of one connection.
pub struct Activity {
    limits: Limits,
    state: Mutex<State>,
}

struct State {
    open: usize,
    /// When the connection must be in use again.
    deadline: Instant,
}

/// A request that has come and whose answer has not been passed on.
pub struct Open(Arc<Activity>);

impl Activity {
    pub fn new(limits: Limits) -> Self {
        let state = State {
            open: 0,
            deadline: Instant::now() + limits.first_request,
        };
        Self {
            limits,
            state: Mutex::new(state),
        }
    }

    /// Counts a request that begins.
    pub fn open(self: &Arc<Self>) -> Open {
        self.state().open += 1;
        Open(self.clone())
    }

    /// Returns when nothing has been asked for too long.
    pub async fn unused(&self) {
        // A deadline that is set later is never nearer than this.
        let shortest = self.limits.first_request.min(self.limits.idle);
        loop {
            let now = Instant::now();
            let until = match *self.state() {
                State { open: 0, deadline } if deadline <= now => return,
                State { open: 0, deadline } => deadline.min(now + shortest),
                State { .. } => now + shortest,
            };
            sleep_until(until).await;
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.open -= 1;
        state.deadline = Instant::now() + self.0.limits.idle;
    }
}

/// The body of an answer, with which its request ends.
pub struct Outgoing {
    body: BoxBody<Bytes, io::Error>,
    _open: Open,
}

impl Outgoing {
    pub fn new(body: BoxBody<Bytes, io::Error>, open: Open) -> Self {
        Self { body, _open: open }
    }
}

impl Body for Outgoing {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
