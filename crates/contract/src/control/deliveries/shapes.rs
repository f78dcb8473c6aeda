//! Webhook deliveries and the delivery settings.

use contract_macros::schema;
use poem_openapi::types::Example;

use super::super::super::body::Readable;
use super::super::super::values::{JsonObject, Nullable, Timestamp};

/// The status of a webhook delivery. `pending`: not sent yet, or being sent. `delivered`: the
/// receiver responded with a status from 200 to 299. `failed`: the receiver could not be reached
/// or responded with another status. `recorded`: not sent, because the app has no webhook URL.
#[schema(rename_all = "lowercase")]
pub enum DeliveryState {
    Pending,
    Delivered,
    Failed,
    Recorded,
}

/// An attempt to deliver a webhook.
#[schema(example)]
pub struct WebhookDelivery {
    /// The identifier of the delivery.
    pub id: i64,
    /// The identifier of the event. It is the same for every app that receives the event, and
    /// for redeliveries.
    pub guid: String,
    /// The slug of the app that receives the webhook.
    pub app: String,
    /// The name of the event.
    pub event: String,
    /// The action of the event. `null` for events without actions.
    pub action: Nullable<String>,
    /// The identifier of the installation. `null` for events about the app itself.
    pub installation_id: Nullable<i64>,
    /// The identifier of the repository. `null` for events that are not about one repository.
    pub repository_id: Nullable<i64>,
    pub status: DeliveryState,
    /// Whether the delivery is a redelivery.
    pub redelivery: bool,
    /// The number of the attempt, starting at 1. The server's automatic retries increase it.
    pub attempt: i64,
    /// When the delivery was created.
    pub created_at: Timestamp,
    /// When a pending delivery is due. While it is being sent, when it is sent again if the server
    /// is killed during the attempt. `null` if the delivery is not pending.
    pub next_attempt_at: Nullable<Timestamp>,
    /// When the attempt ended. `null` until then.
    pub delivered_at: Nullable<Timestamp>,
    /// The duration of the attempt, in milliseconds. `null` until it ends.
    pub duration_ms: Nullable<i64>,
    /// Why the attempt failed. `null` if it did not.
    pub error: Nullable<String>,
    pub request: DeliveryRequest,
    /// The response of the receiver. `null` if there is none.
    pub response: Nullable<DeliveryResponse>,
}

/// The request of a webhook delivery.
#[schema]
pub struct DeliveryRequest {
    /// The URL to which the request was sent. `null` before the attempt, and if the app has no
    /// webhook URL.
    pub url: Nullable<String>,
    /// The headers of the request. `null` before the attempt.
    pub headers: Nullable<JsonObject>,
    /// The payload of the event. `null` in lists if it is larger than 64 KiB: get the single
    /// delivery instead.
    pub payload: Nullable<JsonObject>,
}

/// The response to a webhook delivery.
#[schema]
pub struct DeliveryResponse {
    /// The HTTP status of the response.
    pub status: i64,
    /// The headers of the response.
    pub headers: JsonObject,
    /// The first 64 KiB of the response body.
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

/// The settings of webhook delivery.
#[schema(closed, example)]
#[derive(Copy, PartialEq, Eq)]
pub struct DeliverySettings {
    /// Whether delivery is paused, so that webhooks stay pending.
    pub paused: bool,
}

impl Readable for DeliverySettings {}

impl Example for DeliverySettings {
    fn example() -> Self {
        Self { paused: true }
    }
}
