//! The responses of operations: `Reply` with a body, `Empty` without one, and `Fails` for the
//! error statuses that an operation documents.
//!
//! Serde writes a reply directly into bytes; poem-openapi's own path through a value tree is
//! several times slower. `web/conditional.rs` handles conditional requests (ETag, 304).

use std::fmt;
use std::sync::Arc;

use poem::http::{HeaderName, HeaderValue, StatusCode, header};
use poem::{Body, IntoResponse, Response};
use poem_openapi::ApiResponse;
use poem_openapi::registry::{MetaMediaType, MetaResponse, MetaResponses, Registry};
use poem_openapi::types::Type;
use serde::Serialize;
use time::OffsetDateTime;

use super::json;
use super::problem::{FailureBody, Problem};
use super::values::Timestamp;

/// The result of an operation: a response, or the problem that prevented it.
pub type Outcome<T> = Result<T, Problem>;

/// The content type of every JSON response, custom media types included.
pub const JSON: &str = "application/json; charset=utf-8";

/// A response with the status `STATUS` and a body.
#[derive(Debug)]
pub struct Reply<const STATUS: u16, T> {
    pub body: T,
    headers: Vec<(HeaderName, String)>,
    uncacheable: bool,
    streamed: Option<Streamed>,
    written: Option<Vec<u8>>,
}

/// A body that is produced while it is sent, because it may be too large to hold in memory.
#[derive(Clone)]
pub struct Streamed(Arc<dyn Fn() -> Body + Send + Sync>);

impl Streamed {
    /// `body` is called when the body is sent.
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

    /// Keeps the response out of the cache: it will differ soon although no data changes.
    #[must_use]
    pub fn uncacheable(mut self) -> Self {
        self.uncacheable = true;
        self
    }

    /// Keeps the response out of the cache if the condition is true.
    #[must_use]
    pub fn uncacheable_if(mut self, condition: bool) -> Self {
        self.uncacheable |= condition;
        self
    }

    /// Replaces the body with JSON that is already serialized.
    #[must_use]
    pub fn written(mut self, json: Vec<u8>) -> Self {
        self.written = Some(json);
        self
    }

    /// Replaces the body with one that is produced while it is sent. The tag, if there is one,
    /// changes whenever the body does.
    #[must_use]
    pub fn streamed(mut self, streamed: Streamed, tag: Option<&str>) -> Self {
        self.streamed = Some(streamed);
        match tag {
            Some(tag) => self.header(header::ETAG, format!("\"{tag}\"")),
            None => self,
        }
    }

    /// Sets `Last-Modified`: when anything in the response last changed. It is omitted for the
    /// current second, because another change within it would not be noticed.
    #[must_use]
    pub fn last_modified(self, moment: Timestamp, now: Timestamp) -> Self {
        if moment < now {
            self.header(header::LAST_MODIFIED, http_date(moment))
        } else {
            self.uncacheable()
        }
    }

    /// Sets the `Location` header: the API URL of the new resource.
    #[must_use]
    pub fn location(self, url: impl Into<String>) -> Self {
        self.header(header::LOCATION, url.into())
    }

    /// Sets the `Link` header, unless everything fits on one page.
    #[must_use]
    pub fn link(self, link: Option<String>) -> Self {
        match link {
            Some(link) => self.header(header::LINK, link),
            None => self,
        }
    }

    /// Adds a header.
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
            (None, None) => json::to_vec(&self.body),
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
            // A header value with a control character is dropped; it must not break the
            // response.
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

/// A resource that was created or already existed.
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

/// 204 without a body.
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

/// The error statuses that an operation documents; 0 stands for none. A status that is not
/// listed is still sent unchanged.
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

/// The description of a status (Spec, Errors).
fn describe(status: u16) -> &'static str {
    match status {
        200 => "OK.",
        201 => "Created. The body has the new resource.",
        202 => "Accepted.",
        204 => "No content.",
        304 => "Not modified.",
        401 => "Requires authentication, or the credentials are invalid.",
        403 => "Forbidden, or a rate limit was exceeded.",
        404 => "Resource not found, or not visible to the caller.",
        405 => "The pull request cannot be merged in its current state.",
        406 => "The diff is too large for the requested media type.",
        409 => "Conflict with the current state of the resource.",
        410 => "Issues are disabled in the repository.",
        422 => "Validation failed, or the endpoint has been spammed.",
        _ => "The request failed; see `message`.",
    }
}
