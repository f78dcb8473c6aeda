//! Counts the queries of a request.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};

use tracing::span::{Attributes, Id, Record};
use tracing::{Dispatch, Event, Metadata, Subscriber};

/// Runs requests, and returns their result with the number of their queries. The runtime of the
/// test must be that of `tokio::test`, which has one thread.
pub async fn counted<T>(work: impl Future<Output = T>) -> (T, u64) {
    LazyLock::force(&SECOND);
    let queries = Arc::default();
    let counter = QueryCounter(Arc::clone(&queries));
    let guard = tracing::subscriber::set_default(counter);
    let outcome = work.await;
    drop(guard);
    (outcome, queries.load(Ordering::Relaxed))
}

/// If there is only one subscriber, `tracing` decides for all threads by the one that first
/// reaches a query, which may have none.
static SECOND: LazyLock<Dispatch> = LazyLock::new(|| Dispatch::new(QueryCounter(Arc::default())));

/// Counts the spans of queries.
struct QueryCounter(Arc<AtomicU64>);

impl Subscriber for QueryCounter {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_span() && metadata.name() == "query"
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(self.0.fetch_add(1, Ordering::Relaxed) + 1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &Event<'_>) {}

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}
