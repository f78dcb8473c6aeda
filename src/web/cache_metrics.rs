//! Cache metrics for Prometheus.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::ConstCounter;

use forge::app::App;
use storage::cache::{CacheEvent, CacheKind};

/// Reads the cache counters on each scrape.
pub struct CacheMetrics(pub Arc<App>);

impl fmt::Debug for CacheMetrics {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("CacheMetrics")
    }
}

impl Collector for CacheMetrics {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let cache = &self.0.cache;
        for event in CacheEvent::ALL {
            let (name, help) = described(event);
            let mut family = encoder.encode_descriptor(name, help, None, MetricType::Counter)?;
            for kind in CacheKind::ALL {
                let labels = [("kind", kind.label())];
                let count = ConstCounter::new(cache.counts().of(kind, event));
                count.encode(family.encode_family(&labels)?)?;
            }
        }
        let mut bytes = encoder.encode_descriptor(
            "cache_bytes",
            "Size of the cached results in bytes, including keys and headers",
            None,
            MetricType::Gauge,
        )?;
        let bytes_in_use = i64::try_from(cache.bytes()).unwrap_or(i64::MAX);
        bytes.encode_gauge(&bytes_in_use)?;
        let counts = self.0.db.versions().counts();
        let reads = [
            (
                "cache_version_requests",
                "Lookups of aggregate versions",
                &counts.requests,
            ),
            (
                "cache_version_queries",
                "Queries for aggregate versions; concurrent lookups share one",
                &counts.queries,
            ),
        ];
        for (name, help, count) in reads {
            let count = ConstCounter::new(count.load(Ordering::Relaxed));
            let encoded = encoder.encode_descriptor(name, help, None, count.metric_type())?;
            count.encode(encoded)?;
        }
        Ok(())
    }
}

fn described(event: CacheEvent) -> (&'static str, &'static str) {
    match event {
        CacheEvent::Hit => ("cache_hits", "Results served from the cache"),
        CacheEvent::Miss => (
            "cache_misses",
            "Results computed because they were not cached",
        ),
        CacheEvent::Wait => (
            "cache_single_flight_waits",
            "Requests that waited for another request to compute the same result",
        ),
        CacheEvent::Eviction => ("cache_evictions", "Results evicted to free memory"),
    }
}
