//! Webhook deliveries: one row for each attempt, with its outcome.

use sea_orm::FromQueryResult;
use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "webhook_delivery")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: i64,
    /// Identifies the event: the same for every app, and when it is sent again.
    pub guid: String,
    pub app_id: i64,
    /// May be gone; None if the event is about the app itself.
    pub installation_id: Option<i64>,
    /// May be gone; None if the event is not about one repository.
    pub repository_id: Option<i64>,
    pub event: String,
    pub action: Option<String>,
    /// A JSON object, as it is sent.
    pub payload: String,
    /// Whether it repeats an earlier delivery.
    pub redelivery: bool,
    /// Whether the app had no webhook URL, so that it is never sent.
    pub recorded: bool,
    /// How many automatic retries came before it.
    pub retries: i64,
    pub created_at: i64,
    /// How often a process began to send it; more than one only after a crash.
    pub attempts: i64,
    pub next_attempt_at: i64,
    /// When the attempt ended, successful or not; None while pending.
    pub delivered_at: Option<i64>,
    pub duration_ms: i64,
    /// 502 without a response, 504 after a timeout.
    pub status_code: Option<i64>,
    pub status: Option<String>,
    pub url: Option<String>,
    /// A JSON object.
    pub request_headers: Option<String>,
    /// A JSON object.
    pub response_headers: Option<String>,
    /// The beginning of the response body.
    pub response_body: Option<String>,
    /// The reason of a failure, for the operator.
    pub error: Option<String>,
    #[sea_orm(belongs_to, from = "app_id", to = "id")]
    pub app: BelongsTo<super::app::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}

/// A delivery without its request and response, which may be large.
#[derive(Debug, FromQueryResult)]
pub struct Summary {
    pub id: i64,
    pub guid: String,
    pub delivered_at: Option<i64>,
    pub redelivery: bool,
    pub duration_ms: i64,
    pub status: Option<String>,
    pub status_code: Option<i64>,
    pub event: String,
    pub action: Option<String>,
    pub installation_id: Option<i64>,
    pub repository_id: Option<i64>,
    pub url: Option<String>,
}

impl From<Model> for Summary {
    fn from(row: Model) -> Self {
        Self {
            id: row.id,
            guid: row.guid,
            delivered_at: row.delivered_at,
            redelivery: row.redelivery,
            duration_ms: row.duration_ms,
            status: row.status,
            status_code: row.status_code,
            event: row.event,
            action: row.action,
            installation_id: row.installation_id,
            repository_id: row.repository_id,
            url: row.url,
        }
    }
}
