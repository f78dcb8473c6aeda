//! HTTP: routes, and the common handling of all requests and responses. `edge.rs` is the
//! request pipeline; the other files are its steps.

pub mod address;
mod answers;
mod arrival;
mod avatars;
mod cache_metrics;
mod compression;
pub mod conditional;
mod console;
mod control;
mod docs;
mod edge;
mod failures;
mod graphql;
mod headers;
mod health;
mod indentation;
mod links;
mod memory_metrics;
mod metrics;
mod request_id;
/// Connections.
pub mod server;
mod site;
mod version;

use std::sync::Arc;

use poem::endpoint::BoxEndpoint;
use poem::{EndpointExt, IntoEndpoint, Response, Route, get, post};
use poem_openapi::OpenApiService;

use forge::app::App;
use forge::router;

pub use control::ControlGuard;
pub use edge::REQUEST_TIMEOUT;
pub use site::site;

/// A world as one endpoint.
pub fn router(app: &Arc<App>) -> BoxEndpoint<'static, Response> {
    let metrics = Arc::new(metrics::Metrics::new(app));
    let operations = OpenApiService::new(router::all(app), "Forgewright", "1").into_endpoint();
    let api = Route::new()
        .at(graphql::PATH, post(graphql::GraphQl::new(app)))
        .nest_no_strip("/", operations);
    let edge = edge::Edge::new(api, app.clone(), metrics.clone());
    let route = match app.settings.control {
        true => Route::new(),
        false => without_control(),
    };
    let route = route
        .at("/healthz", get(health::alive()))
        .at("/readyz", get(health::ready(app.clone())))
        .at("/metrics", get(metrics::page(metrics)))
        .at("/avatars/u/:id", get(avatars::avatar()))
        .at("/operations.json", get(health::document()))
        .at("/docs", get(docs::entrance()))
        .at("/docs/*file", get(docs::swagger_ui(app.settings.control)))
        .at("/openapi/:file", get(docs::documents()))
        .nest_no_strip("/", edge);
    let clock = app.tools.as_ref().map(|tools| tools.clock.clone());
    failures::last_resort(route)
        .after(move |answer| {
            let clock = clock.clone();
            async move { answer.map(|answer| headers::dated(headers::harden(answer), clock.as_deref())) }
        })
        .boxed()
}

/// The paths of the control API and the console, where neither is served.
fn without_control() -> Route {
    Route::new()
        .at("/_forgewright", control::control_off())
        .at("/_forgewright/*rest", control::control_off())
        .at("/console", control::console_off())
        .at("/console/*rest", control::console_off())
}
