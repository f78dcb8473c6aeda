//! Metrics of the memory of requests, for Prometheus.

use std::fmt;
use std::sync::Arc;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::ConstCounter;

use storage::heavy::RequestMemory;

/// Reads the figures on each scrape.
#[derive(Debug)]
pub struct MemoryMetrics(pub Arc<RequestMemory>);

impl Collector for MemoryMetrics {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let figures = self.0.figures();
        let gauges = [
            (
                "request_memory_bytes",
                "Bytes that requests hold: bodies, packs, pages, responses",
                figures.held,
            ),
            (
                "request_memory_limit_bytes",
                "The most bytes that requests may hold",
                figures.most,
            ),
        ];
        for (name, help, bytes) in gauges {
            let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
            let mut gauge = encoder.encode_descriptor(name, help, None, MetricType::Gauge)?;
            gauge.encode_gauge(&bytes)?;
        }
        let counters = [
            (
                "request_memory_waits",
                "Times that a request waited for memory",
                figures.waits,
            ),
            (
                "request_memory_refusals",
                "Requests that waited in vain, and got 503",
                figures.refusals,
            ),
        ];
        for (name, help, count) in counters {
            let count = ConstCounter::new(count);
            let encoded = encoder.encode_descriptor(name, help, None, count.metric_type())?;
            count.encode(encoded)?;
        }
        Ok(())
    }
}
