//! Events for apps: the server queues each once for every app that subscribed and may see it,
//! and none for a refused change. `tests/github/deliveries.mjs` validates the payloads against
//! GitHub's schemas.

mod installations;
mod prepared;
mod queueing;
mod references;

use forge::app::Settings;

use crate::harness::Service;
use crate::support::events::Queued;

const WORLD: &str = include_str!("events/world.yaml");

async fn start() -> Service {
    Service::with(WORLD, Settings::default()).await
}

/// The apps and the names of queued events, in order.
fn names(queued: &[Queued]) -> Vec<(i64, &str)> {
    let names = queued.iter().map(|queued| (queued.app, &*queued.name));
    names.collect()
}
