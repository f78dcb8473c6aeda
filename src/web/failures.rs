//! Maps every failure to the error body: our own problems, errors of poem, and panics.

use poem::error::{MethodNotAllowedError, NotFoundError};
use poem::http::{HeaderValue, StatusCode, header};
use poem::middleware::CatchPanic;
use poem::{Endpoint, EndpointExt, Response};
use poem_openapi::OperationId;
use poem_openapi::error::{ParseParamError, ParsePathError};

use contract::operation::Operation;
use contract::problem::{DOCUMENTATION_ROOT, Problem};
use contract::reply::JSON;

/// The problem of an error, and the operation that caused it.
pub fn take_problem(error: &mut poem::Error) -> (Problem, Option<&'static Operation>) {
    let operation = error.data::<OperationId>();
    let operation = operation.and_then(|id| contract::operation(id.0));
    let problem = match std::mem::replace(error, poem::Error::from_status(StatusCode::OK))
        .downcast::<Problem>()
    {
        Ok(problem) => problem,
        Err(other) => from_poem(&other),
    };
    (problem, operation)
}

/// Maps poem's errors. An unknown path or method is 404, and so is an id in a path that is
/// not a number: no such resource can exist.
fn from_poem(error: &poem::Error) -> Problem {
    if error.is::<NotFoundError>()
        || error.is::<poem::error::ParsePathError>()
        || error.is::<MethodNotAllowedError>()
        || error.is::<ParsePathError>()
    {
        return Problem::NotFound;
    }
    if let Some(cause) = error.downcast_ref::<ParseParamError>() {
        // The reason names Rust types, which clients do not know.
        return Problem::Malformed(vec![format!(
            "For '{}', the value is not valid.",
            cause.name
        )]);
    }
    match error.status() {
        StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED => Problem::NotFound,
        StatusCode::PAYLOAD_TOO_LARGE => Problem::TooLarge,
        status if status.is_client_error() => {
            Problem::BadRequest("Problems parsing the request".into())
        }
        _ => Problem::internal(error.to_string()),
    }
}

/// The response to a problem.
pub fn response(problem: &Problem, operation: Option<&Operation>) -> Response {
    let documentation = match (problem, operation) {
        // As recorded from GitHub, which checks this before the operation.
        (Problem::Unauthenticated, Some(operation)) if operation.path == "/user" => {
            DOCUMENTATION_ROOT
        }
        (_, operation) => operation.map_or(DOCUMENTATION_ROOT, |operation| operation.documentation),
    };
    let body = serde_json::to_vec(&problem.body(documentation)).unwrap_or_default();
    let mut response = Response::builder()
        .status(problem.status())
        .header(header::CONTENT_TYPE, HeaderValue::from_static(JSON))
        .body(body);
    if let Some(seconds) = problem.retry_after() {
        response
            .headers_mut()
            .insert(header::RETRY_AFTER, seconds.into());
    }
    response
}

/// Catches panics, and errors outside of the API.
pub fn last_resort<E: Endpoint + 'static>(endpoint: E) -> impl Endpoint<Output = Response> {
    endpoint
        .with(CatchPanic::new().with_handler(|_| {
            tracing::error!("a request handler panicked");
            response(&Problem::internal("a panic"), None)
        }))
        .catch_all_error(|mut error| async move {
            let (problem, operation) = take_problem(&mut error);
            response(&problem, operation)
        })
}
