//! A connection that gives up on a peer who stops in the middle: of sending a
//! request, or of taking an answer. Between requests it is patient.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep, sleep};

use super::limits::Limits;

#[derive(Clone, Copy, PartialEq, Eq)]
enum PeerState {
    Quiet,
    /// Bytes came, and nothing was answered yet.
    Asked,
    /// The peer takes nothing.
    Stuck,
}

pub struct Watched {
    stream: TcpStream,
    limits: Limits,
    state: PeerState,
    deadline: Pin<Box<Sleep>>,
}

impl Watched {
    pub fn new(stream: TcpStream, limits: Limits) -> Self {
        Self {
            stream,
            limits,
            state: PeerState::Quiet,
            deadline: Box::pin(sleep(limits.asking)),
        }
    }

    fn enter(&mut self, state: PeerState, patience: Duration) {
        self.state = state;
        self.deadline.as_mut().reset(Instant::now() + patience);
    }

    fn late<T>(&mut self, context: &mut Context<'_>) -> Poll<io::Result<T>> {
        self.deadline
            .as_mut()
            .poll(context)
            .map(|()| Err(io::ErrorKind::TimedOut.into()))
    }

    fn written(
        &mut self,
        context: &mut Context<'_>,
        outcome: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        match outcome {
            Poll::Ready(outcome) => {
                self.state = PeerState::Quiet;
                Poll::Ready(outcome)
            }
            Poll::Pending => {
                if self.state != PeerState::Stuck {
                    self.enter(PeerState::Stuck, self.limits.taking);
                }
                self.late(context)
            }
        }
    }
}

impl AsyncRead for Watched {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let before = buffer.filled().len();
        match Pin::new(&mut this.stream).poll_read(context, buffer) {
            Poll::Ready(Ok(())) => {
                if this.state == PeerState::Quiet && buffer.filled().len() > before {
                    this.enter(PeerState::Asked, this.limits.asking);
                }
                Poll::Ready(Ok(()))
            }
            Poll::Pending if this.state == PeerState::Asked => this.late(context),
            outcome => outcome,
        }
    }
}

impl AsyncWrite for Watched {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let outcome = Pin::new(&mut this.stream).poll_write(context, bytes);
        this.written(context, outcome)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let outcome = Pin::new(&mut this.stream).poll_write_vectored(context, parts);
        this.written(context, outcome)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_shutdown(context)
    }
}
