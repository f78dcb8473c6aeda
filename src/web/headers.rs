//! The headers of every API response: caller, rate limit, version, and instructions for
//! browsers and caches.

use poem::Response;
use poem::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use time::macros::format_description;

use crate::web::compression::Encoding;
use contract::caller::Caller;
use contract::lookups::RateBudget;
use contract::operation::{Operation, Rule};
use contract::reply::http_date;
use contract::version::ApiVersion;
use storage::clock::{Clock, ControlledClock};

/// Request facts for headers, log and metrics.
#[derive(Debug, Default)]
pub struct Facts {
    pub request_id: String,
    pub caller: Option<std::sync::Arc<Caller>>,
    /// The remote address of a request with an injected fault.
    pub address: Option<std::net::IpAddr>,
    pub version: Option<ApiVersion>,
    /// The parameter of the requested media type.
    pub media_parameter: Option<String>,
    pub encoding: Option<Encoding>,
    /// Whether to indent JSON.
    pub indented: bool,
    pub budget: Option<RateBudget>,
    pub operation: Option<&'static Operation>,
    /// `hit` or `miss`, for a cacheable request.
    pub cache: Option<&'static str>,
}

/// The prefix of vendor media types: responses that are not plain JSON.
const VENDOR: &[u8] = b"application/vnd.";

const EXPOSED: &str = "ETag, Link, Location, Retry-After, X-GitHub-OTP, X-RateLimit-Limit, \
                       X-RateLimit-Remaining, X-RateLimit-Used, X-RateLimit-Resource, \
                       X-RateLimit-Reset, X-OAuth-Scopes, X-Accepted-OAuth-Scopes, X-Poll-Interval, \
                       X-GitHub-Media-Type, X-GitHub-SSO, X-GitHub-Request-Id, Deprecation, Sunset";

/// Sent with every response.
const ALWAYS: [(&str, &str); 8] = [
    ("access-control-allow-origin", "*"),
    ("access-control-expose-headers", EXPOSED),
    (
        "strict-transport-security",
        "max-age=31536000; includeSubdomains; preload",
    ),
    ("x-frame-options", "deny"),
    ("x-content-type-options", "nosniff"),
    ("x-xss-protection", "0"),
    (
        "referrer-policy",
        "origin-when-cross-origin, strict-origin-when-cross-origin",
    ),
    ("content-security-policy", "default-src 'none'"),
];

/// The response to a CORS preflight request.
pub fn preflight(facts: &Facts) -> Response {
    let mut response = Response::builder()
        .status(StatusCode::NO_CONTENT)
        .header(
            "access-control-allow-headers",
            "Authorization, Content-Type, If-Match, If-Modified-Since, If-None-Match, \
             If-Unmodified-Since, Accept-Encoding, X-GitHub-OTP, X-Requested-With, User-Agent, \
             X-Service-Api-Version, X-GitHub-Api-Version",
        )
        .header(
            "access-control-allow-methods",
            "GET, POST, PATCH, PUT, DELETE",
        )
        .header("access-control-max-age", "86400")
        .finish();
    add_shared(facts, &mut response);
    response
}

/// Sent with every response outside the API: pages, documents, metrics. Does not override
/// headers that are set.
pub const ELSEWHERE: [(&str, &str); 4] = [
    ("x-frame-options", "deny"),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("content-security-policy", "default-src 'none'"),
];

/// Adds headers that keep browsers from misinterpreting a response.
pub fn harden(mut response: Response) -> Response {
    for (name, value) in ELSEWHERE {
        let name = HeaderName::from_static(name);
        let headers = response.headers_mut();
        headers
            .entry(name)
            .or_insert(HeaderValue::from_static(value));
    }
    response
}

/// Adds the time of the controlled clock, if there is one; otherwise hyper adds the system time.
pub fn dated(mut response: Response, clock: Option<&ControlledClock>) -> Response {
    if let Some(clock) = clock
        && let Ok(date) = HeaderValue::from_str(&http_date(clock.now()))
    {
        response.headers_mut().insert(header::DATE, date);
    }
    response
}

/// Adds the headers that are the same for all requests of a caller for this response.
pub fn add_shared(facts: &Facts, response: &mut Response) {
    let status = response.status();
    let headers = response.headers_mut();
    for (name, value) in ALWAYS {
        headers.insert(
            HeaderName::from_static(name),
            HeaderValue::from_static(value),
        );
    }
    if let Some(version) = facts.version {
        set(headers, "x-github-api-version-selected", version.as_str());
        set(headers, "x-service-api-version-selected", version.as_str());
    }
    if let Some(caller) = &facts.caller {
        let rule = facts
            .operation
            .and_then(|operation| operation.rule.as_ref());
        add_caller(headers, caller, rule);
        caching(headers, status, caller);
    }
}

// The headers of every request. A constant name is not parsed again for each.
const REQUEST_ID: HeaderName = HeaderName::from_static("x-github-request-id");
const MEDIA_TYPE: HeaderName = HeaderName::from_static("x-github-media-type");
const LIMIT: HeaderName = HeaderName::from_static("x-ratelimit-limit");
const REMAINING: HeaderName = HeaderName::from_static("x-ratelimit-remaining");
const RESET: HeaderName = HeaderName::from_static("x-ratelimit-reset");
const USED: HeaderName = HeaderName::from_static("x-ratelimit-used");
const RESOURCE: HeaderName = HeaderName::from_static("x-ratelimit-resource");

/// Adds the headers of this one request.
pub fn add_per_request(facts: &Facts, response: &mut Response) {
    let status = response.status();
    let headers = response.headers_mut();
    if let Ok(id) = HeaderValue::from_str(&facts.request_id) {
        headers.insert(REQUEST_ID, id);
    }
    if status != StatusCode::NOT_MODIFIED {
        let content = headers.get(header::CONTENT_TYPE);
        let vendor = content.is_some_and(|content| content.as_bytes().starts_with(VENDOR));
        headers.insert(MEDIA_TYPE, media_type(facts, vendor));
    }
    if let Some(budget) = facts.budget {
        headers.insert(LIMIT, budget.limit.into());
        headers.insert(REMAINING, budget.remaining.into());
        headers.insert(RESET, budget.reset.unsigned_abs().into());
        headers.insert(USED, budget.used.into());
        headers.insert(RESOURCE, HeaderValue::from_static("core"));
    }
}

/// The media type that was served, with the requested parameter.
fn media_type(facts: &Facts, vendor: bool) -> HeaderValue {
    let plain = match vendor {
        true => "github.v3;",
        false => "github.v3; format=json",
    };
    let parameter = facts.media_parameter.as_deref();
    let with_parameter = parameter.map(|parameter| match vendor {
        true => format!("github.v3; param={parameter}"),
        false => format!("github.v3; param={parameter}; format=json"),
    });
    let value = with_parameter.and_then(|value| value.try_into().ok());
    value.unwrap_or(HeaderValue::from_static(plain))
}

/// Scopes for tokens that have them, permissions for others, and the expiry of a personal
/// access token.
fn add_caller(headers: &mut HeaderMap, caller: &Caller, rule: Option<&Rule>) {
    if let Some(expiration) = caller.expiration() {
        let format = format_description!("[year]-[month]-[day] [hour]:[minute]:[second] UTC");
        let expiration = expiration.to_calendar().format(format).unwrap_or_default();
        set(
            headers,
            "github-authentication-token-expiration",
            &expiration,
        );
    }
    match caller {
        Caller::Classic { .. } | Caller::OAuth { .. } | Caller::AppUser { .. } => {
            add_scopes(headers, caller, rule);
        }
        Caller::FineGrained { .. } | Caller::Installation { .. } => {
            if let Some(rule) = rule {
                let accepted = rule.accepted_permissions();
                set(headers, "x-accepted-github-permissions", &accepted);
            }
        }
        Caller::Anonymous | Caller::App { .. } => {}
    }
}

/// The scopes of a token, the accepted scopes, and the client of the token. A user token of
/// an app sends empty scopes.
fn add_scopes(headers: &mut HeaderMap, caller: &Caller, rule: Option<&Rule>) {
    let scopes = caller.scopes().into_iter().flatten();
    let scopes: Vec<_> = scopes.map(String::as_str).collect();
    set(headers, "x-oauth-scopes", &scopes.join(", "));
    let accepted = rule.map_or(String::new(), Rule::accepted_scopes);
    set(headers, "x-accepted-oauth-scopes", &accepted);
    let client = match caller {
        Caller::OAuth { client_id, .. } => client_id.as_ref(),
        Caller::AppUser { client_id, .. } => Some(client_id),
        _ => None,
    };
    if let Some(client) = client {
        set(headers, "x-oauth-client-id", client);
    }
}

const PUBLIC: &str = "public, max-age=60, s-maxage=60";
const PRIVATE: &str = "private, max-age=60, s-maxage=60";
const VARY_BY_CALLER: &str =
    "Accept, Authorization, Cookie, X-GitHub-OTP, Accept-Encoding, Accept, X-Requested-With";

fn caching(headers: &mut HeaderMap, status: StatusCode, caller: &Caller) {
    if status == StatusCode::NO_CONTENT {
        let vary = "Accept-Encoding, Accept, X-Requested-With";
        headers.insert(header::VARY, HeaderValue::from_static(vary));
        return;
    }
    let cacheable = matches!(
        status,
        StatusCode::OK | StatusCode::CREATED | StatusCode::NOT_MODIFIED
    );
    if !cacheable {
        return;
    }
    let (cache, vary) = match caller {
        Caller::Anonymous => (PUBLIC, "Accept, Accept-Encoding, Accept, X-Requested-With"),
        // `public` as on GitHub; `Vary` makes a shared cache keep it for this caller only.
        Caller::App { .. } if status != StatusCode::CREATED => (PUBLIC, VARY_BY_CALLER),
        _ => (PRIVATE, VARY_BY_CALLER),
    };
    headers
        .entry(header::CACHE_CONTROL)
        .or_insert(HeaderValue::from_static(cache));
    headers.insert(header::VARY, HeaderValue::from_static(vary));
}

fn set(headers: &mut HeaderMap, name: &'static str, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        headers.insert(HeaderName::from_static(name), value);
    }
}
