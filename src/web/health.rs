//! Health endpoints and their OpenAPI description. They are not part of the contract, so
//! utoipa describes them.

use std::sync::Arc;

use poem::endpoint::{make, make_sync};
use poem::http::StatusCode;
use poem::{Endpoint, Response};
use utoipa::OpenApi;

use forge::app::App;

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Forgewright operations",
        description = "For operators of the server. No operation needs a credential."
    ),
    paths(alive, ready, super::metrics::page)
)]
struct OperatorApi;

/// Whether the process runs.
#[utoipa::path(get, tag = "Operations", path = "/healthz", responses(
    (status = 200, description = "The process runs", body = String, content_type = "text/plain"),
))]
pub fn alive() -> impl Endpoint<Output = Response> {
    make_sync(|_| Response::builder().content_type("text/plain").body("ok\n"))
}

/// Whether the server can answer requests: its database responds.
#[utoipa::path(get, tag = "Operations", path = "/readyz", responses(
    (status = 200, description = "The server can answer requests", body = String, content_type = "text/plain"),
    (status = 503, description = "The database does not respond", body = String, content_type = "text/plain"),
))]
pub fn ready(app: Arc<App>) -> impl Endpoint<Output = Response> {
    make(move |_| {
        let app = app.clone();
        async move {
            let time_limit = std::time::Duration::from_secs(2);
            let answer = tokio::time::timeout(time_limit, app.db.ping()).await;
            let (status, text) = match answer {
                Ok(Ok(())) => (StatusCode::OK, "ready\n"),
                _ => (
                    StatusCode::SERVICE_UNAVAILABLE,
                    "the database does not respond\n",
                ),
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
        let text = OperatorApi::openapi().to_json().unwrap_or_default();
        Response::builder()
            .content_type("application/json")
            .body(text)
    })
}
