//! Connections: so many at a time, each with limits to how long it may take to
//! say something, and at the end those that are busy are let finish.
//!
//! poem's own server waits for ever for the rest of a header and takes any number
//! of connections, so hyper is driven from here. What a request means is not
//! known here.

mod activity;
mod explained;
mod limits;
mod places;
mod refusal;
#[cfg(test)]
mod tests;
mod watched;

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use poem::endpoint::BoxEndpoint;
use poem::http::uri::Scheme;
use poem::http::{HeaderValue, Version, header};
use poem::web::{LocalAddr, RemoteAddr};
use poem::{Addr, Endpoint, Response};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

use super::{failures, headers};
use crate::contract::problem::Problem;
use activity::{Activity, Outgoing};
use explained::Explained;
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

/// How long those are taken who were connected before the listener closes, and
/// how long it must be quiet until it does.
const LAST_CALL: Duration = Duration::from_millis(100);
const QUIET: Duration = Duration::from_millis(1);

/// How long a connection on which nothing is being asked is kept when the server
/// ends: a request may be on its way, and would be lost. The peer of one that is
/// closed for being idle has as long to hear of it.
const LINGER: Duration = Duration::from_secs(1);

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
        endpoint: Arc::new(endpoint),
        limits,
        places: Places::new(&limits),
        refusals: Refusals::new(),
        phase,
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
    let _ = tokio::time::timeout(LAST_CALL, server.take_waiting(&listener)).await;
    drop(listener);
    tell.send_replace(Phase::Finishing);
    server.places.all_free(limits.shutdown_grace).await;
    tell.send_replace(Phase::Over);
}

struct Server {
    endpoint: Arc<BoxEndpoint<'static, Response>>,
    limits: Limits,
    places: Places,
    refusals: Refusals,
    phase: watch::Receiver<Phase>,
}

impl Server {
    fn take(&self, stream: TcpStream, remote: SocketAddr) {
        let Some(place) = self.places.take(remote.ip()) else {
            self.refusals.refuse(stream);
            return;
        };
        let (endpoint, phase) = (self.endpoint.clone(), self.phase.clone());
        let limits = self.limits;
        tokio::spawn(async move {
            converse(stream, remote, limits, endpoint, phase).await;
            drop(place);
        });
    }

    /// Whoever is in the queue of the listener has asked in time, and would be cut
    /// off when it closes.
    async fn take_waiting(&self, listener: &TcpListener) {
        while let Ok(Ok((stream, remote))) = tokio::time::timeout(QUIET, listener.accept()).await {
            self.take(stream, remote);
        }
    }
}

/// Answers one request after the other, until either side has enough.
async fn converse(
    stream: TcpStream,
    remote: SocketAddr,
    limits: Limits,
    endpoint: Arc<BoxEndpoint<'static, Response>>,
    mut phase: watch::Receiver<Phase>,
) {
    // An answer goes out whole; waiting for more to send would only delay it.
    let _ = stream.set_nodelay(true);
    let local = stream
        .local_addr()
        .map_or_else(|_| Addr::default(), Addr::from);
    let ending = phase.clone();
    let activity = Arc::new(Activity::new(limits));
    let requests = activity.clone();
    let service = service_fn(move |request| {
        let from = (LocalAddr(local.clone()), RemoteAddr(Addr::from(remote)));
        let (endpoint, ending, open) = (endpoint.clone(), ending.clone(), requests.open());
        async move {
            let answer = answer(request, from, endpoint, ending).await;
            let answer: hyper::Response<_> = answer.into();
            Ok::<_, Infallible>(answer.map(|body| Outgoing::new(body, open)))
        }
    });
    let builder = builder();
    let stream = Explained::new(Watched::new(stream, limits));
    let connection = builder.serve_connection(TokioIo::new(stream), service);
    tokio::pin!(connection);
    let unused = tokio::select! {
        _ = connection.as_mut() => return,
        () = activity.unused() => true,
        _ = phase.wait_for(|phase| *phase != Phase::Serving) => false,
    };
    if !unused {
        tokio::select! {
            _ = connection.as_mut() => return,
            () = tokio::time::sleep(LINGER) => {}
        }
    }
    connection.as_mut().graceful_shutdown();
    tokio::select! {
        _ = connection.as_mut() => {}
        () = tokio::time::sleep(LINGER), if unused => {}
        _ = phase.wait_for(|phase| *phase == Phase::Over) => {}
    }
}

/// Answers a request. When the server ends, the answer says that it is the last
/// on this connection, so that the next request goes elsewhere.
async fn answer(
    request: hyper::Request<Incoming>,
    (local, remote): (LocalAddr, RemoteAddr),
    endpoint: Arc<BoxEndpoint<'static, Response>>,
    phase: watch::Receiver<Phase>,
) -> Response {
    let persistent = request.version() == Version::HTTP_11;
    if let Some(reason) = wrong_host(&request) {
        return refuse(reason);
    }
    let request = (request, local, remote, Scheme::HTTP).into();
    let mut answer = endpoint.get_response(request).await;
    if persistent && *phase.borrow() != Phase::Serving {
        let close = HeaderValue::from_static("close");
        answer.headers_mut().insert(header::CONNECTION, close);
    }
    answer
}

/// RFC 9112, 3.2: a request of HTTP/1.1 names its host, and none names two, which
/// proxies and servers would choose from differently.
fn wrong_host(request: &hyper::Request<Incoming>) -> Option<&'static str> {
    let mut hosts = request.headers().get_all(header::HOST).iter();
    match (hosts.next(), hosts.next()) {
        (None, _) if request.version() == Version::HTTP_11 => {
            Some("The request has no Host header")
        }
        (_, Some(_)) => Some("The request has more than one Host header"),
        _ => None,
    }
}

/// What follows such a request on its connection cannot be trusted either.
fn refuse(reason: &'static str) -> Response {
    let problem = Problem::BadRequest(reason.into());
    let mut answer = headers::harden(failures::response(&problem, None));
    let close = HeaderValue::from_static("close");
    answer.headers_mut().insert(header::CONNECTION, close);
    answer
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
