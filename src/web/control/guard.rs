//! Who may use the control API.

use poem::http::{HeaderMap, HeaderValue, header};
use subtle::ConstantTimeEq;

use super::page::{PageToken, is_from_browser};
use crate::web::address;
use contract::problem::Problem;
use contract::reply::Outcome;
use forge::access::authorization::{Presented, presented};
use forge::tokens;

/// Headers by which a proxy names the client that it forwards a request of.
const FORWARDING: [&str; 4] = [
    "forwarded",
    "x-forwarded-for",
    "x-forwarded-host",
    "x-real-ip",
];

/// The access control of the control API.
#[derive(Debug, Clone)]
pub enum ControlGuard {
    /// Every client of a loopback address, except pages of other sites.
    Loopback,
    /// Clients with the token of this hash.
    Token(String),
}

impl ControlGuard {
    pub fn token(value: &str) -> Self {
        Self::Token(tokens::hash(value))
    }

    /// Admits a program, and a page of this server by its token. `authority` is the host that the
    /// request names.
    pub(super) fn admit(
        &self,
        headers: &HeaderMap,
        authority: Option<&str>,
        origin: &str,
        pages: &PageToken,
    ) -> Outcome<()> {
        require_own_origin(headers, origin)?;
        self.require_this_machine(headers, authority)?;
        if is_from_browser(headers) && !pages.is_in(headers) {
            return Err(Problem::Forbidden(
                "The control API accepts requests of a browser only from the pages of this \
                 server. Reload the page"
                    .into(),
            ));
        }
        let Self::Token(hash) = self else {
            return Ok(());
        };
        match headers.get(header::AUTHORIZATION) {
            Some(presented_token) if is_token(presented_token, hash) => Ok(()),
            Some(_) => Err(Problem::BAD_CREDENTIALS),
            None => Err(Problem::Unauthenticated),
        }
    }

    /// Without a token, requests must come from this machine and name it: a page of another site
    /// can make its own host name resolve to this machine, and a proxy on this machine forwards
    /// the requests of others. No browser omits the host.
    pub(super) fn require_this_machine(
        &self,
        headers: &HeaderMap,
        authority: Option<&str>,
    ) -> Outcome<()> {
        if matches!(self, Self::Token(_)) {
            return Ok(());
        }
        if !authority.is_none_or(address::is_loopback) {
            return Err(Problem::Forbidden(
                "The control API is only served at a loopback address, such as localhost".into(),
            ));
        }
        match FORWARDING.iter().any(|name| headers.contains_key(*name)) {
            true => Err(Problem::Forbidden(
                "The control API is not served through a proxy unless it has a token: start the \
                 server with --control-token"
                    .into(),
            )),
            false => Ok(()),
        }
    }
}

/// Rejects requests from pages of other sites.
pub(super) fn require_own_origin(headers: &HeaderMap, origin: &str) -> Outcome<()> {
    let from = headers.get(header::ORIGIN);
    match from.is_none_or(|from| from.as_bytes() == origin.as_bytes()) {
        true => Ok(()),
        false => Err(Problem::Forbidden(
            "The control API rejects requests from pages of other sites".into(),
        )),
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

#[cfg(test)]
mod tests {
    use poem::http::HeaderName;

    use super::*;

    fn admitted(guard: &ControlGuard, host: &str, headers: &[(&'static str, &str)]) -> bool {
        let headers: HeaderMap = headers
            .iter()
            .map(|(name, value)| {
                let value = HeaderValue::from_str(value).unwrap();
                (HeaderName::from_static(name), value)
            })
            .collect();
        let origin = format!("http://{host}");
        let pages = PageToken::fixed("page");
        guard.admit(&headers, Some(host), &origin, &pages).is_ok()
    }

    #[test]
    fn on_loopback_every_program_is_admitted_and_no_page_without_its_token() {
        let guard = ControlGuard::Loopback;
        let page = ("x-forgewright-page", "page");
        for host in ["127.0.0.1:8080", "[::1]:1", "localhost"] {
            let origin = ("origin", &*format!("http://{host}"));
            let same_origin = ("sec-fetch-site", "same-origin");
            assert!(admitted(&guard, host, &[]), "{host}");
            assert!(admitted(&guard, host, &[origin, page]), "{host}");
            assert!(admitted(&guard, host, &[same_origin, page]), "{host}");
            let other = ("x-forgewright-page", "pag3");
            for headers in [&[origin][..], &[same_origin], &[origin, other]] {
                assert!(!admitted(&guard, host, headers), "{host} {headers:?}");
            }
        }
        let host = "127.0.0.1:8080";
        for elsewhere in [
            ("origin", "https://evil.example"),
            ("origin", "http://127.0.0.1:8081"),
            ("origin", "null"),
        ] {
            assert!(!admitted(&guard, host, &[elsewhere, page]), "{elsewhere:?}");
        }
        for site in ["cross-site", "same-site", "none"] {
            assert!(
                !admitted(&guard, host, &[("sec-fetch-site", site)]),
                "{site}"
            );
        }
        for host in ["rebound.example:8080", "a!b.evil.example", ""] {
            assert!(!admitted(&guard, host, &[]), "{host}");
        }
        for name in FORWARDING {
            assert!(
                !admitted(&guard, "127.0.0.1:8080", &[(name, "203.0.113.9")]),
                "{name}"
            );
        }
    }

    #[test]
    fn with_a_token_nobody_is_admitted_without_it() {
        let guard = ControlGuard::token("secret");
        let (host, page) = ("forge.example", ("x-forgewright-page", "page"));
        let secret = ("authorization", "Bearer secret");
        let origin = ("origin", "http://forge.example");
        assert!(admitted(&guard, host, &[secret]));
        assert!(admitted(
            &guard,
            host,
            &[secret, ("x-forwarded-for", "203.0.113.9")]
        ));
        assert!(admitted(&guard, host, &[secret, origin, page]));
        assert!(!admitted(&guard, host, &[secret, origin]));
        for headers in [&[][..], &[("authorization", "Bearer other")], &[page]] {
            assert!(!admitted(&guard, host, headers));
            assert!(!admitted(&guard, "127.0.0.1", headers));
        }
    }
}
