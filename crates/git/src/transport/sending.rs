//! Streams a pack in bands, piece by piece, as fast as the client takes it.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body_util::combinators::BoxBody;
use hyper::body::{Body, Frame};
use tokio::sync::mpsc;

use super::sideband::Bands;
use crate::GitError;
use crate::pack::{ObjectNames, PackStream};
use storage::database::{Connection, Database};

/// Pieces buffered for the client.
const PIECES: usize = 1;

/// A piece of a response.
pub(super) type Piece = Result<Bytes, io::Error>;

/// A response: `head`, and then the pack. Reading stops when the client disconnects.
pub fn body(
    db: Database,
    repository_id: i64,
    names: ObjectNames,
    head: Vec<u8>,
    bands: Bands,
) -> BoxBody<Bytes, io::Error> {
    streamed(move |sender| async move {
        if sender.send(Ok(head.into())).await.is_err() {
            return;
        }
        let pack = PackStream::new(repository_id, names);
        if let Err(error) = send(db.reads(), pack, bands, &sender).await {
            tracing::error!("cannot send a pack: {error}");
            let message = "cannot read the pack";
            let _ = sender.send(Ok(bands.error(message).into())).await;
            let _ = sender.send(Err(io::Error::other(message))).await;
        }
    })
}

/// A body whose pieces a task of its own produces, one ahead of the client.
pub(super) fn streamed<F>(make: impl FnOnce(mpsc::Sender<Piece>) -> F) -> BoxBody<Bytes, io::Error>
where
    F: Future<Output = ()> + Send + 'static,
{
    let (sender, receiver) = mpsc::channel(PIECES);
    tokio::spawn(make(sender));
    BoxBody::new(Receiving(receiver))
}

async fn send(
    connection: &Connection,
    mut pack: PackStream,
    bands: Bands,
    sender: &mpsc::Sender<Piece>,
) -> Result<(), GitError> {
    while let Some(piece) = pack.next(connection).await? {
        let piece = match bands {
            Bands::None => piece,
            bands => bands.data(&piece).into(),
        };
        if sender.send(Ok(piece)).await.is_err() {
            return Ok(());
        }
    }
    let _ = sender.send(Ok(Bytes::from_static(bands.end()))).await;
    Ok(())
}

/// A body that is produced while it is sent.
struct Receiving(mpsc::Receiver<Piece>);

impl Body for Receiving {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        let piece = self.0.poll_recv(context);
        piece.map(|piece| piece.map(|piece| piece.map(Frame::data)))
    }
}
