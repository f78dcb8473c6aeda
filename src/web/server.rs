//! Connections: so many at a time, each with limits to how long it may take to
//! say something, and at the end those that are busy are let finish.
//!
//! poem's own server waits for ever for the rest of a header and takes any number
//! of connections, so hyper is driven from here. What a request means is not
//! known here.

mod activity;
mod answering;
mod closing;
mod explained;
mod in_flight;
mod limits;
mod outgoing;
mod places;
mod refusal;
#[cfg(test)]
mod tests;
mod watched;

use std::convert::Infallible;
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
use explained::Explained;
use in_flight::InFlight;
pub use limits::Limits;
use places::Places;
use refusal::Refusals;
use watched::Watched;

/// How often an HTTP/2 connection is asked whether somebody is there.
const HEARTBEAT: Duration = Duration::from_secs(20);

/// Bytes of headers that are read, and of anything else that is buffered.
const BUFFER: usize = 64 * 1024;

/// Requests that one HTTP/2 connection may have open at a time.
const STREAMS: u32 = 100;

/// How long to leave the listener alone after it failed: there may be no
/// descriptor left, and asking again at once would only burn time.
const RECOVERY: Duration = Duration::from_millis(50);

/// How long a connection on which nothing is being asked is kept when the server
/// ends: a request may be on its way, and would be lost. The peer of one that is
/// closed for being idle has as long to hear of it. A connection on which nothing was
/// ever asked was made for a request that is about to come, on a busy machine later.
const LINGER: Duration = Duration::from_secs(1);
const LINGER_FOR_THE_FIRST: Duration = Duration::from_secs(3);

/// How a server ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Serving,
    /// No new requests; those in flight go on.
    Finishing,
    /// Not even those.
    Over,
}

/// Serves until it is told to stop, and then for as long as the limits allow to
/// finish what is in flight.
pub async fn serve(
    listener: TcpListener,
    endpoint: BoxEndpoint<'static, Response>,
    limits: Limits,
    stop: impl Future<Output = ()>,
) {
    let (tell, phase) = watch::channel(Phase::Serving);
    let server = Server {
        shared: Shared {
            endpoint: Arc::new(endpoint),
            limits,
            in_flight: Arc::new(InFlight::new(limits.process_bytes)),
            phase,
        },
        places: Places::new(&limits),
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
    // Whoever is answered from here on hears that the connection ends.
    tell.send_replace(Phase::Finishing);
    closing::refuse_new(&listener);
    let _ = tokio::time::timeout(closing::HALF_MADE, server.take_waiting(&listener)).await;
    drop(listener);
    server.places.all_free(limits.shutdown_grace).await;
    tell.send_replace(Phase::Over);
}

struct Server {
    shared: Shared,
    places: Places,
    refusals: Refusals,
}

/// What all connections have in common.
#[derive(Clone)]
struct Shared {
    endpoint: Arc<BoxEndpoint<'static, Response>>,
    limits: Limits,
    in_flight: Arc<InFlight>,
    phase: watch::Receiver<Phase>,
}

impl Server {
    fn take(&self, stream: TcpStream, remote: SocketAddr) {
        let Some(place) = self.places.take(remote.ip()) else {
            self.refusals.refuse(stream);
            return;
        };
        let shared = self.shared.clone();
        tokio::spawn(async move {
            converse(stream, remote, shared).await;
            drop(place);
        });
    }

    /// Whoever is in the queue of the listener has asked in time, and would be cut
    /// off when it closes.
    async fn take_waiting(&self, listener: &TcpListener) {
        while let Ok((stream, remote)) = listener.accept().await {
            self.take(stream, remote);
        }
    }
}

/// Answers one request after the other, until either side has enough.
async fn converse(stream: TcpStream, remote: SocketAddr, server: Shared) {
    // An answer goes out whole; waiting for more to send would only delay it.
    let _ = stream.set_nodelay(true);
    let (limits, mut phase) = (server.limits, server.phase.clone());
    let activity = Arc::new(Activity::new(limits, server.in_flight.clone()));
    let answering = Arc::new(Answering {
        local: stream
            .local_addr()
            .map_or_else(|_| Addr::default(), Addr::from),
        remote,
        endpoint: server.endpoint,
        phase: server.phase,
    });
    let requests = activity.clone();
    let service = service_fn(move |request| {
        let (answering, open) = (answering.clone(), requests.open());
        async move { Ok::<_, Infallible>(answering.answer(request, open).await) }
    });
    let builder = builder();
    let stream = Explained::new(Watched::new(stream, limits));
    let connection = builder.serve_connection(TokioIo::new(stream), service);
    tokio::pin!(connection);
    let given_up = tokio::select! {
        _ = connection.as_mut() => return,
        why = activity.given_up() => Some(why),
        _ = phase.wait_for(|phase| *phase != Phase::Serving) => None,
    };
    match given_up {
        // What nobody takes would go on being held.
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

/// hyper's own timeout for the head of a request also runs between requests, and is
/// silent before the first byte. `Watched` and `Activity` have the limits instead.
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
