//! Compressed answers, for callers that ask for them. What is cached is cached in its
//! compressed form, so a popular answer is compressed once.
//!
//! What is streamed is compressed piece by piece.
//!
//! A compressed answer has a weak ETag, as at GitHub: its bytes are others than those
//! that the tag was made from, and mean the same.

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

use crate::contract::problem::Problem;
use crate::contract::reply::Streamed;
use crate::heavy;

/// Shorter answers fit into one packet either way.
const MIN_BYTES: usize = 1024;

/// Longer ones are compressed where they hold up nobody.
const MAX_BYTES_IN_PLACE: usize = 256 * 1024;

/// How hard to try: beyond this, JSON gets little smaller, and much slower.
const GZIP_LEVEL: u32 = 4;
const BROTLI_QUALITY: u32 = 4;
const BROTLI_WINDOW_BITS: u32 = 20;
const BROTLI_BUFFER: usize = 4096;

/// How the bytes of an answer are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    Gzip,
    Brotli,
}

impl Encoding {
    /// What a request prefers of that which is served (RFC 9110, 12.5.3). Of two that it
    /// likes equally it gets gzip, as from GitHub.
    pub fn preferred(request: &HeaderMap) -> Option<Self> {
        let lists = request.get_all(header::ACCEPT_ENCODING).iter();
        let lists = lists.filter_map(|value| value.to_str().ok());
        let asked: Vec<_> = lists
            .flat_map(|list| list.split(','))
            .map(weighed)
            .collect();
        let weight = |wanted: &str| {
            let mut named = asked.iter();
            let named = named.find(|(name, _)| name.eq_ignore_ascii_case(wanted));
            named.map(|(_, weight)| *weight)
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

/// A coding of a list, and its weight in thousandths; what cannot be read weighs nothing.
fn weighed(item: &str) -> (&str, u16) {
    let mut parts = item.split(';').map(str::trim);
    let name = parts.next().unwrap_or_default();
    let weight = parts.find_map(|part| part.strip_prefix("q=").or(part.strip_prefix("Q=")));
    let weight = weight.map_or(Some(1.0), |weight| weight.parse::<f32>().ok());
    let weight = weight.filter(|weight| (0.0..=1.0).contains(weight));
    (name, weight.map_or(0, |weight| (weight * 1000.0) as u16))
}

/// Compresses the body of an answer, if that is worth the while.
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

/// Compresses what is streamed while it goes out.
pub fn compress_stream(response: &mut Response, encoding: Encoding) {
    let pieces = Compressing {
        pieces: response.take_body().into(),
        compressor: Some(Compressor::new(encoding)),
    };
    response.set_body(BoxBody::new(pieces));
    describe(response.headers_mut(), encoding);
}

/// A body whose pieces are compressed as they come.
struct Compressing {
    pieces: BoxBody<Bytes, io::Error>,
    /// None when the last piece is out.
    compressor: Option<Compressor>,
}

impl hyper::body::Body for Compressing {
    type Data = Bytes;
    type Error = io::Error;

    /// A piece that leaves nothing to send yet is followed by the next at once.
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
                done => return Poll::Ready(Some(done.map(|bytes| Frame::data(bytes.into())))),
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

/// A compression under way.
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

    /// Takes a piece, and gives what is ready to be sent.
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

    /// The rest.
    fn finish(self) -> io::Result<Vec<u8>> {
        match self {
            Self::Gzip(encoder) => encoder.finish(),
            Self::Brotli(encoder) => Ok(encoder.into_inner()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    fn preferred(asked: &[&'static str]) -> Option<Encoding> {
        let mut request = HeaderMap::new();
        for value in asked {
            request.append(header::ACCEPT_ENCODING, HeaderValue::from_static(value));
        }
        Encoding::preferred(&request)
    }

    #[test]
    fn the_caller_chooses_the_encoding() {
        let (gzip, brotli) = (Some(Encoding::Gzip), Some(Encoding::Brotli));
        for (asked, expected) in [
            (&["gzip"][..], gzip),
            (&["GZIP"], gzip),
            (&["x-gzip"], gzip),
            (&["br"], brotli),
            (&["gzip, deflate, br, zstd"], gzip),
            (&["gzip;q=0.5, br"], brotli),
            (&["br;q=0.5", "gzip;q=0.8"], gzip),
            (&["*"], gzip),
            (&["gzip;q=0, *"], brotli),
            (&["gzip;q=0.5, identity"], None),
            (&["identity"], None),
            (&["gzip;q=0"], None),
            (&["gzip;q=x"], None),
            (&["gzip;q=NaN"], None),
            (&["gzip;q=2"], None),
            (&["deflate, zstd"], None),
            (&[""], None),
            (&[], None),
        ] {
            assert_eq!(preferred(asked), expected, "{asked:?}");
        }
    }

    #[test]
    fn what_is_compressed_can_be_read_again() {
        let text = "refs/heads/main ".repeat(10_000).into_bytes();
        for size in [1, MIN_BYTES, text.len()] {
            let text = &text[..size];
            let mut read = Vec::new();
            let gzip = compressed(text, Encoding::Gzip).unwrap();
            flate2::read::GzDecoder::new(&*gzip)
                .read_to_end(&mut read)
                .unwrap();
            assert_eq!(read, text);
            read.clear();
            let brotli = compressed(text, Encoding::Brotli).unwrap();
            brotli::Decompressor::new(&*brotli, 4096)
                .read_to_end(&mut read)
                .unwrap();
            assert_eq!(read, text);
        }
    }

    #[tokio::test]
    async fn a_stream_is_compressed_piece_by_piece() {
        let text = "refs/heads/main ".repeat(10_000).into_bytes();
        for encoding in [Encoding::Gzip, Encoding::Brotli] {
            let pieces = Body::from_async_read(io::Cursor::new(text.clone()));
            let mut response = Response::builder().header("etag", "\"a\"").body(pieces);
            compress_stream(&mut response, encoding);
            assert_eq!(response.header("etag"), Some("W/\"a\""));
            let bytes = response.into_body().into_vec().await.unwrap();
            assert!(bytes.len() < text.len() / 10);
            let mut read = Vec::new();
            let done = match encoding {
                Encoding::Gzip => flate2::read::GzDecoder::new(&*bytes).read_to_end(&mut read),
                Encoding::Brotli => brotli::Decompressor::new(&*bytes, 4096).read_to_end(&mut read),
            };
            done.unwrap();
            assert_eq!(read, text);
        }
    }

    #[tokio::test]
    async fn a_compressed_answer_has_a_weak_tag_and_a_short_one_is_left_alone() {
        let answer = |body: String| Response::builder().header("etag", "\"a\"").body(body);
        let mut long = answer("x".repeat(MIN_BYTES));
        compress(&mut long, Some(Encoding::Gzip)).await.unwrap();
        assert_eq!(long.header("etag"), Some("W/\"a\""));
        assert_eq!(long.header("content-encoding"), Some("gzip"));
        let mut short = answer("x".into());
        compress(&mut short, Some(Encoding::Gzip)).await.unwrap();
        assert_eq!(short.header("etag"), Some("\"a\""));
        assert_eq!(short.header("content-encoding"), None);
        assert_eq!(short.into_body().into_string().await.unwrap(), "x");
    }
}
