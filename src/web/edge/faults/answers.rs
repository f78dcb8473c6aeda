//! Error responses as GitHub sends them, and truncated responses.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use http_body_util::BodyExt;
use http_body_util::combinators::BoxBody;
use hyper::body::{Bytes, Frame};
use poem::http::{HeaderValue, StatusCode, header};
use poem::{Body, Response};
use serde_json::json;

use contract::caller::Caller;
use contract::lookups::RateBudget;
use contract::operation::Operation;
use contract::problem::{DOCUMENTATION_ROOT, FailureBody};
use contract::reply::JSON;
use forge::faults::InjectedFault;

/// GitHub's rate limits, used if this server has none.
const BUDGET: u64 = 5000;
const ANONYMOUS_BUDGET: u64 = 60;

/// A response with the status of a rule. As on GitHub, server errors come from the front end, in
/// a format of their own; all others come from the API.
pub fn failed(fault: &InjectedFault, operation: Option<&Operation>) -> Response {
    let status = status(fault);
    let message = message(fault, status);
    let (media, body) = match status.is_server_error() {
        true if message == SERVER_ERROR => ("application/json", SERVER_ERROR_BODY.to_owned()),
        true => (
            "application/json",
            json!({ "message": message }).to_string(),
        ),
        false => {
            let documentation =
                operation.map_or(DOCUMENTATION_ROOT, |operation| operation.documentation);
            let body = FailureBody {
                message,
                errors: None,
                documentation_url: documentation.to_owned(),
                status: status.as_str().to_owned(),
            };
            (JSON, serde_json::to_string(&body).unwrap_or_default())
        }
    };
    answer(fault, status, media, body)
}

/// Same as [`failed`] for a Git client.
pub fn failed_git(fault: &InjectedFault) -> Response {
    let status = status(fault);
    let body = format!("{}\n", message(fault, status));
    answer(fault, status, "text/plain; charset=utf-8", body)
}

fn answer(
    fault: &InjectedFault,
    status: StatusCode,
    media: &'static str,
    body: String,
) -> Response {
    let mut response = Response::builder()
        .status(status)
        .header(header::CONTENT_TYPE, HeaderValue::from_static(media))
        .header(header::CACHE_CONTROL, "no-cache")
        .header(header::VARY, "Accept-Encoding, Accept, X-Requested-With")
        .body(body);
    if let Some(seconds) = fault.retry_after {
        let headers = response.headers_mut();
        headers.insert(header::RETRY_AFTER, seconds.into());
    }
    response
}

fn status(fault: &InjectedFault) -> StatusCode {
    let status = fault
        .status
        .and_then(|code| StatusCode::from_u16(code).ok());
    status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

/// GitHub's message with 500 and 502, byte for byte.
const SERVER_ERROR: &str = "Server Error";
const SERVER_ERROR_BODY: &str = "{\n  \"message\": \"Server Error\"\n}\n";

/// GitHub's message with 503 and 504.
const UNAVAILABLE: &str = "No server is currently available to service your request. Sorry about \
                           that. Please try resubmitting your request and contact us if the \
                           problem persists.";
const TIMED_OUT: &str = "We couldn't respond to your request in time. Sorry about that. Please \
                         try resubmitting your request and contact us if the problem persists.";

fn message(fault: &InjectedFault, status: StatusCode) -> String {
    let custom = fault.message.clone();
    custom.unwrap_or_else(|| {
        let default = match status {
            StatusCode::SERVICE_UNAVAILABLE => UNAVAILABLE,
            StatusCode::GATEWAY_TIMEOUT => TIMED_OUT,
            StatusCode::UNAUTHORIZED => "Bad credentials",
            status if status.is_server_error() => SERVER_ERROR,
            status => status.canonical_reason().unwrap_or("Error"),
        };
        default.to_owned()
    })
}

/// An exhausted budget.
pub fn exhausted(budget: Option<RateBudget>, caller: &Caller, reset: i64) -> RateBudget {
    let default_limit = match caller {
        Caller::Anonymous => ANONYMOUS_BUDGET,
        _ => BUDGET,
    };
    let limit = budget.map_or(default_limit, |budget| budget.limit);
    RateBudget {
        limit,
        used: limit,
        remaining: 0,
        reset,
    }
}

/// Truncates the body; the response still announces the full length, or none.
pub async fn truncated(mut answer: Response) -> Response {
    let Some((half, length)) = half(&mut answer).await else {
        return answer;
    };
    if let Some(length) = length {
        let headers = answer.headers_mut();
        headers.insert(header::CONTENT_LENGTH, length.into());
    }
    answer.set_body(Body::from(BoxBody::new(TruncatedBody {
        half: Some(half),
        flushed: false,
    })));
    answer
}

/// A body that fails midway, which closes the connection.
struct TruncatedBody {
    half: Option<Bytes>,
    /// hyper flushes its buffer while a body is pending, but not after one has failed.
    flushed: bool,
}

impl hyper::body::Body for TruncatedBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        if let Some(half) = self.half.take() {
            return Poll::Ready(Some(Ok(Frame::data(half))));
        }
        if !std::mem::replace(&mut self.flushed, true) {
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        Poll::Ready(Some(Err(io::ErrorKind::ConnectionAborted.into())))
    }
}

/// A complete response with half of the body.
pub async fn malformed(mut answer: Response) -> Response {
    if let Some((half, _)) = half(&mut answer).await {
        answer.headers_mut().remove(header::CONTENT_LENGTH);
        answer.set_body(Body::from_bytes(half));
    }
    answer
}

/// Half of the first chunk of a body, and the length of a body with a single chunk. None if there
/// is no body.
async fn half(answer: &mut Response) -> Option<(Bytes, Option<u64>)> {
    let mut chunks: BoxBody<Bytes, io::Error> = answer.take_body().into();
    let first = chunks.frame().await?.ok()?.into_data().ok()?;
    let is_single = chunks.frame().await.is_none();
    let half = first.slice(..first.len() / 2);
    Some((half, is_single.then_some(first.len() as u64)))
}
