//! A body that stops in the middle is given up, before the patience for the whole
//! request ends: then the one who sent it is to blame, and is told so.
//!
//! A small one is awaited before anything else. If a request were refused without
//! its body, the connection could not be used again.

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
pub const PATIENCE: Duration = Duration::from_secs(10);

/// Bytes of a small body.
const SMALL: usize = 64 * 1024;

/// Bytes that are read of a body which nobody wants. They are kept nowhere.
const MOST_DISCARDED: usize = 16 * BODY_LIMIT;

/// What is still to come of a body after it was received.
#[derive(Default)]
pub struct Rest(Option<Arc<Mutex<TimedBody>>>);

/// Awaits a small body, and gives a large one its time.
pub async fn receive(request: &mut Request) -> Result<Rest, Problem> {
    let body = request.take_body();
    if body.is_empty() {
        return Ok(Rest::default());
    }
    let mut body: BoxBody<Bytes, io::Error> = body.into();
    let mut first = Vec::new();
    // One that does not say its length may be small all the same.
    let large = body.size_hint().lower() > SMALL as u64
        || !timeout(PATIENCE, ends_within(&mut body, &mut first))
            .await
            .map_err(|_| Problem::Late)??;
    if !large {
        request.set_body(first);
        return Ok(Rest::default());
    }
    let timed = Arc::new(Mutex::new(TimedBody {
        first: Some(first.into()),
        body,
        deadline: Box::pin(sleep(PATIENCE)),
    }));
    request.set_body(poem::Body::from(BoxBody::new(SharedBody(timed.clone()))));
    Ok(Rest(Some(timed)))
}

impl Rest {
    /// How long it may still take.
    pub fn patience(&self) -> Duration {
        self.0.as_ref().map_or(Duration::ZERO, |_| PATIENCE)
    }

    /// Takes what nobody wanted off the connection: one that is closed on what was
    /// not read takes the answer with it.
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

/// Reads as much as a small body has, and says whether that was all.
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
    /// What has been read already.
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

/// The same body for the operation, which may leave it, and for whoever clears up.
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
