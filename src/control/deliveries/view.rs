//! Views of deliveries.

use serde_json::Value;

use super::store::DeliveryRow;
use contract::control::deliveries::{
    DeliveryRequest, DeliveryResponse, DeliveryState, WebhookDelivery,
};
use contract::problem::Problem;
use contract::reply::Outcome;
use contract::values::{JsonObject, Timestamp};
use storage::heavy;

/// Converts rows on another thread, because payloads may be large.
pub async fn deliveries(rows: Vec<DeliveryRow>) -> Outcome<Vec<WebhookDelivery>> {
    let views = heavy::compute(move || rows.into_iter().map(delivery).collect());
    views.await.map_err(Problem::internal)
}

fn delivery(row: DeliveryRow) -> WebhookDelivery {
    let status = state(&row);
    let pending = status == DeliveryState::Pending;
    let headers = object(row.response_headers.as_deref());
    let answered = row.status_code.zip(headers);
    WebhookDelivery {
        id: row.id,
        guid: row.guid,
        app: row.slug,
        event: row.event,
        action: row.action.into(),
        installation_id: row.installation_id.into(),
        repository_id: row.repository_id.into(),
        status,
        redelivery: row.redelivery,
        attempt: row.retries + 1,
        created_at: Timestamp(row.created_at),
        next_attempt_at: pending.then_some(Timestamp(row.next_attempt_at)).into(),
        delivered_at: row.delivered_at.map(Timestamp).into(),
        duration_ms: row.delivered_at.map(|_| row.duration_ms).into(),
        error: row.error.into(),
        request: DeliveryRequest {
            url: row.url.into(),
            headers: object(row.request_headers.as_deref()).into(),
            payload: object(row.payload.as_deref()).into(),
        },
        response: answered
            .map(|(status, headers)| DeliveryResponse {
                status,
                headers,
                body: row.response_body.unwrap_or_default(),
            })
            .into(),
    }
}

fn state(row: &DeliveryRow) -> DeliveryState {
    match (row.recorded, row.delivered_at, &row.error) {
        (true, _, _) => DeliveryState::Recorded,
        (false, None, _) => DeliveryState::Pending,
        (false, Some(_), None) => DeliveryState::Delivered,
        (false, Some(_), Some(_)) => DeliveryState::Failed,
    }
}

/// A column that holds a JSON object.
fn object(text: Option<&str>) -> Option<JsonObject> {
    match serde_json::from_str(text?) {
        Ok(Value::Object(fields)) => Some(JsonObject(fields)),
        _ => None,
    }
}
