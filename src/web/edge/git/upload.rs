//! The body of a Git client's request, which may be long and compressed: read chunk by
//! chunk, with a time limit for each.

use std::io::{self, Write};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::{Buf, Bytes};
use flate2::write::GzDecoder;
use http_body_util::combinators::BoxBody;
use hyper::body::Body;
use poem::Request;
use poem::http::{HeaderValue, header};
use tokio::io::{AsyncRead, AsyncReadExt, ReadBuf};
use tokio::time::{Instant, Sleep, sleep};

use crate::contract::problem::Problem;

/// How long a client may send nothing.
const PAUSE: Duration = Duration::from_secs(30);

/// Compressed bytes that are decompressed at a time. They expand at most a thousandfold.
const COMPRESSED: usize = 1024;

pub struct Upload {
    body: BoxBody<Bytes, io::Error>,
    gzip: Option<GzDecoder<Vec<u8>>>,
    /// Received bytes that are not decompressed yet.
    compressed: Bytes,
    /// Decompressed bytes that are not read yet.
    ready: Bytes,
    deadline: Pin<Box<Sleep>>,
}

impl Upload {
    /// Takes the body of a request.
    pub fn of(request: &mut Request) -> Result<Self, Problem> {
        let encoding = request.headers().get(header::CONTENT_ENCODING);
        let gzip = match encoding.map(HeaderValue::as_bytes) {
            None | Some(b"" | b"identity") => None,
            Some(b"gzip" | b"x-gzip") => Some(GzDecoder::new(Vec::new())),
            Some(other) => {
                let other = String::from_utf8_lossy(other).into_owned();
                return Err(Problem::Encoded(other));
            }
        };
        Ok(Self {
            body: request.take_body().into(),
            gzip,
            compressed: Bytes::new(),
            ready: Bytes::new(),
            deadline: Box::pin(sleep(PAUSE)),
        })
    }

    /// The whole body; fails if it is larger than `most`.
    pub async fn whole(self, most: usize) -> Result<Vec<u8>, Problem> {
        let mut body = Vec::new();
        let read = self.take(most as u64 + 1).read_to_end(&mut body).await;
        match read {
            Ok(length) if length > most => Err(Problem::TooLarge),
            Ok(_) => Ok(body),
            Err(error) if error.kind() == io::ErrorKind::TimedOut => Err(Problem::RequestTimeout),
            Err(_) => Err(Problem::BadRequest(
                "The request body could not be read".into(),
            )),
        }
    }

    /// Decompresses some bytes.
    fn inflate(&mut self) -> io::Result<()> {
        let Some(gzip) = &mut self.gzip else {
            return Ok(());
        };
        let length = self.compressed.len().min(COMPRESSED);
        let consumed = gzip.write(&self.compressed[..length])?;
        if consumed == 0 {
            return Err(io::Error::other("there is data after the compressed body"));
        }
        self.compressed.advance(consumed);
        self.ready = std::mem::take(gzip.get_mut()).into();
        Ok(())
    }

    /// The next frame of the body; false at its end.
    fn poll_arrival(&mut self, context: &mut Context<'_>) -> Poll<io::Result<bool>> {
        let frame = match Pin::new(&mut self.body).poll_frame(context) {
            Poll::Ready(frame) => frame.transpose()?,
            Poll::Pending => {
                ready!(self.deadline.as_mut().poll(context));
                return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
            }
        };
        self.deadline.as_mut().reset(Instant::now() + PAUSE);
        let Some(frame) = frame else {
            return Poll::Ready(self.finish().map(|()| false));
        };
        let data = frame.into_data().unwrap_or_default();
        match self.gzip {
            Some(_) => self.compressed = data,
            None => self.ready = data,
        }
        Poll::Ready(Ok(true))
    }

    /// Checks that a compressed body is complete.
    fn finish(&mut self) -> io::Result<()> {
        if let Some(gzip) = &mut self.gzip {
            gzip.try_finish()?;
            self.ready = std::mem::take(gzip.get_mut()).into();
            self.gzip = None;
        }
        Ok(())
    }
}

impl AsyncRead for Upload {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        loop {
            if !this.ready.is_empty() {
                let length = this.ready.len().min(buffer.remaining());
                buffer.put_slice(&this.ready.split_to(length));
                return Poll::Ready(Ok(()));
            }
            if !this.compressed.is_empty() {
                this.inflate()?;
            } else if !ready!(this.poll_arrival(context))? && this.ready.is_empty() {
                return Poll::Ready(Ok(()));
            }
        }
    }
}
