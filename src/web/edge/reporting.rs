//! Error responses, metrics and the log line of a request.

use std::time::Duration;

use poem::Response;
use poem::http::{Method, StatusCode};

use super::Edge;
use crate::web::failures;
use crate::web::headers::{self, Facts};
use crate::web::indentation::indent;
use contract::caller::Caller;
use contract::problem::Problem;

impl<E> Edge<E> {
    /// Maps a problem to its response, and logs server errors.
    pub(super) async fn refuse(&self, problem: &Problem, facts: &Facts) -> Response {
        if problem.status().is_server_error() && !matches!(problem, Problem::NotImplemented) {
            let cause = std::error::Error::source(problem).map(ToString::to_string);
            tracing::error!(
                request_id = facts.request_id,
                operation = facts.operation.map(|operation| operation.id),
                cause,
                "{problem}"
            );
        }
        let mut response = failures::response(problem, facts.operation);
        if facts.indented {
            // The body is in memory, so this cannot fail.
            let _ = indent(&mut response).await;
        }
        headers::add_shared(facts, &mut response);
        response
    }

    /// Records the metrics and the log line of a request.
    pub(super) fn record(
        &self,
        method: &Method,
        facts: &Facts,
        status: StatusCode,
        elapsed: Duration,
    ) {
        let (operation, route) = match facts.operation {
            Some(operation) => (operation.id, operation.path),
            None => ("none", "-"),
        };
        let caller = facts.caller.as_deref();
        let kind = caller.map_or("unknown", Caller::kind);
        self.metrics
            .record(operation, status.as_u16(), kind, elapsed);
        tracing::info!(
            method = method.as_str(),
            route,
            operation,
            status = status.as_u16(),
            micros = u64::try_from(elapsed.as_micros()).unwrap_or(u64::MAX),
            caller = kind,
            cache = facts.cache.unwrap_or("-"),
            login = caller.map_or("-", Caller::name),
            request_id = facts.request_id,
            "answered"
        );
    }
}
