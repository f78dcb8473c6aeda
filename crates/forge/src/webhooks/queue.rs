//! Writes deliveries in the transaction of the change that causes them.

use std::borrow::Cow;

use async_trait::async_trait;
use sea_orm::{EntityTrait, Set};
use serde_json::{Value, json};

use super::payload::{LARGEST_PAYLOAD, Payloads};
use super::prepared;
use crate::events::{
    Audience, Deliver, Event, EventName, Origin, Outbox, PreparedDeliveries, RefUpdate,
};
use crate::node_id;
use contract::json::to_string_within;
use contract::problem::Problem;
use contract::reply::Outcome;
use storage::cache::Cache;
use storage::database::{Database, Transaction};
use storage::entities::webhook_delivery;
use storage::entropy::Entropy;

/// Bytes of payloads that are inserted together, unless one is larger.
const TOGETHER: usize = 1024 * 1024;

/// Deliveries that are inserted together. SQLite accepts 32,766 values in a statement, and a
/// delivery has ten.
const MOST_TOGETHER: usize = 1000;

/// The queue of deliveries.
pub struct DeliveryQueue;

#[async_trait]
impl Deliver for DeliveryQueue {
    async fn deliver(
        &self,
        transaction: &Transaction,
        origin: &Origin<'_>,
        events: &[Event<'_>],
    ) -> Outcome<()> {
        let recording = origin.outbox.is_recording();
        let audience = match &origin.audience {
            Some(audience) => Cow::Borrowed(&**audience),
            None => Cow::Owned(Audience::of(transaction, origin.repository, recording).await?),
        };
        let mut payloads = Payloads::default();
        let mut deliveries = Deliveries::new(transaction, origin.outbox, origin.now);
        for event in events {
            if !audience.has_subscriber(event.name()) {
                continue;
            }
            let Some(payload) = payloads.of(transaction, origin, event).await? else {
                too_large(event.name());
                continue;
            };
            let delivery = NewDelivery {
                repository: Some(origin.repository.id),
                event: event.name(),
                action: event.action(),
            };
            deliveries.add(&audience, delivery, payload).await?;
        }
        deliveries.insert().await
    }

    async fn prepare(
        &self,
        db: &Database,
        cache: &Cache,
        origin: &Origin<'_>,
        created: &RefUpdate<'_>,
    ) -> Outcome<Option<PreparedDeliveries>> {
        prepared::deliveries(db, cache, origin, created).await
    }
}

/// What the deliveries of one event to several apps have in common.
pub(super) struct NewDelivery {
    pub repository: Option<i64>,
    pub event: EventName,
    pub action: Option<&'static str>,
}

/// The deliveries of a change. They are inserted together, a few large payloads at a time.
pub(super) struct Deliveries<'a> {
    transaction: &'a Transaction,
    outbox: &'a Outbox,
    now: i64,
    waiting: Vec<Delivery>,
    /// The length of the waiting payloads.
    bytes: usize,
}

impl<'a> Deliveries<'a> {
    pub fn new(transaction: &'a Transaction, outbox: &'a Outbox, now: i64) -> Self {
        Self {
            transaction,
            outbox,
            now,
            waiting: Vec::new(),
            bytes: 0,
        }
    }

    /// Adds an event for every app that is subscribed to it.
    pub async fn add(
        &mut self,
        audience: &Audience,
        delivery: NewDelivery,
        mut payload: Value,
    ) -> Outcome<()> {
        let guid = guid(&*self.outbox.entropy);
        let NewDelivery {
            repository,
            event,
            action,
        } = delivery;
        for receiver in audience.receivers(event) {
            let id = receiver.installation;
            payload["installation"] = installation(id);
            let Some(payload) = text(event, &payload)? else {
                return Ok(());
            };
            if self.bytes + payload.len() > TOGETHER || self.waiting.len() == MOST_TOGETHER {
                self.insert_waiting().await?;
            }
            self.bytes += payload.len();
            self.waiting.push(Delivery {
                guid: guid.clone(),
                app: receiver.app,
                installation: Some(id),
                repository,
                event,
                action,
                recorded: !receiver.has_webhook,
                payload,
            });
        }
        Ok(())
    }

    /// Inserts those that are not inserted yet.
    pub async fn insert(mut self) -> Outcome<()> {
        self.insert_waiting().await
    }

    async fn insert_waiting(&mut self) -> Outcome<()> {
        self.bytes = 0;
        let deliveries = std::mem::take(&mut self.waiting);
        insert(self.transaction, self.outbox, deliveries, self.now).await
    }
}

/// The installation that receives a payload.
pub(super) fn installation(id: i64) -> Value {
    json!({"id": id, "node_id": node_id::installation(id)})
}

/// The delivery of an event to one app.
pub(super) struct Delivery {
    pub guid: String,
    pub app: i64,
    pub installation: Option<i64>,
    pub repository: Option<i64>,
    pub event: EventName,
    pub action: Option<&'static str>,
    /// Whether it is only recorded, because the app has no webhook.
    pub recorded: bool,
    pub payload: String,
}

/// A payload as it is sent; None if it is too large.
pub(super) fn text(event: EventName, payload: &Value) -> Outcome<Option<String>> {
    let text = to_string_within(LARGEST_PAYLOAD, payload).map_err(Problem::internal)?;
    if text.is_none() {
        too_large(event);
    }
    Ok(text)
}

/// Inserts deliveries.
pub(super) async fn insert(
    transaction: &Transaction,
    outbox: &Outbox,
    deliveries: Vec<Delivery>,
    now: i64,
) -> Outcome<()> {
    let mut rows = Vec::with_capacity(deliveries.len());
    for delivery in deliveries {
        rows.push(webhook_delivery::ActiveModel {
            guid: Set(delivery.guid),
            app_id: Set(delivery.app),
            installation_id: Set(delivery.installation),
            repository_id: Set(delivery.repository),
            event: Set(delivery.event.as_str().to_owned()),
            action: Set(delivery.action.map(str::to_owned)),
            payload: Set(delivery.payload),
            recorded: Set(delivery.recorded),
            created_at: Set(now),
            next_attempt_at: Set(now),
            ..Default::default()
        });
    }
    if rows.is_empty() {
        return Ok(());
    }
    webhook_delivery::Entity::insert_many(rows)
        .exec_without_returning(&**transaction)
        .await?;
    transaction.wake_after_commit(outbox.signal());
    Ok(())
}

fn too_large(event: EventName) {
    let event = event.as_str();
    tracing::warn!(event, "webhook not sent: the payload is larger than 25 MB");
}

/// A random UUID, version 4.
pub(super) fn guid(entropy: &dyn Entropy) -> String {
    let mut bytes = [0; 16];
    entropy.fill(&mut bytes);
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    let hex = hex::encode(bytes);
    format!(
        "{}-{}-{}-{}-{}",
        &hex[..8],
        &hex[8..12],
        &hex[12..16],
        &hex[16..20],
        &hex[20..]
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use storage::entropy::SeededEntropy;

    #[test]
    fn a_delivery_id_is_a_random_uuid() {
        let entropy = SeededEntropy::new(1);
        let (one, other) = (guid(&entropy), guid(&entropy));
        assert_ne!(one, other);
        assert_eq!(one.len(), 36);
        assert_eq!(&one[14..15], "4");
        assert!("89ab".contains(&one[19..20]));
    }
}
