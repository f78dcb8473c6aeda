//! A body that stops in the middle is given up, before the patience for the whole
//! request ends: then the one who sent it is to blame, and is told so.
//!
//! A small one is awaited before anything else. If a request were refused without
//! its body, the connection could not be used again.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use http_body_util::BodyExt;
use http_body_util::combinators::BoxBody;
use hyper::body::{Body, Bytes, Frame, SizeHint};
use poem::Request;
use poem::error::ReadBodyError;
use tokio::time::{Sleep, sleep, timeout};

use crate::contract::body::BODY_LIMIT;
use crate::contract::problem::Problem;

/// How long a body may take to arrive.
pub const PATIENCE: Duration = Duration::from_secs(10);

/// Bytes of a small body.
const SMALL: u64 = 64 * 1024;

/// Awaits a small body, and gives a large one its time. Says how much of that is
/// still to come.
pub async fn receive(request: &mut Request) -> Result<Duration, Problem> {
    let body = request.take_body();
    if body.is_empty() {
        return Ok(Duration::ZERO);
    }
    let body: BoxBody<Bytes, io::Error> = body.into();
    if body.size_hint().upper().is_some_and(|size| size <= SMALL) {
        let bytes = timeout(PATIENCE, poem::Body::from(body).into_bytes()).await;
        request.set_body(bytes.map_err(|_| Problem::Late)?.map_err(broken)?);
        return Ok(Duration::ZERO);
    }
    let timed = Timed {
        body,
        deadline: Box::pin(sleep(PATIENCE)),
    };
    request.set_body(poem::Body::from(BoxBody::new(timed)));
    Ok(PATIENCE)
}

/// Takes a body that nobody wants off the connection, as far as one is ever read: a
/// connection that is closed on what was not read takes the answer with it.
pub async fn discard(body: poem::Body) {
    let mut body: BoxBody<Bytes, io::Error> = body.into();
    let mut read = 0;
    while read <= BODY_LIMIT
        && let Some(Ok(frame)) = body.frame().await
    {
        read += frame.data_ref().map_or(0, Bytes::len);
    }
}

fn broken(_: ReadBodyError) -> Problem {
    Problem::BadRequest("The request body could not be read".into())
}

struct Timed {
    body: BoxBody<Bytes, io::Error>,
    deadline: Pin<Box<Sleep>>,
}

impl Body for Timed {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        match Pin::new(&mut self.body).poll_frame(context) {
            Poll::Pending => self
                .deadline
                .as_mut()
                .poll(context)
                .map(|()| Some(Err(io::ErrorKind::TimedOut.into()))),
            ready => ready,
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
