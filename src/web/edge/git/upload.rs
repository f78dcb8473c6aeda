//! The body of a Git client's request, which may be long and compressed: read chunk by
//! chunk, as long as the client sends fast enough.

mod pace;

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
use tokio::time::timeout;

use contract::problem::Problem;
use pace::Pace;
use storage::heavy::{self, Held};

/// Compressed bytes that are decompressed at a time. They expand at most a thousandfold.
const COMPRESSED: usize = 64;

/// A body is read in pieces, because a buffer that grows is copied again and again.
const SHORTEST_PIECE: usize = 8 * 1024;
const LONGEST_PIECE: usize = 1024 * 1024;

/// How long the body of a fetch may take.
const WHOLE_BODY: Duration = Duration::from_secs(60);

pub struct Upload {
    body: BoxBody<Bytes, io::Error>,
    gzip: Option<GzDecoder<Vec<u8>>>,
    /// Received bytes that are not decompressed yet.
    compressed: Bytes,
    /// Decompressed bytes that are not read yet.
    ready: Bytes,
    pace: Pace,
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
            pace: Pace::default(),
        })
    }

    /// The whole body, with the memory that it takes; fails if it is larger than `most`, or takes
    /// too long.
    pub async fn whole(self, most: usize) -> Result<(Vec<u8>, Held), Problem> {
        let read = timeout(WHOLE_BODY, self.read_whole(most)).await;
        read.unwrap_or(Err(Problem::RequestTimeout))
    }

    async fn read_whole(mut self, most: usize) -> Result<(Vec<u8>, Held), Problem> {
        let mut held = heavy::hold(0).await?;
        let mut pieces: Vec<Vec<u8>> = Vec::new();
        let (mut total, mut capacity) = (0_usize, 0);
        loop {
            let mut piece = match pieces.pop() {
                Some(piece) if piece.len() < piece.capacity() => piece,
                full => {
                    pieces.extend(full);
                    let length = total.clamp(SHORTEST_PIECE, LONGEST_PIECE);
                    held.grow(length).await?;
                    capacity += length;
                    // Decompression takes a while.
                    tokio::task::yield_now().await;
                    Vec::with_capacity(length)
                }
            };
            let read = self.read_buf(&mut piece).await;
            let read = read.map_err(|error| unreadable(&error))?;
            pieces.push(piece);
            total += read;
            if total > most {
                return Err(Problem::TooLarge);
            }
            if read == 0 {
                break;
            }
        }
        held.grow(total).await?;
        let whole = pieces.concat();
        drop(pieces);
        held.shrink(capacity);
        Ok((whole, held))
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
            Poll::Pending => return self.pace.poll_too_slow(context).map(Err),
        };
        let Some(frame) = frame else {
            return Poll::Ready(self.finish().map(|()| false));
        };
        let data = frame.into_data().unwrap_or_default();
        self.pace.arrived(data.len());
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

fn unreadable(error: &io::Error) -> Problem {
    match error.kind() {
        io::ErrorKind::TimedOut => Problem::RequestTimeout,
        _ => Problem::BadRequest("The request body could not be read".into()),
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

#[cfg(test)]
mod tests {
    use std::io::Read;

    use flate2::Compression;
    use flate2::read::GzEncoder;

    use super::*;

    #[tokio::test]
    async fn a_little_is_decompressed_at_a_time() {
        let mut bomb = Vec::new();
        let zeros = io::repeat(0).take(16 << 20);
        let mut encoder = GzEncoder::new(zeros, Compression::best());
        encoder.read_to_end(&mut bomb).unwrap();
        let request = Request::builder().header("Content-Encoding", "gzip");
        let mut upload = Upload::of(&mut request.body(bomb)).unwrap();
        let mut read = 0;
        let mut buffer = [0; 1000];
        loop {
            let length = upload.read(&mut buffer).await.unwrap();
            assert!(upload.ready.len() <= 128 * 1024, "{}", upload.ready.len());
            read += length;
            if length == 0 {
                break;
            }
        }
        assert_eq!(read, 16 << 20);
    }
}
