//! The HTTP and HTTPS server: limits connections and their timeouts, and shuts down
//! gracefully.
//!
//! poem's own server has no limit on connections or on the time of a request head, so this
//! module drives hyper itself.

mod activity;
mod answering;
mod closing;
mod explained;
mod limits;
mod long_requests;
mod outgoing;
mod refusal;
mod slots;
#[cfg(test)]
mod tests;
mod tls;
mod watched;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use poem::Response;
use poem::endpoint::BoxEndpoint;
use poem::http::uri::Scheme;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_rustls::server::TlsStream;

use activity::{Activity, CloseReason};
pub use answering::ConnectionDropped;
use answering::{Answering, Peer};
use explained::Explained;
pub use limits::ConnectionLimits;
pub use long_requests::{LongRequestGuard, LongRequests};
use refusal::Refusals;
use slots::ConnectionSlots;
use storage::heavy::RequestMemory;
pub use tls::{Listening, Tls, TlsError};
use watched::WatchedStream;

/// The interval of HTTP/2 keep-alive pings.
const HEARTBEAT: Duration = Duration::from_secs(20);

/// The largest request head and buffer in bytes.
const BUFFER: usize = 64 * 1024;

/// How far the client of an HTTP/2 connection may send ahead of what is read, on all streams
/// together.
const WINDOW: u32 = 256 * 1024;

/// Concurrent streams of an HTTP/2 connection.
const STREAMS: u32 = 100;

/// The pause after a failed accept: there may be no file descriptor left, and retrying
/// immediately would only burn CPU.
const RECOVERY: Duration = Duration::from_millis(50);

/// How long an idle connection is kept during shutdown: a request may be in transit. The client of
/// a connection that is closed as idle has as long to notice. A connection without any request so
/// far is about to send one; on a busy machine that takes longer.
const LINGER: Duration = Duration::from_secs(1);
const LINGER_FOR_THE_FIRST: Duration = Duration::from_secs(3);

/// The phases of a shutdown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Serving,
    /// No new requests; requests in flight continue.
    Finishing,
    /// Requests in flight are aborted.
    Over,
}

/// Serves until the shutdown signal, then waits for requests in flight as long as the
/// limits allow. Responses count in `memory` while they are sent.
pub async fn serve(
    listening: impl Into<Listening>,
    endpoint: BoxEndpoint<'static, Response>,
    limits: ConnectionLimits,
    memory: Arc<RequestMemory>,
    stop: impl Future<Output = ()>,
) {
    let (phases, phase) = watch::channel(Phase::Serving);
    let Listening { listener, tls } = listening.into();
    // Dropping it stops its tasks.
    let mut following = JoinSet::new();
    if let Some(tls) = tls.clone() {
        following.spawn(tls.follow_files());
    }
    let server = Server {
        shared: ServerState {
            endpoint: Arc::new(endpoint),
            limits,
            memory,
            phase,
            tls,
        },
        slots: ConnectionSlots::new(&limits),
        refusals: Refusals::new(),
    };
    tokio::pin!(stop);
    loop {
        tokio::select! {
            () = &mut stop => break,
            accepted = listener.accept() => match accepted {
                Ok((stream, remote)) => server.take(stream, remote),
                Err(error) => {
                    tracing::warn!("cannot accept a connection: {error}");
                    tokio::time::sleep(RECOVERY).await;
                }
            }
        }
    }
    // Responses from here on announce that the connection closes.
    phases.send_replace(Phase::Finishing);
    closing::refuse_new(&listener);
    let _ =
        tokio::time::timeout(closing::PENDING_HANDSHAKES, server.accept_queued(&listener)).await;
    drop(listener);
    server.slots.all_free(limits.shutdown_grace).await;
    phases.send_replace(Phase::Over);
}

struct Server {
    shared: ServerState,
    slots: ConnectionSlots,
    refusals: Refusals,
}

/// State that all connections share.
#[derive(Clone)]
struct ServerState {
    endpoint: Arc<BoxEndpoint<'static, Response>>,
    limits: ConnectionLimits,
    memory: Arc<RequestMemory>,
    phase: watch::Receiver<Phase>,
    tls: Option<Tls>,
}

impl Server {
    fn take(&self, stream: TcpStream, remote: SocketAddr) {
        let Some(slot) = self.slots.take(remote.ip()) else {
            self.refusals.refuse(stream, self.shared.tls.clone());
            return;
        };
        let shared = self.shared.clone();
        tokio::spawn(async move {
            serve_connection(stream, remote, shared).await;
            drop(slot);
        });
    }

    /// Accepts the connections in the listener's queue, which would be reset when it
    /// closes.
    async fn accept_queued(&self, listener: &TcpListener) {
        while let Ok((stream, remote)) = listener.accept().await {
            self.take(stream, remote);
        }
    }
}

/// Serves one connection, after its handshake if it has one.
async fn serve_connection(stream: TcpStream, remote: SocketAddr, server: ServerState) {
    // A response is written whole; Nagle's algorithm would only delay it.
    let _ = stream.set_nodelay(true);
    let mut peer = Peer::new(&stream, remote);
    let Some(tls) = server.tls.clone() else {
        let stream = WatchedStream::new(stream, server.limits, peer.long_requests.clone());
        return serve_requests(stream, peer, server).await;
    };
    let mut phase = server.phase.clone();
    let handshake = handshake(stream, &peer, &tls, server.limits);
    let handshake = tokio::time::timeout(server.limits.handshake, handshake);
    let secured = tokio::select! {
        secured = handshake => secured.ok().flatten(),
        _ = phase.wait_for(|phase| *phase == Phase::Over) => None,
    };
    if let Some(stream) = secured {
        peer.scheme = Scheme::HTTPS;
        serve_requests(stream, peer, server).await;
    }
}

/// Performs the TLS handshake. A client that speaks plain HTTP gets an error response.
async fn handshake(
    stream: TcpStream,
    peer: &Peer,
    tls: &Tls,
    limits: ConnectionLimits,
) -> Option<TlsStream<WatchedStream>> {
    if tls::is_plain_http(&stream).await.ok()? {
        refusal::refuse_without_tls(stream).await;
        return None;
    }
    let stream = WatchedStream::new(stream, limits, peer.long_requests.clone());
    let secured = tls.accept(stream).await;
    secured
        .inspect_err(|error| tracing::debug!("TLS handshake with {} failed: {error}", peer.remote))
        .ok()
}

/// Serves the requests of one connection.
async fn serve_requests<S>(stream: S, peer: Peer, server: ServerState)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let mut phase = server.phase.clone();
    let activity = Arc::new(Activity::new(server.limits, server.memory.clone()));
    let answering = Arc::new(Answering {
        peer,
        endpoint: server.endpoint,
        phase: server.phase,
    });
    let requests = activity.clone();
    let service = service_fn(move |request| {
        let (answering, open) = (answering.clone(), requests.open());
        async move { answering.answer(request, open).await }
    });
    let builder = builder();
    let connection = builder.serve_connection(TokioIo::new(Explained::new(stream)), service);
    tokio::pin!(connection);
    let close_reason = tokio::select! {
        _ = connection.as_mut() => return,
        why = activity.close_reason() => Some(why),
        _ = phase.wait_for(|phase| *phase != Phase::Serving) => None,
    };
    match close_reason {
        // Close without lingering: unsent data would stay in memory.
        Some(CloseReason::Stalled) => return,
        Some(CloseReason::Unused) => {}
        None => {
            let linger = match activity.is_fresh() {
                true => LINGER_FOR_THE_FIRST,
                false => LINGER,
            };
            tokio::select! {
                _ = connection.as_mut() => return,
                () = tokio::time::sleep(linger) => {}
            }
        }
    }
    connection.as_mut().graceful_shutdown();
    tokio::select! {
        _ = connection.as_mut() => {}
        () = tokio::time::sleep(LINGER), if close_reason.is_some() => {}
        _ = phase.wait_for(|phase| *phase == Phase::Over) => {}
    }
}

/// hyper's own timeout for the request head also runs between requests, and closes silently
/// before the first byte. `WatchedStream` and `Activity` enforce the limits instead.
fn builder() -> auto::Builder<TokioExecutor> {
    let mut builder = auto::Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(None)
        .max_buf_size(BUFFER);
    builder
        .http2()
        .timer(TokioTimer::new())
        .keep_alive_interval(HEARTBEAT)
        .keep_alive_timeout(HEARTBEAT)
        .initial_stream_window_size(WINDOW)
        .initial_connection_window_size(WINDOW)
        .max_concurrent_streams(STREAMS)
        .max_header_list_size(16 * 1024);
    builder
}
