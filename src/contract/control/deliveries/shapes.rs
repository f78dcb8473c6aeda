//! A webhook with its attempt, and the switch of delivery.

use poem_openapi::types::Example;
use poem_openapi::{Enum, Object};
use serde::{Deserialize, Serialize};

use super::super::super::body::Readable;
use super::super::super::values::{JsonObject, Nullable, Timestamp};

/// What became of a webhook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum, Serialize, Deserialize)]
#[oai(rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum DeliveryState {
    /// It waits to be sent, or is being sent.
    Pending,
    /// The receiver answered with a status of 200 to 299.
    Delivered,
    /// The receiver could not be reached or answered otherwise.
    Failed,
    /// Its app has no address, so it is not sent.
    Recorded,
}

/// A webhook, and what became of one attempt to deliver it.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
#[oai(example)]
pub struct WebhookDelivery {
    pub id: i64,
    /// Identifies the event; the same for every app that was told of it, and for redeliveries.
    pub guid: String,
    /// The app that it is for.
    pub app: String,
    /// The name of the event.
    pub event: String,
    /// What happened; null for events without actions.
    pub action: Nullable<String>,
    /// Null for events about the app itself.
    pub installation_id: Nullable<i64>,
    /// Null for events that are not about one repository.
    pub repository_id: Nullable<i64>,
    pub status: DeliveryState,
    /// Whether it repeats an earlier delivery.
    pub redelivery: bool,
    /// Which attempt it is, of those that the server makes by itself; 1 is the first.
    pub attempt: i64,
    pub created_at: Timestamp,
    /// When a delivery that waits is due; null if none is.
    pub next_attempt_at: Nullable<Timestamp>,
    /// When the attempt ended; null before.
    pub delivered_at: Nullable<Timestamp>,
    /// How many milliseconds the attempt took; null before it ended.
    pub duration_ms: Nullable<i64>,
    /// Why it failed, in words; null if it did not.
    pub error: Nullable<String>,
    pub request: DeliveryRequest,
    /// Null without an answer.
    pub response: Nullable<DeliveryResponse>,
}

/// What is sent.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
pub struct DeliveryRequest {
    /// Where it went; null before the attempt, and if there is no address.
    pub url: Nullable<String>,
    /// As they were sent; null before the attempt.
    pub headers: Nullable<JsonObject>,
    /// The event. Null in lists if it is larger than 64 KiB: get the delivery by itself.
    pub payload: Nullable<JsonObject>,
}

/// What the receiver answered.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
pub struct DeliveryResponse {
    /// The status.
    pub status: i64,
    /// As they came.
    pub headers: JsonObject,
    /// The first 64 KiB of the body.
    pub body: String,
}

impl Example for WebhookDelivery {
    fn example() -> Self {
        let object = |name: &str, value: &str| JsonObject::of(name, value.into());
        Self {
            id: 42,
            guid: "0b989ba4-242f-41e5-81e1-c7b6966d2516".to_owned(),
            app: "ci-bot".to_owned(),
            event: "pull_request".to_owned(),
            action: Some("opened".to_owned()).into(),
            installation_id: Some(7001).into(),
            repository_id: Some(2001).into(),
            status: DeliveryState::Delivered,
            redelivery: false,
            attempt: 1,
            created_at: Timestamp(1_773_135_000),
            next_attempt_at: None.into(),
            delivered_at: Some(Timestamp(1_773_135_000)).into(),
            duration_ms: Some(30).into(),
            error: None.into(),
            request: DeliveryRequest {
                url: Some("https://ci.example/hook".to_owned()).into(),
                headers: Some(object("X-GitHub-Event", "pull_request")).into(),
                payload: Some(object("action", "opened")).into(),
            },
            response: Some(DeliveryResponse {
                status: 200,
                headers: object("Content-Type", "text/plain"),
                body: "ok".to_owned(),
            })
            .into(),
        }
    }
}

/// Whether webhooks are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Object, Serialize, Deserialize)]
#[oai(example)]
pub struct DeliverySettings {
    /// Whether webhooks wait instead of being sent.
    pub paused: bool,
}

impl Readable for DeliverySettings {}

impl Example for DeliverySettings {
    fn example() -> Self {
        Self { paused: true }
    }
}
