//! The beginning of a body, in memory or streamed.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http_body_util::combinators::BoxBody;
use hyper::body::{Body, Frame, SizeHint};

use super::BODY_BYTES;

/// The beginning of a body, and how long the body is.
#[derive(Debug)]
pub enum RecordedBody {
    Whole {
        head: Bytes,
        length: u64,
    },
    /// The part that was streamed so far.
    Streaming(Arc<Tap>),
}

impl Default for RecordedBody {
    fn default() -> Self {
        Self::Whole {
            head: Bytes::new(),
            length: 0,
        }
    }
}

impl RecordedBody {
    /// Shares a short body, and copies the beginning of a long one.
    pub fn of(body: &Bytes) -> Self {
        let head = match body.len() {
            0..=BODY_BYTES => body.clone(),
            _ => Bytes::copy_from_slice(&body[..BODY_BYTES]),
        };
        Self::Whole {
            head,
            length: body.len() as u64,
        }
    }

    /// The beginning, and the length so far.
    pub fn read(&self) -> (Bytes, u64) {
        match self {
            Self::Whole { head, length } => (head.clone(), *length),
            Self::Streaming(tap) => {
                let prefix = tap.prefix.lock().unwrap_or_else(PoisonError::into_inner);
                (Bytes::copy_from_slice(&prefix.head), prefix.length)
            }
        }
    }

    pub fn weight(&self) -> usize {
        match self {
            Self::Whole { head, .. } => head.len(),
            Self::Streaming(tap) => tap.most,
        }
    }
}

/// Records the beginning of a streamed body.
#[derive(Debug)]
pub struct Tap {
    most: usize,
    prefix: Mutex<BodyPrefix>,
}

#[derive(Debug, Default)]
struct BodyPrefix {
    head: Vec<u8>,
    length: u64,
}

impl Tap {
    /// Records the beginning of the body.
    pub fn recording() -> Arc<Self> {
        Self::new(BODY_BYTES)
    }

    /// Only counts the bytes, for packs.
    pub fn counting() -> Arc<Self> {
        Self::new(0)
    }

    fn new(most: usize) -> Arc<Self> {
        Arc::new(Self {
            most,
            prefix: Mutex::default(),
        })
    }

    /// The same body, observed by this tap.
    pub fn on(self: &Arc<Self>, body: poem::Body) -> poem::Body {
        poem::Body::from(BoxBody::new(Tapped {
            body: body.into(),
            tap: self.clone(),
        }))
    }

    fn observe(&self, data: &[u8]) {
        let mut prefix = self.prefix.lock().unwrap_or_else(PoisonError::into_inner);
        prefix.length += data.len() as u64;
        let remaining = self.most.saturating_sub(prefix.head.len()).min(data.len());
        prefix.head.extend_from_slice(&data[..remaining]);
    }
}

struct Tapped {
    body: BoxBody<Bytes, io::Error>,
    tap: Arc<Tap>,
}

impl Body for Tapped {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        let this = self.get_mut();
        let frame = ready!(Pin::new(&mut this.body).poll_frame(context));
        if let Some(Ok(frame)) = &frame
            && let Some(data) = frame.data_ref()
        {
            this.tap.observe(data);
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_body_that_goes_by_is_seen_and_stays_as_it_is() {
        for (tap, head) in [(Tap::recording(), BODY_BYTES), (Tap::counting(), 0)] {
            let sent = vec![b'a'; 3 * BODY_BYTES];
            let body = tap.on(poem::Body::from_vec(sent.clone()));
            let recorded = RecordedBody::Streaming(tap);
            assert_eq!(recorded.read().1, 0);
            assert_eq!(body.into_vec().await.unwrap(), sent);
            let (recorded, length) = recorded.read();
            assert_eq!((recorded.len(), length), (head, sent.len() as u64));
        }
    }
}
