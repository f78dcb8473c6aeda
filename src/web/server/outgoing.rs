//! A response body that reports the bytes sent. hyper buffers a body long before the client
//! reads it, so each chunk reports when it is dropped.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use http_body_util::combinators::BoxBody;
use hyper::body::{Body, Buf, Bytes, Frame, SizeHint};

use super::activity::OpenRequest;

pub struct OutgoingBody {
    body: BoxBody<Bytes, io::Error>,
    open: Arc<OpenRequest>,
    /// Bytes with reserved room that are still in the body.
    announced: usize,
}

impl OutgoingBody {
    /// A body with room reserved for its announced size.
    pub fn new(body: BoxBody<Bytes, io::Error>, open: OpenRequest) -> Self {
        let announced = announced(&body);
        Self {
            body,
            open: Arc::new(open),
            announced,
        }
    }

    fn chunk(&mut self, bytes: Bytes) -> BodyChunk {
        let unannounced = bytes.len().saturating_sub(self.announced);
        self.announced = self.announced.saturating_sub(bytes.len());
        self.open.reserve(unannounced);
        BodyChunk {
            bytes,
            open: self.open.clone(),
        }
    }
}

/// The known size of a body.
pub fn announced(body: &impl Body) -> usize {
    usize::try_from(body.size_hint().lower()).unwrap_or(usize::MAX)
}

impl Body for OutgoingBody {
    type Data = BodyChunk;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<BodyChunk>, io::Error>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(context));
        Poll::Ready(frame.map(|frame| frame.map(|frame| frame.map_data(|data| self.chunk(data)))))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// A chunk of a response in transit.
pub struct BodyChunk {
    bytes: Bytes,
    open: Arc<OpenRequest>,
}

impl Buf for BodyChunk {
    fn remaining(&self) -> usize {
        self.bytes.remaining()
    }

    fn chunk(&self) -> &[u8] {
        self.bytes.chunk()
    }

    fn advance(&mut self, count: usize) {
        self.bytes.advance(count);
        self.open.record_sent(count);
    }
}
