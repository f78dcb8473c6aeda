//! The entry to the control API: access control, the time limit, and errors. Unlike the
//! forge's API it is closed to other sites, because on loopback it may need no credential.

use std::sync::Arc;
use std::time::Duration;

use poem::endpoint::BoxEndpoint;
use poem::http::{HeaderMap, HeaderValue, header};
use poem::{Endpoint, EndpointExt, IntoEndpoint, Request, Response, Result};
use poem_openapi::OpenApiService;
use subtle::ConstantTimeEq;
use url::Url;

use super::server::LongRequests;
use super::{address, arrival, failures};
use crate::access::authorization::{Presented, presented};
use crate::contract::control::ControlCall;
use crate::contract::problem::Problem;
use crate::control;
use crate::heavy::RequestMemory;
use crate::tokens;
use crate::worlds::Worlds;

/// The time limit of a request. A request that waits for an event ends before.
const CONTROL_TIMEOUT: Duration = Duration::from_secs(90);

/// The access control of the control API.
#[derive(Debug, Clone)]
pub enum ControlGuard {
    /// Every client of the loopback address, except pages of other sites.
    Loopback,
    /// Clients with the token of this hash.
    Token(String),
}

impl ControlGuard {
    pub fn token(value: &str) -> Self {
        Self::Token(tokens::hash(value))
    }

    fn admit(&self, headers: &HeaderMap, origin: &str) -> Result<(), Problem> {
        if let Some(from) = headers.get(header::ORIGIN)
            && from.as_bytes() != origin.as_bytes()
        {
            return Err(Problem::Forbidden(
                "The control API rejects requests from pages of other sites".into(),
            ));
        }
        match self {
            Self::Loopback if is_loopback(origin) => Ok(()),
            Self::Loopback => Err(Problem::Forbidden(
                "The control API is only served at a loopback address, such as localhost".into(),
            )),
            Self::Token(hash) => match headers.get(header::AUTHORIZATION) {
                Some(presented_token) if is_token(presented_token, hash) => Ok(()),
                Some(_) => Err(Problem::BAD_CREDENTIALS),
                None => Err(Problem::Unauthenticated),
            },
        }
    }
}

fn is_token(header: &HeaderValue, hash: &str) -> bool {
    let Some(Presented::Token(value)) = presented(header.as_bytes()) else {
        return false;
    };
    tokens::hash(&value)
        .as_bytes()
        .ct_eq(hash.as_bytes())
        .into()
}

/// Whether an origin names this machine. A page of another site can make its own host name
/// resolve to this machine, but not these names.
fn is_loopback(origin: &str) -> bool {
    let url = Url::parse(origin).ok();
    match url.as_ref().and_then(Url::host) {
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        Some(url::Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        None => false,
    }
}

/// The endpoint of the control API.
pub struct ControlEdge {
    operations: BoxEndpoint<'static, Response>,
    guard: ControlGuard,
    memory: Arc<RequestMemory>,
}

impl ControlEdge {
    pub fn new(worlds: &Arc<Worlds>, guard: ControlGuard) -> Self {
        let service = OpenApiService::new(control::all(worlds), "Forgewright control", "1");
        Self {
            operations: service.into_endpoint().map_to_response().boxed(),
            guard,
            memory: worlds.memory().clone(),
        }
    }

    async fn answer(&self, mut request: Request) -> Result<Response, poem::Error> {
        // A request may wait longer than others until its response begins.
        let _long_request = request
            .extensions()
            .get::<LongRequests>()
            .map(LongRequests::begin);
        let origin = address::origin(&request);
        self.guard.admit(request.headers(), &origin)?;
        request.extensions_mut().insert(ControlCall {
            origin: origin.into(),
        });
        let rest = arrival::receive(&mut request, &self.memory).await?;
        let answer = tokio::time::timeout(CONTROL_TIMEOUT, self.operations.call(request)).await;
        rest.discard().await;
        answer.unwrap_or_else(|elapsed| Err(Problem::Unavailable(elapsed.into()).into()))
    }
}

impl Endpoint for ControlEdge {
    type Output = Response;

    async fn call(&self, request: Request) -> Result<Response> {
        let mut response = match self.answer(request).await {
            Ok(response) => response,
            Err(mut error) => {
                let (problem, _) = failures::take_problem(&mut error);
                if problem.status().is_server_error() {
                    let cause = std::error::Error::source(&problem).map(ToString::to_string);
                    tracing::error!(cause, "control: {problem}");
                }
                failures::response(&problem, None)
            }
        };
        let never = HeaderValue::from_static("no-store");
        response.headers_mut().insert(header::CACHE_CONTROL, never);
        Ok(super::headers::harden(response))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn admitted(guard: &ControlGuard, origin: &str, headers: &[(&'static str, &str)]) -> bool {
        let headers = headers.iter().map(|(name, value)| {
            let name = poem::http::HeaderName::from_static(name);
            (name, HeaderValue::from_str(value).unwrap())
        });
        guard.admit(&headers.collect(), origin).is_ok()
    }

    #[test]
    fn on_loopback_everybody_is_admitted_but_pages_of_other_sites() {
        let guard = ControlGuard::Loopback;
        for origin in [
            "http://127.0.0.1:8080",
            "http://[::1]:1",
            "http://localhost",
        ] {
            assert!(admitted(&guard, origin, &[]), "{origin}");
            assert!(admitted(&guard, origin, &[("origin", origin)]), "{origin}");
        }
        let elsewhere = [("origin", "https://evil.example")];
        assert!(!admitted(&guard, "http://127.0.0.1:8080", &elsewhere));
        assert!(!admitted(
            &guard,
            "http://127.0.0.1:8080",
            &[("origin", "null")]
        ));
        assert!(!admitted(&guard, "http://rebound.example:8080", &[]));
    }

    #[test]
    fn with_a_token_nobody_is_admitted_without_it() {
        let guard = ControlGuard::token("secret");
        let origin = "http://forge.example";
        assert!(admitted(
            &guard,
            origin,
            &[("authorization", "Bearer secret")]
        ));
        for headers in [&[][..], &[("authorization", "Bearer other")]] {
            assert!(!admitted(&guard, origin, headers));
            assert!(!admitted(&guard, "http://127.0.0.1", headers));
        }
    }
}
