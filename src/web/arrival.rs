//! Receives request bodies with a timeout of its own, shorter than that of the whole
//! request: a client that stalls mid-body gets an error that names the body.
//!
//! A small body is received before anything else. If a request were refused with its body
//! unread, the connection could not be reused.
//!
//! What has arrived counts in the memory of requests. If there is no room, the body waits.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use http_body_util::BodyExt;
use http_body_util::combinators::BoxBody;
use hyper::body::{Body, Bytes, Frame};
use poem::Request;
use tokio::time::{Sleep, sleep, timeout};

use contract::body::BODY_LIMIT;
use contract::problem::Problem;
use storage::heavy::{Held, MemoryExhausted, RequestMemory};
use storage::limits::Subject;

/// How long a body may take to arrive.
pub const BODY_TIMEOUT: Duration = Duration::from_secs(10);

/// The largest small body in bytes.
const SMALL: usize = 64 * 1024;

/// The most bytes that are read and discarded from an unwanted body.
const MOST_DISCARDED: usize = 16 * BODY_LIMIT;

/// The unread rest of a body, or the memory that a small one holds.
pub enum Rest {
    Arrived { _held: Held },
    Unread(Arc<Mutex<TimedBody>>),
}

/// Receives a small body; a large one is read later, with its own timeout.
pub async fn receive(request: &mut Request, memory: &Arc<RequestMemory>) -> Result<Rest, Problem> {
    // Its caller is not known yet.
    let address = request.remote_addr().as_socket_addr().map(SocketAddr::ip);
    let mut held = memory.nothing(Subject::anonymous(address));
    let body = request.take_body();
    if body.is_empty() {
        return Ok(Rest::Arrived { _held: held });
    }
    let mut body: BoxBody<Bytes, io::Error> = body.into();
    let mut first = Vec::new();
    // A body without a length may still be small.
    let large = body.size_hint().lower() > SMALL as u64
        || !timeout(BODY_TIMEOUT, ends_within(&mut body, &mut first, &mut held))
            .await
            .map_err(|_| Problem::RequestTimeout)??;
    if !large {
        request.set_body(first);
        return Ok(Rest::Arrived { _held: held });
    }
    let timed = Arc::new(Mutex::new(TimedBody {
        first: Some(first.into()),
        body,
        deadline: Box::pin(sleep(BODY_TIMEOUT)),
        held,
        waiting: None,
    }));
    request.set_body(poem::Body::from(BoxBody::new(SharedBody(timed.clone()))));
    Ok(Rest::Unread(timed))
}

impl Rest {
    /// Whether all of the body has arrived.
    pub fn is_none(&self) -> bool {
        matches!(self, Self::Arrived { .. })
    }

    /// The remaining time.
    pub fn remaining_time(&self) -> Duration {
        match self {
            Self::Arrived { .. } => Duration::ZERO,
            Self::Unread(_) => BODY_TIMEOUT,
        }
    }

    /// Drains the unread rest: closing a connection with unread bytes resets it, and the
    /// client may lose the response.
    pub async fn discard(self) {
        let Self::Unread(body) = self else { return };
        let mut body = SharedBody(body);
        let mut read = 0;
        while read <= MOST_DISCARDED
            && let Some(Ok(frame)) = body.frame().await
        {
            let bytes = frame.data_ref().map_or(0, Bytes::len);
            read += bytes;
            body.give_back(bytes);
        }
    }
}

/// Reads up to the size of a small body, and returns whether it ended.
async fn ends_within(
    body: &mut BoxBody<Bytes, io::Error>,
    first: &mut Vec<u8>,
    held: &mut Held,
) -> Result<bool, Problem> {
    while first.len() <= SMALL {
        let Some(frame) = body.frame().await else {
            return Ok(true);
        };
        if let Some(data) = frame.map_err(broken)?.data_ref() {
            held.grow(data.len()).await?;
            first.extend_from_slice(data);
        }
    }
    Ok(false)
}

fn broken(_: io::Error) -> Problem {
    Problem::BadRequest("The request body could not be read".into())
}

pub struct TimedBody {
    /// The part that was already read.
    first: Option<Bytes>,
    body: BoxBody<Bytes, io::Error>,
    deadline: Pin<Box<Sleep>>,
    held: Held,
    /// A frame that waits for room.
    waiting: Option<(Frame<Bytes>, HoldingFrame)>,
}

type HoldingFrame = Pin<Box<dyn Future<Output = Result<Held, MemoryExhausted>> + Send>>;

impl TimedBody {
    /// Gives out a frame as soon as there is room for it.
    fn poll_waiting(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        let Some((frame, mut holding)) = self.waiting.take() else {
            return Poll::Pending;
        };
        match holding.as_mut().poll(context) {
            Poll::Pending => {
                self.waiting = Some((frame, holding));
                Poll::Pending
            }
            Poll::Ready(Ok(held)) => {
                self.held.absorb(held);
                Poll::Ready(Some(Ok(frame)))
            }
            Poll::Ready(Err(exhausted)) => {
                let error = io::Error::new(io::ErrorKind::OutOfMemory, exhausted);
                Poll::Ready(Some(Err(error)))
            }
        }
    }
}

impl Body for TimedBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        if let Some(first) = self.first.take() {
            return Poll::Ready(Some(Ok(Frame::data(first))));
        }
        if self.waiting.is_some() {
            return self.poll_waiting(context);
        }
        match Pin::new(&mut self.body).poll_frame(context) {
            Poll::Ready(Some(Ok(frame))) => {
                let bytes = frame.data_ref().map_or(0, Bytes::len);
                let holding = self.held.further(bytes);
                self.waiting = Some((frame, Box::pin(holding)));
                self.poll_waiting(context)
            }
            Poll::Pending => self
                .deadline
                .as_mut()
                .poll(context)
                .map(|()| Some(Err(io::ErrorKind::TimedOut.into()))),
            ready => ready,
        }
    }
}

/// A body shared between the operation, which may not read it, and the cleanup.
struct SharedBody(Arc<Mutex<TimedBody>>);

impl SharedBody {
    fn give_back(&self, bytes: usize) {
        let mut body = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        body.held.shrink(bytes);
    }
}

impl Body for SharedBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        let mut body = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Pin::new(&mut *body).poll_frame(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A budget of which another caller holds all but `room` bytes.
    async fn memory_with_room(room: usize) -> (Held, Arc<RequestMemory>) {
        let memory = Arc::new(RequestMemory::new(1 << 20).with_patience(Duration::from_millis(20)));
        let other = memory.hold(Subject::User(1), (1 << 20) - room).await;
        (other.unwrap(), memory)
    }

    fn request(bytes: usize) -> Request {
        Request::builder().body(vec![b'x'; bytes])
    }

    #[tokio::test]
    async fn a_small_body_without_room_is_refused() {
        let (_other, memory) = memory_with_room(1000).await;
        let received = receive(&mut request(1001), &memory).await;
        assert!(matches!(received.err(), Some(Problem::Unavailable(_))));
        assert!(receive(&mut request(1000), &memory).await.is_ok());
    }

    #[tokio::test]
    async fn a_large_body_needs_room_when_it_is_read() {
        let (other, memory) = memory_with_room(1000).await;
        let mut refused = request(SMALL + 1);
        let rest = receive(&mut refused, &memory).await.ok().unwrap();
        assert!(refused.take_body().into_bytes().await.is_err());
        drop((rest, other));
        let mut admitted = request(SMALL + 1);
        let _rest = receive(&mut admitted, &memory).await.ok().unwrap();
        let body = admitted.take_body().into_bytes().await.unwrap();
        assert_eq!(body.len(), SMALL + 1);
    }
}
