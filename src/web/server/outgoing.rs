//! The body of an answer, which tells how much of it has gone out. hyper takes a
//! body long before its peer does, so the pieces themselves must tell.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use http_body_util::combinators::BoxBody;
use hyper::body::{Body, Buf, Bytes, Frame, SizeHint};

use super::activity::Open;

pub struct Outgoing {
    body: BoxBody<Bytes, io::Error>,
    open: Arc<Open>,
    /// Bytes for which there is room already, and which are still in the body.
    announced: usize,
}

impl Outgoing {
    /// A body with room for the bytes that it announces.
    pub fn new(body: BoxBody<Bytes, io::Error>, open: Open) -> Self {
        let announced = announced(&body);
        Self {
            body,
            open: Arc::new(open),
            announced,
        }
    }

    fn piece(&mut self, bytes: Bytes) -> Piece {
        let unannounced = bytes.len().saturating_sub(self.announced);
        self.announced = self.announced.saturating_sub(bytes.len());
        self.open.hold(unannounced);
        Piece {
            bytes,
            open: self.open.clone(),
        }
    }
}

/// The bytes that a body is known to have.
pub fn announced(body: &impl Body) -> usize {
    usize::try_from(body.size_hint().lower()).unwrap_or(usize::MAX)
}

impl Body for Outgoing {
    type Data = Piece;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Piece>, io::Error>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(context));
        Poll::Ready(frame.map(|frame| frame.map(|frame| frame.map_data(|data| self.piece(data)))))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// A part of an answer on its way out.
pub struct Piece {
    bytes: Bytes,
    open: Arc<Open>,
}

impl Buf for Piece {
    fn remaining(&self) -> usize {
        self.bytes.remaining()
    }

    fn chunk(&self) -> &[u8] {
        self.bytes.chunk()
    }

    fn advance(&mut self, count: usize) {
        self.bytes.advance(count);
        self.open.took(count);
    }
}
