//! Webhook payloads on their way to apps.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "webhook_delivery")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: i64,
    /// The same at every attempt, so that a receiver can tell repetitions; unique.
    pub guid: String,
    pub pull_id: i64,
    pub installation_id: i64,
    pub event: String,
    pub action: String,
    /// A JSON object, as it is sent.
    pub payload: String,
    pub created_at: i64,
    pub attempts: i64,
    pub next_attempt_at: i64,
    pub delivered_at: Option<i64>,
    /// When it was given up; None as long as it may still arrive.
    pub abandoned_at: Option<i64>,
    pub last_error: Option<String>,
    #[sea_orm(belongs_to, from = "installation_id", to = "id")]
    pub installation: BelongsTo<super::installation::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}
