//! For those who run the server: is it alive, is it ready, and a description of
//! these addresses. They are outside of the contract, so utoipa describes them.

use std::sync::Arc;

use poem::endpoint::{make, make_sync};
use poem::http::StatusCode;
use poem::{Endpoint, Response};
use utoipa::OpenApi;

use crate::app::App;

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Forgewright operations",
        description = "For those who run the server. None of these needs a credential."
    ),
    paths(healthz, readyz, metrics)
)]
struct Operations;

/// Whether the process runs.
#[utoipa::path(get, path = "/healthz", responses((status = 200, description = "It runs", body = String)))]
fn healthz() {}

/// Whether the process can serve: its database answers.
#[utoipa::path(get, path = "/readyz", responses(
    (status = 200, description = "It can serve", body = String),
    (status = 503, description = "The database does not answer", body = String),
))]
fn readyz() {}

/// Counts and durations by operation, in the OpenMetrics text format.
#[utoipa::path(get, path = "/metrics", responses((status = 200, description = "The metrics", body = String)))]
fn metrics() {}

/// `GET /healthz`
pub fn alive() -> impl Endpoint<Output = Response> {
    make_sync(|_| Response::builder().content_type("text/plain").body("ok\n"))
}

/// `GET /readyz`
pub fn ready(app: Arc<App>) -> impl Endpoint<Output = Response> {
    make(move |_| {
        let app = app.clone();
        async move {
            let patience = std::time::Duration::from_secs(2);
            let answer = tokio::time::timeout(patience, app.db.ping()).await;
            let ready = matches!(answer, Ok(Ok(())));
            let (status, text) = if ready {
                (StatusCode::OK, "ready\n")
            } else {
                (
                    StatusCode::SERVICE_UNAVAILABLE,
                    "the database does not answer\n",
                )
            };
            Response::builder()
                .status(status)
                .content_type("text/plain")
                .body(text)
        }
    })
}

/// `GET /operations.json`
pub fn document() -> impl Endpoint<Output = Response> {
    make_sync(|_| {
        let text = Operations::openapi().to_json().unwrap_or_default();
        Response::builder()
            .content_type("application/json")
            .body(text)
    })
}
