//! What apps are told of: each event once, to each app that subscribed and may see it, and
//! nothing of a change that was refused. That payloads fit GitHub's schemas is in
//! `tests/github/deliveries.mjs`.

mod installations;
mod queueing;
mod references;

use forgewright::app::Settings;

use crate::harness::Service;
use crate::support::events::Queued;

const WORLD: &str = include_str!("events/world.yaml");

async fn start() -> Service {
    Service::with(WORLD, Settings::default()).await
}

/// Apps and events, in order.
fn names(queued: &[Queued]) -> Vec<(i64, &str)> {
    let names = queued.iter().map(|queued| (queued.app, &*queued.name));
    names.collect()
}
