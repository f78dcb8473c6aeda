//! Answers to GET requests that are given out again, byte for byte, while the
//! aggregates that they were computed from have not changed (`cache.rs`). What
//! belongs to a single request is not part of them: the budget, the request's id,
//! whether the token has expired.
//!
//! Not declared `cached` is what depends on the time (`get_zen`), on the budget
//! (`get_rate_limit`), is signed by an app, or reads from the accounts of many others
//! (`list_user_installations`). Any other answers from the request, the caller, the database and the
//! day, and from nothing else. The request, the credential and the day are the key;
//! the caller and the database are dependencies. An answer that will change soon
//! although nothing is written says so (`Reply::uncacheable`), and is not reused.

use bytes::Bytes;
use poem::http::{HeaderMap, StatusCode};
use poem::{Body, Response};
use poem_openapi::OperationId;

use crate::access::credential::Credential;
use crate::cache::{CacheKind, Key, Weigh};
use crate::contract;
use crate::contract::media::Media;
use crate::contract::operation::Operation;
use crate::contract::reply::{Streamed, Uncacheable};
use crate::contract::version::ApiVersion;
use crate::web::address::Address;
use crate::web::compression::Encoding;

const SECONDS_OF_A_DAY: i64 = 86_400;

/// Bytes that a header takes beside its name and its value.
const HEADER: usize = 128;

/// An answer to a GET, with all of its headers but those of the one request.
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
    /// Takes an answer apart. `body` is all of its body.
    pub fn of(response: &Response, body: Bytes) -> Self {
        let operation = response.data::<OperationId>();
        let operation = operation.and_then(|id| contract::operation(id.0));
        let streamed = response.data::<Streamed>().cloned();
        Self {
            operation,
            status: response.status(),
            headers: response.headers().clone(),
            body,
            // What it is made of is cached already.
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

/// In which form a request wants its answer.
#[derive(Debug, Clone, Copy)]
pub struct Form {
    pub media: Media,
    pub version: ApiVersion,
    pub encoding: Option<Encoding>,
    pub indented: bool,
}

/// Which answer: all of the request that an operation sees, and the day. None for
/// apps, which prove who they are anew with each request.
pub fn key(credential: &Credential<'_>, form: Form, address: &Address, now: i64) -> Option<Key> {
    let credential = match credential {
        Credential::None => "",
        Credential::Token(hash) => hash,
        Credential::Jwt(_) => return None,
    };
    let key = Key::of(CacheKind::Answer)
        .text(credential)
        .number(now.div_euclid(SECONDS_OF_A_DAY))
        .number(form.media as i64)
        .number(form.version as i64)
        .number(form.encoding.map_or(0, |encoding| 1 + encoding as i64))
        .number(form.indented.into());
    // None of the parts can hold a NUL: they come from a request's head.
    let parts = [
        &address.origin,
        address.prefix,
        &address.path,
        &address.query,
    ];
    Some(parts.into_iter().fold(key, Key::text))
}
