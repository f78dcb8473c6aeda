//! Handles one request of a connection.

use std::net::SocketAddr;
use std::sync::Arc;

use hyper::body::Incoming;
use poem::endpoint::BoxEndpoint;
use poem::http::uri::Scheme;
use poem::http::{HeaderValue, Version, header};
use poem::web::{LocalAddr, RemoteAddr};
use poem::{Addr, Endpoint, Response};
use tokio::net::TcpStream;
use tokio::sync::watch;

use super::activity::OpenRequest;
use super::outgoing::{OutgoingBody, announced};
use super::{LongRequests, Phase};
use crate::web::address::is_authority;
use crate::web::{failures, headers};
use contract::problem::Problem;

const INVALID_HOST: &str = "The request does not name a valid host";

type IncomingRequest = hyper::Request<Incoming>;

/// Closes the connection without a response; also marks a response that must not be sent.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("the connection is closed without a response")]
pub struct ConnectionDropped;

/// The other end of a connection.
pub struct Peer {
    pub local: Addr,
    pub remote: SocketAddr,
    pub scheme: Scheme,
    pub long_requests: LongRequests,
}

impl Peer {
    pub fn new(stream: &TcpStream, remote: SocketAddr) -> Self {
        let local = stream.local_addr();
        Self {
            local: local.map_or_else(|_| Addr::default(), Addr::from),
            remote,
            scheme: Scheme::HTTP,
            long_requests: LongRequests::default(),
        }
    }
}

pub struct Answering {
    pub peer: Peer,
    pub endpoint: Arc<BoxEndpoint<'static, Response>>,
    pub phase: watch::Receiver<Phase>,
}

impl Answering {
    /// Answers a request. During shutdown, the response closes the connection, so that the
    /// next request goes elsewhere.
    pub async fn answer(
        &self,
        request: IncomingRequest,
        open: OpenRequest,
    ) -> Result<hyper::Response<OutgoingBody>, ConnectionDropped> {
        let persistent = request.version() == Version::HTTP_11;
        let safe = request.method().is_safe();
        let mut answer = match wrong_host(&request) {
            Some(reason) => refuse_host(reason),
            None if !open.has_room() => overloaded(),
            None => self.endpoint.get_response(self.arrived(request)).await,
        };
        if let Some(dropped) = answer.data::<ConnectionDropped>() {
            return Err(*dropped);
        }
        if persistent && *self.phase.borrow() != Phase::Serving {
            let close = HeaderValue::from_static("close");
            answer.headers_mut().insert(header::CONNECTION, close);
        }
        let mut answer: hyper::Response<_> = answer.into();
        let bytes = announced(answer.body());
        // A write must be acknowledged even if there is no room.
        if safe && !open.try_reserve(bytes) {
            answer = overloaded().into();
            open.reserve(announced(answer.body()));
        } else if !safe {
            open.reserve(bytes);
        }
        Ok(answer.map(|body| OutgoingBody::new(body, open)))
    }

    fn arrived(&self, request: IncomingRequest) -> poem::Request {
        let peer = &self.peer;
        let local = LocalAddr(peer.local.clone());
        let remote = RemoteAddr(Addr::from(peer.remote));
        let mut request: poem::Request = (request, local, remote, peer.scheme.clone()).into();
        request.extensions_mut().insert(peer.long_requests.clone());
        request
    }
}

/// RFC 9112, 3.2: an HTTP/1.1 request must have exactly one Host. With two, proxies and
/// servers may choose differently. An invalid one must not pass for one that is absent.
fn wrong_host(request: &IncomingRequest) -> Option<&'static str> {
    let mut hosts = request.headers().get_all(header::HOST).iter();
    match (hosts.next(), hosts.next()) {
        (None, _) if request.version() == Version::HTTP_11 => {
            Some("The request has no Host header")
        }
        (_, Some(_)) => Some("The request has more than one Host header"),
        (Some(host), None) if !host.to_str().is_ok_and(is_authority) => Some(INVALID_HOST),
        _ => {
            let authority = request.uri().authority();
            let invalid = authority.is_some_and(|authority| !is_authority(authority.as_str()));
            invalid.then_some(INVALID_HOST)
        }
    }
}

/// Closes the connection: further requests on it cannot be trusted either.
fn refuse_host(reason: &'static str) -> Response {
    let problem = Problem::BadRequest(reason.into());
    let mut answer = headers::harden(failures::response(&problem, None));
    let close = HeaderValue::from_static("close");
    answer.headers_mut().insert(header::CONNECTION, close);
    answer
}

/// Too many response bytes are pending, on this connection or in total.
fn overloaded() -> Response {
    let problem = Problem::Unavailable("too many response bytes are pending".into());
    headers::harden(failures::response(&problem, None))
}
