//! How operations answer: `Reply` for a body, `Empty` for none, and `Fails` for
//! the statuses that an operation documents.
//!
//! A reply is written by serde straight into bytes; poem-openapi's own path by
//! way of a value tree costs several times as much. The validators of
//! conditional requests (ETag, 304) are the business of `web/conditional.rs`.

use std::fmt;
use std::sync::Arc;

use poem::http::{HeaderName, HeaderValue, StatusCode, header};
use poem::{Body, IntoResponse, Response};
use poem_openapi::ApiResponse;
use poem_openapi::registry::{MetaMediaType, MetaResponse, MetaResponses, Registry};
use poem_openapi::types::Type;
use serde::Serialize;
use time::OffsetDateTime;

use super::problem::{FailureBody, Problem};
use super::values::Timestamp;

/// What an operation yields: an answer, or the problem that prevented it.
pub type Outcome<T> = Result<T, Problem>;

/// The content type of every JSON answer, custom media types included.
pub const JSON: &str = "application/json; charset=utf-8";

/// An answer of status `STATUS` with a body.
#[derive(Debug)]
pub struct Reply<const STATUS: u16, T> {
    pub body: T,
    headers: Vec<(HeaderName, String)>,
    uncacheable: bool,
    streamed: Option<Streamed>,
    written: Option<Vec<u8>>,
}

/// A body that is made while it goes out, because it may be too long to be held.
#[derive(Clone)]
pub struct Streamed(Arc<dyn Fn() -> Body + Send + Sync>);

impl Streamed {
    /// `body` is called when the body is wanted.
    pub fn new(body: impl Fn() -> Body + Send + Sync + 'static) -> Self {
        Self(Arc::new(body))
    }

    pub fn body(&self) -> Body {
        (self.0)()
    }
}

impl fmt::Debug for Streamed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Streamed").finish_non_exhaustive()
    }
}

/// Marks a response that must not be cached: it will differ soon although no data changes.
#[derive(Debug, Clone, Copy)]
pub struct Uncacheable;

impl<const STATUS: u16, T> Reply<STATUS, T> {
    pub fn new(body: T) -> Self {
        Self {
            body,
            headers: Vec::new(),
            uncacheable: false,
            streamed: None,
            written: None,
        }
    }

    /// Keeps the answer out of the cache: it will differ soon although no data changes.
    #[must_use]
    pub fn uncacheable(mut self) -> Self {
        self.uncacheable = true;
        self
    }

    /// Keeps the answer out of the cache on this condition.
    #[must_use]
    pub fn uncacheable_if(mut self, fleeting: bool) -> Self {
        self.uncacheable |= fleeting;
        self
    }

    /// Takes JSON that was written elsewhere in place of the body that is there.
    #[must_use]
    pub fn written(mut self, json: Vec<u8>) -> Self {
        self.written = Some(json);
        self
    }

    /// Makes the body while it goes out, in place of the one that is there. The tag, if
    /// there is one, changes whenever the body does.
    #[must_use]
    pub fn streamed(mut self, streamed: Streamed, tag: Option<&str>) -> Self {
        self.streamed = Some(streamed);
        match tag {
            Some(tag) => self.header(header::ETAG, format!("\"{tag}\"")),
            None => self,
        }
    }

    /// When anything that is shown last changed, for `If-Modified-Since`. It is omitted
    /// for the current second: a second change within it would look the same.
    #[must_use]
    pub fn last_modified(self, moment: Timestamp, now: Timestamp) -> Self {
        if moment < now {
            self.header(header::LAST_MODIFIED, http_date(moment))
        } else {
            self.uncacheable()
        }
    }

    /// Where the new thing can be read.
    #[must_use]
    pub fn location(self, url: impl Into<String>) -> Self {
        self.header(header::LOCATION, url.into())
    }

    /// The neighbouring pages; none when everything fits on one.
    #[must_use]
    pub fn link(self, link: Option<String>) -> Self {
        match link {
            Some(link) => self.header(header::LINK, link),
            None => self,
        }
    }

    /// Any other header.
    #[must_use]
    pub fn header(mut self, name: HeaderName, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }
}

/// `Tue, 10 Mar 2026 09:30:00 GMT`
pub fn http_date(moment: Timestamp) -> String {
    httpdate::fmt_http_date(moment.to_calendar().max(OffsetDateTime::UNIX_EPOCH).into())
}

impl<const STATUS: u16, T: Serialize + Send> IntoResponse for Reply<STATUS, T> {
    fn into_response(self) -> Response {
        let bytes = match (&self.streamed, self.written) {
            (Some(_), _) => Ok(Vec::new()),
            (None, Some(json)) => Ok(json),
            (None, None) => serde_json::to_vec(&self.body),
        };
        let bytes = match bytes {
            Ok(bytes) => bytes,
            Err(cause) => return poem::Error::from(Problem::internal(cause)).into_response(),
        };
        let mut response = Response::builder()
            .status(StatusCode::from_u16(STATUS).unwrap_or_default())
            .header(header::CONTENT_TYPE, HeaderValue::from_static(JSON))
            .body(bytes);
        for (name, value) in self.headers {
            // A name with a control character in it must not break the answer.
            if let Ok(value) = HeaderValue::from_str(&value) {
                response.headers_mut().append(name, value);
            }
        }
        if self.uncacheable {
            response.set_data(Uncacheable);
        }
        if let Some(streamed) = self.streamed {
            response.set_data(streamed);
        }
        response
    }
}

impl<const STATUS: u16, T: Type> ApiResponse for Reply<STATUS, T> {
    fn meta() -> MetaResponses {
        MetaResponses {
            responses: vec![MetaResponse {
                description: describe(STATUS),
                status: Some(STATUS),
                status_range: None,
                content: vec![MetaMediaType {
                    content_type: "application/json",
                    schema: T::schema_ref(),
                }],
                headers: vec![],
            }],
        }
    }

    fn register(registry: &mut Registry) {
        T::register(registry);
    }
}

/// Something that is new, or was there before.
#[derive(Debug)]
pub enum CreatedOrExisting<T> {
    Created(Reply<201, T>),
    Existing(Reply<200, T>),
}

impl<T: Serialize + Send> IntoResponse for CreatedOrExisting<T> {
    fn into_response(self) -> Response {
        match self {
            Self::Created(reply) => reply.into_response(),
            Self::Existing(reply) => reply.into_response(),
        }
    }
}

impl<T: Type> ApiResponse for CreatedOrExisting<T> {
    fn meta() -> MetaResponses {
        let mut metas = Reply::<200, T>::meta();
        let created = Reply::<201, T>::meta();
        metas.responses.extend(created.responses);
        metas
    }

    fn register(registry: &mut Registry) {
        T::register(registry);
    }
}

/// 204: done, and nothing to show.
#[derive(Debug)]
pub struct Empty;

impl IntoResponse for Empty {
    fn into_response(self) -> Response {
        StatusCode::NO_CONTENT.into_response()
    }
}

impl ApiResponse for Empty {
    fn meta() -> MetaResponses {
        MetaResponses {
            responses: vec![without_body(204)],
        }
    }

    fn register(_: &mut Registry) {}
}

/// The statuses other than success that an operation documents; 0 stands for
/// none. A status that is not listed still goes out truthfully.
#[derive(Debug)]
pub struct Fails<
    const A: u16 = 0,
    const B: u16 = 0,
    const C: u16 = 0,
    const D: u16 = 0,
    const E: u16 = 0,
>(Problem);

impl<const A: u16, const B: u16, const C: u16, const D: u16, const E: u16> From<Problem>
    for Fails<A, B, C, D, E>
{
    fn from(problem: Problem) -> Self {
        Self(problem)
    }
}

impl<const A: u16, const B: u16, const C: u16, const D: u16, const E: u16>
    From<Fails<A, B, C, D, E>> for poem::Error
{
    fn from(fails: Fails<A, B, C, D, E>) -> Self {
        fails.0.into()
    }
}

impl<const A: u16, const B: u16, const C: u16, const D: u16, const E: u16> ApiResponse
    for Fails<A, B, C, D, E>
{
    fn meta() -> MetaResponses {
        let responses = [A, B, C, D, E]
            .into_iter()
            .filter(|status| *status != 0)
            .map(|status| match status {
                304 => without_body(304),
                _ => MetaResponse {
                    content: vec![MetaMediaType {
                        content_type: "application/json",
                        schema: FailureBody::schema_ref(),
                    }],
                    ..without_body(status)
                },
            })
            .collect();
        MetaResponses { responses }
    }

    fn register(registry: &mut Registry) {
        FailureBody::register(registry);
    }
}

fn without_body(status: u16) -> MetaResponse {
    MetaResponse {
        description: describe(status),
        status: Some(status),
        status_range: None,
        content: vec![],
        headers: vec![],
    }
}

/// What a status means in this service (Spec, Errors).
fn describe(status: u16) -> &'static str {
    match status {
        200 => "Done; the answer is in the body.",
        201 => "Created; the new thing is in the body.",
        202 => "Accepted; the answer is in the body.",
        204 => "Done; there is nothing to show.",
        304 => "Not modified since the version that the request names.",
        401 => "Requires authentication, or the credential is not valid.",
        403 => "Forbidden, or a rate limit was exceeded.",
        404 => "Resource not found, or not visible to the caller.",
        405 => "Not possible as things are.",
        406 => "Too large to be shown in this form.",
        409 => "Conflict with the state of the repository.",
        410 => "The repository has no issues.",
        422 => "Validation failed, or the endpoint has been spammed.",
        _ => "See the message.",
    }
}
