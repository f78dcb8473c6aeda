//! Request counts and durations by operation, for Prometheus.

use std::sync::Arc;
use std::time::Duration;

use poem::endpoint::make_sync;
use poem::http::header;
use poem::{Endpoint, Response};
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::Registry;

use super::cache_metrics::CacheMetrics;
use super::memory_metrics::MemoryMetrics;
use forge::app::App;

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Answered {
    operation: &'static str,
    status: u16,
    caller: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct DurationLabels {
    operation: &'static str,
}

/// The request metrics.
#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    requests: Family<Answered, Counter>,
    seconds: Family<DurationLabels, Histogram>,
}

impl Metrics {
    pub fn new(app: &Arc<App>) -> Self {
        let requests = Family::<Answered, Counter>::default();
        let seconds = Family::<DurationLabels, Histogram>::new_with_constructor(|| {
            // From a tenth of a millisecond to three seconds.
            Histogram::new(exponential_buckets(0.0001, 2.0, 16))
        });
        let mut registry = Registry::with_prefix("forgewright");
        registry.register(
            "requests",
            "Responses by operation, status and kind of caller",
            requests.clone(),
        );
        registry.register(
            "request_duration_seconds",
            "Time from request to response, by operation",
            seconds.clone(),
        );
        registry.register_collector(Box::new(CacheMetrics(app.clone())));
        registry.register_collector(Box::new(MemoryMetrics(app.settings.memory.clone())));
        Self {
            registry,
            requests,
            seconds,
        }
    }

    pub fn record(
        &self,
        operation: &'static str,
        status: u16,
        caller: &'static str,
        elapsed: Duration,
    ) {
        let answered = Answered {
            operation,
            status,
            caller,
        };
        self.requests.get_or_create(&answered).inc();
        let timed = DurationLabels { operation };
        self.seconds
            .get_or_create(&timed)
            .observe(elapsed.as_secs_f64());
    }
}

/// Counts and durations of requests by operation, and cache counters.
#[utoipa::path(get, tag = "Operations", path = "/metrics", responses(
    (status = 200, description = "The metrics", body = String, content_type = "application/openmetrics-text"),
))]
pub fn page(metrics: Arc<Metrics>) -> impl Endpoint<Output = Response> {
    make_sync(move |_| {
        let mut text = String::new();
        // Writing into a string cannot fail.
        let _ = encode(&mut text, &metrics.registry);
        Response::builder()
            .header(
                header::CONTENT_TYPE,
                "application/openmetrics-text; version=1.0.0; charset=utf-8",
            )
            .body(text)
    })
}
