//! Queries on deliveries.

use sea_orm::sea_query::Expr;
use sea_orm::{DbErr, EntityTrait, FromQueryResult, QueryFilter, QueryOrder, QuerySelect, Select};

use contract::control::deliveries::{DeliveryFilter, DeliveryState};
use storage::database::Connection;
use storage::entities::{app, webhook_delivery};

/// A delivery with the name of its app. Omits a payload that is too large for a list.
#[derive(Debug, FromQueryResult)]
pub struct DeliveryRow {
    pub id: i64,
    pub guid: String,
    pub slug: String,
    pub event: String,
    pub action: Option<String>,
    pub installation_id: Option<i64>,
    pub repository_id: Option<i64>,
    pub payload: Option<String>,
    pub redelivery: bool,
    pub recorded: bool,
    pub retries: i64,
    pub created_at: i64,
    pub next_attempt_at: i64,
    pub delivered_at: Option<i64>,
    pub duration_ms: i64,
    pub status_code: Option<i64>,
    pub url: Option<String>,
    pub request_headers: Option<String>,
    pub response_headers: Option<String>,
    pub response_body: Option<String>,
    pub error: Option<String>,
}

/// The newest first.
pub async fn listed(db: &Connection, filter: &DeliveryFilter) -> Result<Vec<DeliveryRow>, DbErr> {
    use webhook_delivery::COLUMN;
    let mut query = select_with_payload("CASE WHEN LENGTH(payload) <= 65536 THEN payload END");
    if let Some(event) = &filter.event {
        query = query.filter(COLUMN.event.eq(event));
    }
    if let Some(action) = &filter.action {
        query = query.filter(COLUMN.action.eq(action.clone()));
    }
    if let Some(slug) = &filter.app {
        query = query.filter(app::COLUMN.slug.eq(slug.to_lowercase()));
    }
    if let Some(id) = filter.after {
        query = query.filter(COLUMN.id.gt(id));
    }
    if let Some(id) = filter.before {
        query = query.filter(COLUMN.id.lt(id));
    }
    let state = filter.status.map(|status| match status {
        DeliveryState::Pending => "delivered_at IS NULL AND NOT recorded",
        DeliveryState::Delivered => "delivered_at IS NOT NULL AND webhook_delivery.error IS NULL",
        DeliveryState::Failed => "delivered_at IS NOT NULL AND webhook_delivery.error IS NOT NULL",
        DeliveryState::Recorded => "recorded",
    });
    if let Some(state) = state {
        query = query.filter(Expr::cust(state));
    }
    query
        .order_by_desc(webhook_delivery::Column::Id)
        .limit(filter.limit)
        .into_model()
        .all(db)
        .await
}

/// One delivery, whole.
pub async fn one(db: &Connection, id: i64) -> Result<Option<DeliveryRow>, DbErr> {
    select_with_payload("payload")
        .filter(webhook_delivery::COLUMN.id.eq(id))
        .into_model()
        .one(db)
        .await
}

/// A delivery and its app, as they are stored.
pub async fn row(
    db: &Connection,
    id: i64,
) -> Result<Option<(webhook_delivery::Model, app::Model)>, DbErr> {
    let row = webhook_delivery::Entity::find_by_id(id)
        .find_also_related(app::Entity)
        .one(db)
        .await?;
    Ok(row.and_then(|(delivery, app)| Some((delivery, app?))))
}

fn select_with_payload(payload: &'static str) -> Select<webhook_delivery::Entity> {
    use webhook_delivery::Column;
    webhook_delivery::Entity::find()
        .select_only()
        .columns([
            Column::Id,
            Column::Guid,
            Column::Event,
            Column::Action,
            Column::InstallationId,
            Column::RepositoryId,
            Column::Redelivery,
            Column::Recorded,
            Column::Retries,
            Column::CreatedAt,
            Column::NextAttemptAt,
            Column::DeliveredAt,
            Column::DurationMs,
            Column::StatusCode,
            Column::Url,
            Column::RequestHeaders,
            Column::ResponseHeaders,
            Column::ResponseBody,
            Column::Error,
        ])
        .column_as(Expr::cust(payload), "payload")
        .column(app::Column::Slug)
        .inner_join(app::Entity)
}
