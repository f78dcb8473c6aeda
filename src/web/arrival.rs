//! Receives request bodies with a timeout of its own, shorter than that of the whole
//! request: a client that stalls mid-body gets an error that names the body.
//!
//! A small body is received before anything else. If a request were refused with its body
//! unread, the connection could not be reused.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use http_body_util::BodyExt;
use http_body_util::combinators::BoxBody;
use hyper::body::{Body, Bytes, Frame};
use poem::Request;
use tokio::time::{Sleep, sleep, timeout};

use crate::contract::body::BODY_LIMIT;
use crate::contract::problem::Problem;

/// How long a body may take to arrive.
pub const BODY_TIMEOUT: Duration = Duration::from_secs(10);

/// The largest small body in bytes.
const SMALL: usize = 64 * 1024;

/// The most bytes that are read and discarded from an unwanted body.
const MOST_DISCARDED: usize = 16 * BODY_LIMIT;

/// The unread rest of a body.
#[derive(Default)]
pub struct Rest(Option<Arc<Mutex<TimedBody>>>);

/// Receives a small body; a large one is read later, with its own timeout.
pub async fn receive(request: &mut Request) -> Result<Rest, Problem> {
    let body = request.take_body();
    if body.is_empty() {
        return Ok(Rest::default());
    }
    let mut body: BoxBody<Bytes, io::Error> = body.into();
    let mut first = Vec::new();
    // A body without a length may still be small.
    let large = body.size_hint().lower() > SMALL as u64
        || !timeout(BODY_TIMEOUT, ends_within(&mut body, &mut first))
            .await
            .map_err(|_| Problem::RequestTimeout)??;
    if !large {
        request.set_body(first);
        return Ok(Rest::default());
    }
    let timed = Arc::new(Mutex::new(TimedBody {
        first: Some(first.into()),
        body,
        deadline: Box::pin(sleep(BODY_TIMEOUT)),
    }));
    request.set_body(poem::Body::from(BoxBody::new(SharedBody(timed.clone()))));
    Ok(Rest(Some(timed)))
}

impl Rest {
    /// Whether all of the body has arrived.
    pub fn is_none(&self) -> bool {
        self.0.is_none()
    }

    /// The remaining time.
    pub fn remaining_time(&self) -> Duration {
        self.0.as_ref().map_or(Duration::ZERO, |_| BODY_TIMEOUT)
    }

    /// Drains the unread rest: closing a connection with unread bytes resets it, and the
    /// client may lose the response.
    pub async fn discard(self) {
        let Some(body) = self.0 else { return };
        let mut body = SharedBody(body);
        let mut read = 0;
        while read <= MOST_DISCARDED
            && let Some(Ok(frame)) = body.frame().await
        {
            read += frame.data_ref().map_or(0, Bytes::len);
        }
    }
}

/// Reads up to the size of a small body, and returns whether it ended.
async fn ends_within(
    body: &mut BoxBody<Bytes, io::Error>,
    first: &mut Vec<u8>,
) -> Result<bool, Problem> {
    while first.len() <= SMALL {
        let Some(frame) = body.frame().await else {
            return Ok(true);
        };
        if let Some(data) = frame.map_err(broken)?.data_ref() {
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
        match Pin::new(&mut self.body).poll_frame(context) {
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
