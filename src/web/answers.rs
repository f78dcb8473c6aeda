//! Cached responses to GET requests (`cache.rs`), reused byte for byte while the aggregates
//! they depend on are unchanged. Per-request parts are not cached: the rate limit, the
//! request id, the expiry of the token.
//!
//! An operation is not `cached` if it depends on the time (`get_zen`) or the budget
//! (`get_rate_limit`), is authenticated by a signed app token, or reads many accounts
//! (`list_user_installations`). All others depend only on the request, the caller, the
//! database and the day. The request, the credential and the day are the key; the caller
//! and the database are dependencies. A response that will change soon without a write says
//! so (`Reply::uncacheable`), and is not reused.

use bytes::Bytes;
use poem::http::{HeaderMap, StatusCode};
use poem::{Body, Response};
use poem_openapi::OperationId;

use crate::web::address::RequestUrl;
use crate::web::compression::Encoding;
use contract::media::{Form, Media};
use contract::operation::Operation;
use contract::reply::{Streamed, Uncacheable};
use contract::version::ApiVersion;
use forge::access::credential::Credential;
use storage::cache::{CacheKind, Key, Weigh};

const SECONDS_OF_A_DAY: i64 = 86_400;

/// Bytes that a header takes besides its name and value.
const HEADER: usize = 128;

/// Headers that each request adds to a copy, whose hash table then has room for them.
const PER_REQUEST: usize = 8;

/// A response to a GET, without its per-request headers.
#[derive(Debug)]
pub struct Answer {
    pub operation: Option<&'static Operation>,
    status: StatusCode,
    headers: HeaderMap,
    body: Bytes,
    streamed: Option<Streamed>,
    reusable: bool,
}

impl Answer {
    /// Builds it from a response and its whole body.
    pub fn of(response: &Response, body: Bytes) -> Self {
        let operation = response.data::<OperationId>();
        let operation = operation.and_then(|id| contract::operation(id.0));
        let streamed = response.data::<Streamed>().cloned();
        let mut headers = response.headers().clone();
        headers.reserve(PER_REQUEST);
        Self {
            operation,
            status: response.status(),
            headers,
            body,
            // The data of a streamed list is cached separately.
            reusable: operation.is_some_and(|operation| operation.cached)
                && response.status() == StatusCode::OK
                && response.data::<Uncacheable>().is_none()
                && streamed.is_none(),
            streamed,
        }
    }

    pub fn response(&self) -> Response {
        let body = Body::from_bytes(self.body.clone());
        let mut response = Response::builder().status(self.status).body(body);
        response.headers_mut().clone_from(&self.headers);
        if let Some(streamed) = &self.streamed {
            response.set_data(streamed.clone());
        }
        response
    }
}

impl Weigh for Answer {
    fn heap_bytes(&self) -> usize {
        let headers = self.headers.iter();
        let headers = headers.map(|(name, value)| name.as_str().len() + value.len() + HEADER);
        self.body.len() + headers.sum::<usize>()
    }

    fn is_reusable(&self) -> bool {
        self.reusable
    }
}

/// The representation that a request asks for.
#[derive(Debug, Clone, Copy)]
pub struct Representation {
    pub media: Media,
    pub form: Option<Form>,
    pub version: ApiVersion,
    pub encoding: Option<Encoding>,
    pub indented: bool,
}

/// The cache key: everything in the request that an operation sees, and the day. None for
/// apps, which sign a new token for each request.
pub fn key(
    credential: &Credential<'_>,
    form: Representation,
    address: &RequestUrl,
    now: i64,
) -> Option<Key> {
    let credential = match credential {
        Credential::None => "",
        Credential::Token(hash) => hash,
        Credential::Jwt(_) => return None,
    };
    let key = Key::of(CacheKind::Answer)
        .text(credential)
        .number(now.div_euclid(SECONDS_OF_A_DAY))
        .number(form.media as i64)
        .number(form.form.map_or(0, |form| 1 + form as i64))
        .number(form.version as i64)
        .number(form.encoding.map_or(0, |encoding| 1 + encoding as i64))
        .number(form.indented.into());
    // The parts come from the request head, so none contains a NUL.
    let parts = [
        &address.origin,
        address.prefix,
        &address.path,
        &address.query,
    ];
    Some(parts.into_iter().fold(key, Key::text))
}
