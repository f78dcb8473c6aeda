//! Response compression, for clients that accept it. The cache stores compressed responses,
//! so a popular one is compressed once. Streams are compressed chunk by chunk.
//!
//! A compressed response has a weak ETag, as on GitHub: its bytes differ from those that
//! the ETag was computed from.

use std::io::{self, Write};
use std::pin::Pin;
use std::task::{Context, Poll};

use brotli::CompressorWriter;
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use http_body_util::combinators::BoxBody;
use hyper::body::Frame;
use poem::http::{HeaderMap, HeaderValue, header};
use poem::{Body, Response};

use contract::problem::Problem;
use contract::reply::Streamed;
use storage::heavy;

/// Shorter bodies fit into one packet anyway.
const MIN_BYTES: usize = 1024;

/// Longer bodies are compressed on a blocking thread.
const MAX_BYTES_IN_PLACE: usize = 256 * 1024;

/// Higher levels make JSON little smaller and much slower.
const GZIP_LEVEL: u32 = 4;
const BROTLI_QUALITY: u32 = 4;
const BROTLI_WINDOW_BITS: u32 = 20;
const BROTLI_BUFFER: usize = 4096;

/// A content encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    Gzip,
    Brotli,
}

impl Encoding {
    /// The preferred supported encoding of a request (RFC 9110, 12.5.3). Of equal weights
    /// gzip wins, as on GitHub.
    pub fn preferred(request: &HeaderMap) -> Option<Self> {
        let lists = request.get_all(header::ACCEPT_ENCODING).iter();
        let lists = lists.filter_map(|value| value.to_str().ok());
        let accepted: Vec<_> = lists
            .flat_map(|list| list.split(','))
            .map(weighed)
            .collect();
        let weight = |encoding: &str| {
            let mut item = accepted.iter();
            let item = item.find(|(name, _)| name.eq_ignore_ascii_case(encoding));
            item.map(|(_, weight)| *weight)
        };
        let any = weight("*").unwrap_or_default();
        let gzip = weight("gzip").or(weight("x-gzip")).unwrap_or(any);
        let brotli = weight("br").unwrap_or(any);
        let best = gzip.max(brotli);
        if best == 0 || weight("identity").is_some_and(|weight| weight > best) {
            return None;
        }
        Some(match gzip == best {
            true => Self::Gzip,
            false => Self::Brotli,
        })
    }

    fn name(self) -> HeaderValue {
        HeaderValue::from_static(match self {
            Self::Gzip => "gzip",
            Self::Brotli => "br",
        })
    }
}

/// An item of the list with its weight in thousandths; an invalid weight is 0.
fn weighed(item: &str) -> (&str, u16) {
    let mut parts = item.split(';').map(str::trim);
    let name = parts.next().unwrap_or_default();
    let weight = parts.find_map(|part| part.strip_prefix("q=").or(part.strip_prefix("Q=")));
    let weight = weight.map_or(Some(1.0), |weight| weight.parse::<f32>().ok());
    let weight = weight.filter(|weight| (0.0..=1.0).contains(weight));
    (name, weight.map_or(0, |weight| (weight * 1000.0) as u16))
}

/// Compresses the body of a response, if worthwhile.
pub async fn compress(response: &mut Response, encoding: Option<Encoding>) -> Result<(), Problem> {
    let Some(encoding) = encoding.filter(|_| response.data::<Streamed>().is_none()) else {
        return Ok(());
    };
    let body = response.take_body().into_bytes().await;
    let body = body.map_err(Problem::internal)?;
    if body.len() < MIN_BYTES {
        response.set_body(Body::from_bytes(body));
        return Ok(());
    }
    let compressed = if body.len() > MAX_BYTES_IN_PLACE {
        let compressing = heavy::compute(move || compressed(&body, encoding));
        compressing.await.map_err(Problem::internal)?
    } else {
        compressed(&body, encoding)
    };
    let compressed = compressed.map_err(Problem::internal)?;
    response.set_body(Body::from_bytes(compressed));
    describe(response.headers_mut(), encoding);
    Ok(())
}

/// Compresses a stream while it is sent.
pub fn compress_stream(response: &mut Response, encoding: Encoding) {
    let pieces = Compressing {
        pieces: response.take_body().into(),
        compressor: Some(Compressor::new(encoding)),
    };
    response.set_body(BoxBody::new(pieces));
    describe(response.headers_mut(), encoding);
}

/// A body that is compressed chunk by chunk.
struct Compressing {
    pieces: BoxBody<Bytes, io::Error>,
    /// None after the last chunk.
    compressor: Option<Compressor>,
}

impl hyper::body::Body for Compressing {
    type Data = Bytes;
    type Error = io::Error;

    /// Polls on immediately if a chunk produced no output yet.
    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        while let Some(mut compressor) = self.compressor.take() {
            let Poll::Ready(piece) = Pin::new(&mut self.pieces).poll_frame(context) else {
                self.compressor = Some(compressor);
                return Poll::Pending;
            };
            let compressed = match piece {
                Some(Err(error)) => Err(error),
                Some(Ok(frame)) => {
                    let compressed = compressor.write(&frame.into_data().unwrap_or_default());
                    self.compressor = Some(compressor);
                    compressed
                }
                None => compressor.finish(),
            };
            match compressed {
                Ok(bytes) if bytes.is_empty() => {}
                output => return Poll::Ready(Some(output.map(|bytes| Frame::data(bytes.into())))),
            }
        }
        Poll::Ready(None)
    }
}

fn describe(headers: &mut HeaderMap, encoding: Encoding) {
    headers.insert(header::CONTENT_ENCODING, encoding.name());
    let strong = headers.get(header::ETAG).and_then(|tag| tag.to_str().ok());
    let weak = strong.and_then(|tag| HeaderValue::from_str(&format!("W/{tag}")).ok());
    if let Some(weak) = weak {
        headers.insert(header::ETAG, weak);
    }
}

fn compressed(body: &[u8], encoding: Encoding) -> io::Result<Bytes> {
    let mut compressor = Compressor::new(encoding);
    let mut bytes = compressor.write(body)?;
    bytes.append(&mut compressor.finish()?);
    Ok(bytes.into())
}

/// A compression in progress.
enum Compressor {
    Gzip(Box<GzEncoder<Vec<u8>>>),
    Brotli(Box<CompressorWriter<Vec<u8>>>),
}

impl Compressor {
    fn new(encoding: Encoding) -> Self {
        match encoding {
            Encoding::Gzip => Self::Gzip(Box::new(GzEncoder::new(
                Vec::new(),
                Compression::new(GZIP_LEVEL),
            ))),
            Encoding::Brotli => Self::Brotli(Box::new(CompressorWriter::new(
                Vec::new(),
                BROTLI_BUFFER,
                BROTLI_QUALITY,
                BROTLI_WINDOW_BITS,
            ))),
        }
    }

    /// Compresses a chunk, and returns the output so far.
    fn write(&mut self, piece: &[u8]) -> io::Result<Vec<u8>> {
        match self {
            Self::Gzip(encoder) => {
                encoder.write_all(piece)?;
                Ok(std::mem::take(encoder.get_mut()))
            }
            Self::Brotli(encoder) => {
                encoder.write_all(piece)?;
                Ok(std::mem::take(encoder.get_mut()))
            }
        }
    }

    /// Returns the remaining output.
    fn finish(self) -> io::Result<Vec<u8>> {
        match self {
            Self::Gzip(encoder) => encoder.finish(),
            Self::Brotli(encoder) => Ok(encoder.into_inner()),
        }
    }
}

#[cfg(test)]
mod tests;
