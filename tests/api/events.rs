//! What apps are told of: each event once, to each app that subscribed and may see it, and
//! nothing of a change that was refused. That payloads fit GitHub's schemas is in
//! `tests/github/deliveries.mjs`.

mod installations;
mod queueing;
mod references;

use forgewright::app::Settings;
use forgewright::entities::webhook_delivery;
use sea_orm::{ConnectionTrait, EntityTrait, QueryOrder};
use serde_json::Value;

use crate::harness::Service;

const WORLD: &str = include_str!("events/world.yaml");

async fn start() -> Service {
    Service::with(WORLD, Settings::default()).await
}

/// A delivery that waits to be sent.
struct Queued {
    app: i64,
    /// The event, and its action if it has one: `pull_request.closed`.
    name: String,
    payload: Value,
}

/// Everything that has been queued, in order.
async fn queued(service: &Service) -> Vec<Queued> {
    let rows = webhook_delivery::Entity::find()
        .order_by_asc(webhook_delivery::Column::Id)
        .all(service.app.db.reads())
        .await
        .unwrap();
    let queued = rows.into_iter().map(|row| Queued {
        app: row.app_id,
        name: match row.action {
            Some(action) => format!("{}.{action}", row.event),
            None => row.event,
        },
        payload: serde_json::from_str(&row.payload).unwrap(),
    });
    queued.collect()
}

/// Apps and events, in order.
fn names(queued: &[Queued]) -> Vec<(i64, &str)> {
    let names = queued.iter().map(|queued| (queued.app, &*queued.name));
    names.collect()
}

async fn execute(service: &Service, sql: &str) {
    let on = service.app.db.begin().await.unwrap();
    on.execute_unprepared(sql).await.unwrap();
    on.commit().await.unwrap();
}
