//! The webhook of an app: its settings, and what was sent to it.

use poem_openapi::types::Example;
use poem_openapi::{Enum, Object};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::super::body::Readable;
use super::super::values::{JsonObject, Nullable, Timestamp};

/// How payloads are encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum, Serialize, Deserialize)]
#[oai(rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum HookContentType {
    Json,
    Form,
}

/// Whether the certificate of the receiver is checked: `0` if it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum, Serialize, Deserialize)]
pub enum InsecureSsl {
    #[oai(rename = "0")]
    #[serde(rename = "0")]
    Off,
    #[oai(rename = "1")]
    #[serde(rename = "1")]
    On,
}

/// The settings of a webhook.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
#[oai(example)]
pub struct HookConfig {
    /// Where payloads go. Only if the app has a webhook.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    pub content_type: HookContentType,
    /// Always `********`. Only if payloads are signed.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
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

/// Changes of a webhook. What is left out stays as it is.
#[derive(Debug, Clone, Default, Object, Serialize, Deserialize)]
#[oai(example)]
pub struct UpdateHookConfig {
    /// Where payloads go: an address of http or https.
    #[oai(validator(max_length = 2048), skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_type: Option<HookContentType>,
    /// The key that payloads are signed with. Empty for none; `********` stands for the one that
    /// is there.
    #[oai(validator(max_length = 1024), skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret: Option<String>,
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
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

/// A delivery, without what was sent and answered.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
#[oai(example)]
pub struct HookDeliveryItem {
    pub id: i64,
    /// Identifies the event; the same for every app that was told of it, and for redeliveries.
    pub guid: String,
    /// When the attempt ended.
    pub delivered_at: Timestamp,
    /// Whether it repeats an earlier delivery.
    pub redelivery: bool,
    /// How long the attempt took, in seconds.
    pub duration: f64,
    /// `OK`, or what went wrong.
    pub status: String,
    /// What the receiver answered: 502 if it could not be reached, 504 if it took too long.
    pub status_code: i64,
    /// The name of the event.
    pub event: String,
    /// What happened; null for events without actions.
    pub action: Nullable<String>,
    /// Null for events about the app itself.
    pub installation_id: Nullable<i64>,
    /// Null for events that are not about one repository.
    pub repository_id: Nullable<i64>,
    /// Always null: deliveries are not throttled.
    pub throttled_at: Nullable<Timestamp>,
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
        }
    }
}

/// What was sent.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
pub struct HookRequest {
    /// Empty if nothing could be sent.
    pub headers: JsonObject,
    /// The event, as the app got it.
    pub payload: JsonObject,
}

/// What the receiver answered.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
pub struct HookResponse {
    /// Empty if it gave no answer.
    pub headers: JsonObject,
    /// The first 64 KB of its answer.
    pub payload: Nullable<String>,
}

/// A delivery.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
#[oai(example)]
pub struct HookDelivery {
    #[oai(flatten)]
    #[serde(flatten)]
    pub item: HookDeliveryItem,
    /// Where it went. Not if the app had no webhook any more.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    pub request: HookRequest,
    pub response: HookResponse,
}

impl Example for HookDelivery {
    fn example() -> Self {
        let object = |name: &str, value: &str| JsonObject::of(name, value.into());
        Self {
            item: HookDeliveryItem::example(),
            url: Some("https://ci.example/hook".to_owned()),
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

/// The request was accepted; there is nothing more to say.
#[derive(Debug, Clone, Default, Object, Serialize, Deserialize)]
#[oai(example)]
pub struct Accepted {}

impl Example for Accepted {
    fn example() -> Self {
        Self {}
    }
}

/// Which deliveries are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "lowercase")]
pub enum HookDeliveryStatus {
    /// Those that were answered with a status below 400.
    Success,
    /// All others.
    Failure,
}
