//! The HTTP server: limits connections and their timeouts, and shuts down gracefully.
//!
//! poem's own server has no limit on connections or on the time of a request head, so this
//! module drives hyper itself.

mod activity;
mod answering;
mod closing;
mod explained;
mod in_flight;
mod limits;
mod outgoing;
mod patience;
mod refusal;
mod slots;
#[cfg(test)]
mod tests;
mod watched;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use poem::endpoint::BoxEndpoint;
use poem::{Addr, Response};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

use activity::{Activity, GivenUp};
use answering::Answering;
pub use answering::ConnectionDropped;
use explained::Explained;
use in_flight::InFlight;
pub use limits::ConnectionLimits;
pub use patience::{Extended, Patience};
use refusal::Refusals;
use slots::ConnectionSlots;
use watched::Watched;

/// The interval of HTTP/2 keep-alive pings.
const HEARTBEAT: Duration = Duration::from_secs(20);

/// The largest request head and buffer in bytes.
const BUFFER: usize = 64 * 1024;

/// Concurrent streams of an HTTP/2 connection.
const STREAMS: u32 = 100;

/// The pause after a failed accept: there may be no file descriptor left, and retrying
/// immediately would only burn CPU.
const RECOVERY: Duration = Duration::from_millis(50);

/// How long an idle connection is kept during shutdown: a request may be in transit. The
/// client of a connection that is closed for being idle has as long to notice. A connection
/// without any request so far is about to send one, on a busy machine a little later.
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
/// limits allow.
pub async fn serve(
    listener: TcpListener,
    endpoint: BoxEndpoint<'static, Response>,
    limits: ConnectionLimits,
    stop: impl Future<Output = ()>,
) {
    let (phases, phase) = watch::channel(Phase::Serving);
    let server = Server {
        shared: ServerState {
            endpoint: Arc::new(endpoint),
            limits,
            in_flight: Arc::new(InFlight::new(limits.process_bytes)),
            phase,
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
    let _ = tokio::time::timeout(closing::HALF_MADE, server.accept_queued(&listener)).await;
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
    in_flight: Arc<InFlight>,
    phase: watch::Receiver<Phase>,
}

impl Server {
    fn take(&self, stream: TcpStream, remote: SocketAddr) {
        let Some(place) = self.slots.take(remote.ip()) else {
            self.refusals.refuse(stream);
            return;
        };
        let shared = self.shared.clone();
        tokio::spawn(async move {
            serve_connection(stream, remote, shared).await;
            drop(place);
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

/// Serves the requests of one connection.
async fn serve_connection(stream: TcpStream, remote: SocketAddr, server: ServerState) {
    // A response is written whole; Nagle's algorithm would only delay it.
    let _ = stream.set_nodelay(true);
    let (limits, mut phase) = (server.limits, server.phase.clone());
    let activity = Arc::new(Activity::new(limits, server.in_flight.clone()));
    let patience = Patience::default();
    let answering = Arc::new(Answering {
        local: stream
            .local_addr()
            .map_or_else(|_| Addr::default(), Addr::from),
        remote,
        endpoint: server.endpoint,
        phase: server.phase,
        patience: patience.clone(),
    });
    let requests = activity.clone();
    let service = service_fn(move |request| {
        let (answering, open) = (answering.clone(), requests.open());
        async move { answering.answer(request, open).await }
    });
    let builder = builder();
    let stream = Explained::new(Watched::new(stream, limits, patience));
    let connection = builder.serve_connection(TokioIo::new(stream), service);
    tokio::pin!(connection);
    let given_up = tokio::select! {
        _ = connection.as_mut() => return,
        why = activity.given_up() => Some(why),
        _ = phase.wait_for(|phase| *phase != Phase::Serving) => None,
    };
    match given_up {
        // Close without lingering: unsent data would stay in memory.
        Some(GivenUp::Stalled) => return,
        Some(GivenUp::Unused) => {}
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
        () = tokio::time::sleep(LINGER), if given_up.is_some() => {}
        _ = phase.wait_for(|phase| *phase == Phase::Over) => {}
    }
}

/// hyper's own timeout for the request head also runs between requests, and closes silently
/// before the first byte. `Watched` and `Activity` enforce the limits instead.
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
        .max_concurrent_streams(STREAMS)
        .max_header_list_size(16 * 1024);
    builder
}
