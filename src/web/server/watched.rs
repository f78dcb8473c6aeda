//! Closes connections whose client stalls while it sends a request or reads a response.
//! Allows longer pauses between requests.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep, sleep};

use super::LongRequests;
use super::limits::ConnectionLimits;

#[derive(Clone, Copy, PartialEq, Eq)]
enum IoState {
    Idle,
    /// Bytes have arrived, and no response has been sent.
    Receiving,
    /// The client does not read.
    Stalled,
}

pub struct WatchedStream {
    stream: TcpStream,
    limits: ConnectionLimits,
    long_requests: LongRequests,
    state: IoState,
    deadline: Pin<Box<Sleep>>,
}

impl WatchedStream {
    pub fn new(stream: TcpStream, limits: ConnectionLimits, long_requests: LongRequests) -> Self {
        Self {
            stream,
            limits,
            long_requests,
            state: IoState::Idle,
            deadline: Box::pin(sleep(limits.response_start)),
        }
    }

    fn enter(&mut self, state: IoState, time_limit: Duration) {
        self.state = state;
        self.deadline.as_mut().reset(Instant::now() + time_limit);
    }

    fn late<T>(&mut self, context: &mut Context<'_>) -> Poll<io::Result<T>> {
        while self.deadline.as_mut().poll(context).is_ready() {
            if self.state != IoState::Receiving || !self.long_requests.any() {
                return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
            }
            self.enter(IoState::Receiving, self.limits.response_start);
        }
        Poll::Pending
    }

    fn after_write(
        &mut self,
        context: &mut Context<'_>,
        outcome: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        match outcome {
            Poll::Ready(outcome) => {
                self.state = IoState::Idle;
                Poll::Ready(outcome)
            }
            Poll::Pending => {
                if self.state != IoState::Stalled {
                    self.enter(IoState::Stalled, self.limits.stall);
                }
                self.late(context)
            }
        }
    }
}

impl AsyncRead for WatchedStream {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let before = buffer.filled().len();
        match Pin::new(&mut this.stream).poll_read(context, buffer) {
            Poll::Ready(Ok(())) => {
                if this.state == IoState::Idle && buffer.filled().len() > before {
                    this.enter(IoState::Receiving, this.limits.response_start);
                }
                Poll::Ready(Ok(()))
            }
            Poll::Pending if this.state == IoState::Receiving => this.late(context),
            outcome => outcome,
        }
    }
}

impl AsyncWrite for WatchedStream {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let outcome = Pin::new(&mut this.stream).poll_write(context, bytes);
        this.after_write(context, outcome)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let outcome = Pin::new(&mut this.stream).poll_write_vectored(context, parts);
        this.after_write(context, outcome)
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
