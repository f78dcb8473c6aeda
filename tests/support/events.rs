//! The events that are queued for apps.

use sea_orm::{ConnectionTrait, EntityTrait, QueryOrder};
use serde_json::Value;
use storage::entities::webhook_delivery;

use super::server::Server;

/// A part of a world file: an app of acme that subscribes to references and pull requests.
pub const LISTENER: &str = r#"
apps:
  - slug: listener
    name: Listener
    owner: acme
    permissions: {contents: read, pull_requests: read}
    events: [push, create, delete, pull_request]
    webhook: {url: "http://127.0.0.1:9/", secret: hush}
installations:
  - {app: listener, account: acme}
"#;

/// An event that was queued for an app.
pub struct Queued {
    pub app: i64,
    /// The event, and its action if it has one: `pull_request.closed`.
    pub name: String,
    pub payload: Value,
}

/// The events, in order.
pub fn names(queued: &[Queued]) -> Vec<&str> {
    queued.iter().map(|queued| queued.name.as_str()).collect()
}

impl Server {
    /// Every delivery, in order.
    pub async fn deliveries(&self) -> Vec<webhook_delivery::Model> {
        webhook_delivery::Entity::find()
            .order_by_asc(webhook_delivery::Column::Id)
            .all(self.app.db.reads())
            .await
            .unwrap()
    }

    /// All queued events, in order.
    pub async fn queued(&self) -> Vec<Queued> {
        self.queued_since(&mut 0).await
    }

    /// The events queued since the last call.
    pub async fn queued_since(&self, read_so_far: &mut usize) -> Vec<Queued> {
        let new = self.deliveries().await.into_iter().skip(*read_so_far);
        let new: Vec<_> = new
            .map(|row| Queued {
                app: row.app_id,
                name: match row.action {
                    Some(action) => format!("{}.{action}", row.event),
                    None => row.event,
                },
                payload: serde_json::from_str(&row.payload).unwrap(),
            })
            .collect();
        *read_so_far += new.len();
        new
    }

    /// Changes the database directly, not through the server.
    pub async fn execute(&self, sql: &str) {
        let on = self.app.db.begin().await.unwrap();
        let done = on.execute_unprepared(sql).await;
        done.unwrap_or_else(|error| panic!("{sql}: {error}"));
        on.commit().await.unwrap();
    }
}
