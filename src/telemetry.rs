//! Exports spans to an OpenTelemetry collector, by OTLP over HTTP (`--otlp-endpoint`). A
//! separate thread sends them in batches from a bounded queue: if the collector is slow or
//! down, spans are dropped, and no request waits.

use std::time::Duration;

use async_trait::async_trait;
use opentelemetry::KeyValue;
use opentelemetry::propagation::TextMapPropagator;
use opentelemetry_http::{Bytes, HeaderExtractor, HttpClient, HttpError, Request, Response};
use opentelemetry_otlp::{SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::SdkTracerProvider;
use poem::http::{HeaderMap, Uri, header};
use tokio::runtime::Handle;
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt;

use forge::outbound::Trust;
use forge::outbound::address::{Networks, WebhookTarget};

/// The time limit of a batch.
const TIMEOUT: Duration = Duration::from_secs(5);

/// The path for spans, below the collector's base URL.
const TRACES: &str = "/v1/traces";

/// The URL of a collector, parsed from a flag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint(String);

impl Endpoint {
    pub fn parse(url: &str) -> Result<Self, String> {
        WebhookTarget::parse(url)?;
        let base = url.trim_end_matches('/');
        let base = base.strip_suffix(TRACES).unwrap_or(base);
        Ok(Self(format!("{base}{TRACES}")))
    }
}

/// Exports spans until it is shut down. Call it on the runtime that sends them.
pub fn exporter(endpoint: &Endpoint) -> Result<SdkTracerProvider, String> {
    let exporter = SpanExporter::builder()
        .with_http()
        .with_http_client(Client(Handle::current()))
        .with_endpoint(&endpoint.0)
        .with_timeout(TIMEOUT)
        .build()
        .map_err(|error| error.to_string())?;
    let resource = Resource::builder()
        .with_service_name(env!("CARGO_PKG_NAME"))
        .with_attribute(KeyValue::new("service.version", env!("CARGO_PKG_VERSION")));
    Ok(SdkTracerProvider::builder()
        .with_batch_exporter(exporter)
        .with_resource(resource.build())
        .build())
}

/// Makes the span of a request a child of the trace in its `traceparent` header.
pub fn continue_trace(span: &Span, headers: &HeaderMap) {
    if !span.is_disabled() && headers.contains_key("traceparent") {
        let parent = TraceContextPropagator::new().extract(&HeaderExtractor(headers));
        // Fails if no exporter is active or the span has started; then it stays a root
        // span.
        let _ = span.set_parent(parent);
    }
}

/// Sends the exporter's requests, whose thread has no runtime.
#[derive(Debug)]
struct Client(Handle);

#[async_trait]
impl HttpClient for Client {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let sending = async { tokio::time::timeout(TIMEOUT, send(request)).await };
        let sent = self.0.spawn(sending).await?;
        let sent = sent.unwrap_or_else(|_| Err("the collector did not answer in time".to_owned()));
        if let Err(reason) = &sent {
            tracing::warn!(reason, "cannot export spans");
        }
        Ok(sent?)
    }
}

async fn send(request: Request<Bytes>) -> Result<Response<Bytes>, String> {
    let target = WebhookTarget::parse(&request.uri().to_string())?;
    let (mut head, body) = request.into_parts();
    head.uri = Uri::try_from(&target.path).map_err(|error| error.to_string())?;
    let host = target.authority().try_into();
    head.headers
        .insert(header::HOST, host.map_err(|_| "the URL has no valid host")?);
    let request = Request::from_parts(head, body.into());
    let trust = Trust::default();
    let answer = target.exchange(Networks::LinkLocal, &trust, request);
    let status = answer.await?.response.status();
    match status.is_success() {
        true => Ok(Response::new(Bytes::new())),
        false => Err(format!("the collector answered {status}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_of_a_collector_may_be_left_out() {
        let full = Ok(Endpoint("http://localhost:4318/v1/traces".to_owned()));
        for url in [
            "http://localhost:4318",
            "http://localhost:4318/",
            "http://localhost:4318/v1/traces",
        ] {
            assert_eq!(Endpoint::parse(url), full, "{url}");
        }
        assert!(Endpoint::parse("localhost:4318").is_err());
        assert!(Endpoint::parse("grpc://localhost:4317").is_err());
    }
}
