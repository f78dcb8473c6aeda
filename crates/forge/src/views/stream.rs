//! Responses that are produced while they are sent.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use http_body_util::combinators::BoxBody;
use hyper::body::{Body, Frame};
use tokio::sync::mpsc;

use super::lines_of_base64;
use contract::problem::Problem;
use contract::reply::{Outcome, Streamed};
use git::Sha;
use git::store::{CompressedContent, ContentReader};
use storage::database::Connection;
use storage::heavy::{self, CallerPermits, Held};

/// Bytes of a file that are encoded at a time: 1024 lines of Base64.
const PIECE: usize = 45 * 1024;

/// The most memory that is reserved to rebuild a file.
const MOST_RESERVED: usize = 160 * 1024 * 1024;

/// The body of a response, of pieces from a channel.
pub fn body_of(pieces: mpsc::Receiver<io::Result<Bytes>>) -> poem::Body {
    BoxBody::new(Pieces(pieces)).into()
}

struct Pieces(mpsc::Receiver<io::Result<Bytes>>);

impl Body for Pieces {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        let piece = self.0.poll_recv(context);
        piece.map(|piece| piece.map(|piece| piece.map(Frame::data)))
    }
}

/// A large file, in compressed form. Holds its memory until it is sent.
#[derive(Clone)]
pub struct LargeFile {
    content: CompressedContent,
    permits: CallerPermits,
    _held: Arc<Held>,
}

impl LargeFile {
    /// Reads a file that must exist.
    pub async fn load(connection: &Connection, repository_id: i64, sha: Sha) -> Outcome<Self> {
        let outside = || Problem::internal("a file is sent outside of a request");
        let permits = heavy::caller_permits().ok_or_else(outside)?;
        let most = CompressedContent::loading_bytes(connection, repository_id, sha).await?;
        let reserved = most.min(MOST_RESERVED);
        let mut held = heavy::hold(reserved).await?;
        let load = CompressedContent::load(connection, repository_id, sha);
        let content = heavy::with_permit(load).await?;
        held.shrink(reserved.saturating_sub(content.bytes()));
        Ok(Self {
            content,
            permits,
            _held: Arc::new(held),
        })
    }

    /// Sends it as it is.
    pub fn raw(self) -> Streamed {
        self.between(Bytes::new(), Bytes::new(), false)
    }

    /// Sends it in Base64, in a JSON string that begins and ends with this.
    pub fn in_json(self, start: String, end: String) -> Streamed {
        self.between(start.into(), end.into(), true)
    }

    fn between(self, start: Bytes, end: Bytes, base64: bool) -> Streamed {
        Streamed::new(move || {
            let sending = FileSending {
                file: self.clone(),
                ends: [start.clone(), end.clone()],
                base64,
            };
            let (pieces, receiver) = mpsc::channel(1);
            tokio::spawn(heavy::request(self.permits.clone(), sending.send(pieces)));
            body_of(receiver)
        })
    }
}

/// A file that is being sent.
struct FileSending {
    file: LargeFile,
    ends: [Bytes; 2],
    base64: bool,
}

impl FileSending {
    /// Produces piece after piece, each with a permit, until the end or until the client leaves.
    async fn send(self, pieces: mpsc::Sender<io::Result<Bytes>>) {
        let [start, end] = self.ends;
        if pieces.send(Ok(start)).await.is_err() {
            return;
        }
        let mut reader = self.file.content.reader();
        loop {
            let piece = match next(reader, self.base64).await {
                Ok((_, piece)) if piece.is_empty() => break,
                Ok((rest, piece)) => {
                    reader = rest;
                    piece
                }
                Err(problem) => {
                    tracing::error!("a file was truncated: {problem}");
                    let _ = pieces.send(Err(io::Error::other(problem))).await;
                    return;
                }
            };
            if pieces.send(Ok(piece)).await.is_err() {
                return;
            }
        }
        let _ = pieces.send(Ok(end)).await;
    }
}

async fn next(mut reader: ContentReader, base64: bool) -> Outcome<(ContentReader, Bytes)> {
    let next = move || {
        let piece = reader.next(PIECE)?;
        let piece = match base64 {
            true => lines_of_base64(&BASE64_STANDARD.encode(piece))
                .replace('\n', "\\n")
                .into(),
            false => piece.into(),
        };
        Outcome::Ok((reader, piece))
    };
    heavy::compute(next).await.map_err(Problem::internal)?
}
