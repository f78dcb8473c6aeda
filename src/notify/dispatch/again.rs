//! Sending a delivery once more: as a delivery of its own, with the same guid.

use sea_orm::{ActiveModelTrait, DbErr, EntityTrait, PaginatorTrait, QueryFilter, Set};

use crate::database::{Database, Transaction};
use crate::entities::webhook_delivery;

/// Queues a delivery again, unless the same is about to be sent anyway. False if it is.
pub async fn redeliver(
    db: &Database,
    sent: &webhook_delivery::Model,
    now: i64,
) -> Result<bool, DbErr> {
    let transaction = db.begin().await?;
    if is_pending(&transaction, sent, now).await? {
        return Ok(false);
    }
    again(sent, 0, now, now).insert(&transaction).await?;
    transaction.commit().await?;
    Ok(true)
}

async fn is_pending(
    transaction: &Transaction,
    sent: &webhook_delivery::Model,
    now: i64,
) -> Result<bool, DbErr> {
    let waiting = webhook_delivery::Entity::find()
        .filter(webhook_delivery::COLUMN.app_id.eq(sent.app_id))
        .filter(webhook_delivery::COLUMN.delivered_at.is_null())
        .filter(webhook_delivery::COLUMN.guid.eq(sent.guid.as_str()))
        .filter(webhook_delivery::COLUMN.attempts.eq(0))
        .filter(webhook_delivery::COLUMN.next_attempt_at.lte(now))
        .count(transaction)
        .await?;
    Ok(waiting > 0)
}

/// The same delivery once more.
pub(super) fn again(
    sent: &webhook_delivery::Model,
    retries: i64,
    now: i64,
    at: i64,
) -> webhook_delivery::ActiveModel {
    webhook_delivery::ActiveModel {
        guid: Set(sent.guid.clone()),
        app_id: Set(sent.app_id),
        installation_id: Set(sent.installation_id),
        repository_id: Set(sent.repository_id),
        event: Set(sent.event.clone()),
        action: Set(sent.action.clone()),
        payload: Set(sent.payload.clone()),
        redelivery: Set(true),
        retries: Set(retries),
        created_at: Set(now),
        next_attempt_at: Set(at),
        ..Default::default()
    }
}
