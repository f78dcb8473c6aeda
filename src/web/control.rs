//! The entry to the control API: access control, the time limit, and errors. Unlike the
//! forge's API it is closed to other sites, because on loopback it may need no credential.

mod guard;
mod page;

use std::sync::Arc;
use std::time::Duration;

use poem::endpoint::{BoxEndpoint, make_sync};
use poem::http::{HeaderValue, StatusCode, header};
use poem::{Endpoint, EndpointExt, IntoEndpoint, Request, Response, Result};
use poem_openapi::OpenApiService;

use super::server::LongRequests;
use super::{address, arrival, failures};
use crate::control;
use crate::worlds::Worlds;
use contract::control::ControlCall;
use contract::problem::Problem;
pub use guard::ControlGuard;
use page::PageToken;
use storage::entropy::SystemEntropy;
use storage::heavy::RequestMemory;

/// The time limit of a request. A request that waits for an event ends before.
const CONTROL_TIMEOUT: Duration = Duration::from_secs(90);

/// What is missing where the control API is not served.
const OFF: &str = "The control API and the console are off. Start the server with --control on";

/// The answer at the paths of the control API where it is not served.
pub fn control_off() -> impl Endpoint<Output = Response> {
    make_sync(|_| failures::response(&Problem::Absent(OFF.into()), None))
}

/// The answer at the path of the console where it is not served.
pub fn console_off() -> impl Endpoint<Output = Response> {
    make_sync(|_| no_console())
}

/// What a person gets instead of a page of the console.
pub fn no_console() -> Response {
    Response::builder()
        .status(StatusCode::NOT_FOUND)
        .content_type("text/plain; charset=utf-8")
        .body(format!("{OFF}.\n"))
}

/// The endpoint of the control API.
pub struct ControlEdge {
    operations: BoxEndpoint<'static, Response>,
    guard: ControlGuard,
    memory: Arc<RequestMemory>,
    pages: PageToken,
}

impl ControlEdge {
    pub fn new(worlds: &Arc<Worlds>, guard: ControlGuard) -> Self {
        let service = OpenApiService::new(control::all(worlds), "Forgewright control", "1");
        Self {
            operations: service.into_endpoint().map_to_response().boxed(),
            guard,
            memory: worlds.memory().clone(),
            pages: PageToken::new(&SystemEntropy),
        }
    }

    /// `GET /console/token`
    pub fn page_token(&self, request: &Request) -> Result<Response, Problem> {
        self.pages.answer(request, &self.guard)
    }

    async fn answer(&self, mut request: Request) -> Result<Response, poem::Error> {
        // A request may wait longer than others until its response begins.
        let _long_request = request
            .extensions()
            .get::<LongRequests>()
            .map(LongRequests::begin);
        let origin = address::origin(&request);
        let authority = address::authority(&request);
        self.guard
            .admit(request.headers(), authority, &origin, &self.pages)?;
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
