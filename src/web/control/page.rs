//! The token with which the pages of this server, the console and the documentation, use the
//! control API. Every client may fetch it, except pages of other sites: it proves only that a
//! request does not come from one of those.

use poem::http::{HeaderMap, header};
use poem::{Request, Response};
use subtle::ConstantTimeEq;

use super::guard::{ControlGuard, require_own_origin};
use crate::web::address;
use contract::problem::Problem;
use contract::reply::Outcome;
use storage::entropy::Entropy;

/// The header with the token.
const HEADER: &str = "x-forgewright-page";

/// How a browser names the relation of the page that sends a request. Pages cannot set it.
const SITE: &str = "sec-fetch-site";

/// A random token of this process.
pub struct PageToken(String);

impl PageToken {
    pub fn new(entropy: &dyn Entropy) -> Self {
        let mut bytes = [0; 32];
        entropy.fill(&mut bytes);
        Self(hex::encode(bytes))
    }

    #[cfg(test)]
    pub fn fixed(value: &str) -> Self {
        Self(value.to_owned())
    }

    /// Whether a request has the token.
    pub fn is_in(&self, headers: &HeaderMap) -> bool {
        let sent = headers.get(HEADER);
        sent.is_some_and(|sent| sent.as_bytes().ct_eq(self.0.as_bytes()).into())
    }

    /// `GET /console/token`, for a page of this server.
    pub fn answer(&self, request: &Request, guard: &ControlGuard) -> Outcome<Response> {
        let headers = request.headers();
        require_own_origin(headers, &address::origin(request))?;
        guard.require_this_machine(headers, address::authority(request))?;
        if headers.get(SITE).is_some_and(|site| site != "same-origin") {
            return Err(Problem::Forbidden(
                "Only pages of this server may fetch their token".into(),
            ));
        }
        Ok(Response::builder()
            .content_type("text/plain; charset=utf-8")
            .header(header::CACHE_CONTROL, "no-store")
            .header("cross-origin-resource-policy", "same-origin")
            .body(self.0.clone()))
    }
}

/// Whether a browser sent a request for a page. Programs send neither header.
pub fn is_from_browser(headers: &HeaderMap) -> bool {
    headers.contains_key(header::ORIGIN) || headers.contains_key(SITE)
}
