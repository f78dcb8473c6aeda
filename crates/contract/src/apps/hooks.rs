//! The webhook of an app: its configuration and its deliveries.

use contract_macros::schema;
use poem_openapi::Enum;
use poem_openapi::types::Example;
use serde_json::{Value, json};

use super::super::body::Readable;
use super::super::values::{JsonObject, Nullable, Timestamp};

/// The format of webhook payloads.
#[schema(rename_all = "lowercase")]
pub enum HookContentType {
    Json,
    Form,
}

/// Whether to skip the verification of the receiver's TLS certificate: `0` verifies it, `1`
/// does not.
#[schema]
pub enum InsecureSsl {
    #[schema(rename = "0")]
    Off,
    #[schema(rename = "1")]
    On,
}

/// The configuration of a webhook.
#[schema(example)]
pub struct HookConfig {
    /// The URL to which payloads are delivered. Omitted if the app has no webhook.
    pub url: Option<String>,
    pub content_type: HookContentType,
    /// The masked secret: always `********`. Omitted if payloads are not signed.
    pub secret: Option<String>,
    pub insecure_ssl: InsecureSsl,
}

impl Example for HookConfig {
    fn example() -> Self {
        Self {
            url: Some("https://ci.example/hook".to_owned()),
            content_type: HookContentType::Json,
            secret: Some("********".to_owned()),
            insecure_ssl: InsecureSsl::Off,
        }
    }
}

/// Changes to the configuration of a webhook. Omitted properties are not changed.
#[schema(example)]
#[derive(Default)]
pub struct UpdateHookConfig {
    /// The `http` or `https` URL to which payloads are delivered.
    #[schema(validator(max_length = 2048))]
    pub url: Option<String>,
    pub content_type: Option<HookContentType>,
    /// The secret that signs the payloads. An empty string removes the current secret,
    /// `********` keeps it.
    #[schema(validator(max_length = 1024))]
    pub secret: Option<String>,
    pub insecure_ssl: Option<InsecureSsl>,
}

impl Readable for UpdateHookConfig {
    /// `insecure_ssl` may also be a number.
    fn prepare(body: &mut Value) {
        if let Some(number) = body.get("insecure_ssl").and_then(Value::as_i64) {
            body["insecure_ssl"] = json!(number.to_string());
        }
    }
}

impl Example for UpdateHookConfig {
    fn example() -> Self {
        Self {
            url: Some("https://ci.example/hook".to_owned()),
            content_type: Some(HookContentType::Json),
            secret: None,
            insecure_ssl: None,
        }
    }
}

/// A webhook delivery, without its request and response.
#[schema(example)]
pub struct HookDeliveryItem {
    /// The identifier of the delivery.
    pub id: i64,
    /// The identifier of the event. It is the same for every app that receives the event, and
    /// for redeliveries.
    pub guid: String,
    /// When the delivery attempt ended.
    pub delivered_at: Timestamp,
    /// Whether the delivery is a redelivery.
    pub redelivery: bool,
    /// The duration of the delivery attempt, in seconds.
    pub duration: f64,
    /// The outcome of the delivery: `OK`, or the reason for the failure.
    pub status: String,
    /// The HTTP status of the receiver's response. 502 if the receiver could not be reached, 504
    /// if it timed out.
    pub status_code: i64,
    /// The name of the event.
    pub event: String,
    /// The action of the event. `null` for events without actions.
    pub action: Nullable<String>,
    /// The identifier of the installation. `null` for events about the app itself.
    pub installation_id: Nullable<i64>,
    /// The identifier of the repository. `null` for events that are not about one repository.
    pub repository_id: Nullable<i64>,
    /// Always `null`: deliveries are not throttled.
    #[schema(unpromised)]
    pub throttled_at: Nullable<Timestamp>,
    /// The URL to which the payload was delivered. Empty if the app no longer had a webhook.
    #[schema(unpromised)]
    pub url: String,
}

impl Example for HookDeliveryItem {
    fn example() -> Self {
        Self {
            id: 42,
            guid: "0b989ba4-242f-41e5-81e1-c7b6966d2516".to_owned(),
            delivered_at: Timestamp(1_773_135_000),
            redelivery: false,
            duration: 0.03,
            status: "OK".to_owned(),
            status_code: 200,
            event: "pull_request".to_owned(),
            action: Some("opened".to_owned()).into(),
            installation_id: Some(7001).into(),
            repository_id: Some(2001).into(),
            throttled_at: None.into(),
            url: "https://ci.example/hook".to_owned(),
        }
    }
}

/// The request of a webhook delivery.
#[schema]
pub struct HookRequest {
    /// The headers of the request. Empty if the request could not be sent.
    pub headers: JsonObject,
    /// The payload of the request.
    pub payload: JsonObject,
}

/// The response to a webhook delivery.
#[schema]
pub struct HookResponse {
    /// The headers of the response. Empty if the receiver did not respond.
    pub headers: JsonObject,
    /// The first 64 KB of the response body.
    pub payload: Nullable<String>,
}

/// A webhook delivery.
#[schema(example)]
pub struct HookDelivery {
    #[schema(flatten)]
    pub item: HookDeliveryItem,
    pub request: HookRequest,
    pub response: HookResponse,
}

impl Example for HookDelivery {
    fn example() -> Self {
        let object = |name: &str, value: &str| JsonObject::of(name, value.into());
        Self {
            item: HookDeliveryItem::example(),
            request: HookRequest {
                headers: object("X-GitHub-Event", "pull_request"),
                payload: object("action", "opened"),
            },
            response: HookResponse {
                headers: object("Content-Type", "text/plain"),
                payload: Some("ok".to_owned()).into(),
            },
        }
    }
}

/// An empty object: the request was accepted.
#[schema(example)]
#[derive(Default)]
pub struct Accepted {}

impl Example for Accepted {
    fn example() -> Self {
        Self {}
    }
}

/// The outcome of a delivery: `success` if the response had a status below 400, otherwise
/// `failure`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "lowercase")]
pub enum HookDeliveryStatus {
    Success,
    Failure,
}
