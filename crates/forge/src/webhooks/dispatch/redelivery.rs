//! Redelivery: a new delivery with the same guid and payload.

use sea_orm::sea_query::Expr;
use sea_orm::{ActiveModelTrait, DbErr, EntityTrait, QueryFilter, QuerySelect, Set};

use storage::database::{Connection, Database};
use storage::entities::webhook_delivery;

/// The outcome of a request to redeliver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Redelivery {
    /// A new delivery with this id.
    Queued(i64),
    /// A pending delivery with this id; no new one was queued.
    Pending(i64),
}

impl Redelivery {
    /// The id of the new or pending delivery.
    pub fn id(self) -> i64 {
        match self {
            Self::Queued(id) | Self::Pending(id) => id,
        }
    }
}

/// Queues a delivery again, unless an identical one is already due.
pub async fn redeliver(
    db: &Database,
    delivery: &webhook_delivery::Model,
    now: i64,
) -> Result<Redelivery, DbErr> {
    let transaction = db.begin().await?;
    if let Some(id) = pending(&transaction, delivery, now).await? {
        return Ok(Redelivery::Pending(id));
    }
    let queued = redelivery_of(delivery, 0, now, now)
        .insert(&*transaction)
        .await?;
    transaction.commit().await?;
    Ok(Redelivery::Queued(queued.id))
}

async fn pending(
    transaction: &Connection,
    delivery: &webhook_delivery::Model,
    now: i64,
) -> Result<Option<i64>, DbErr> {
    webhook_delivery::Entity::find()
        .select_only()
        .column(webhook_delivery::Column::Id)
        .filter(webhook_delivery::COLUMN.app_id.eq(delivery.app_id))
        .filter(Expr::cust("delivered_at IS NULL AND NOT recorded"))
        .filter(webhook_delivery::COLUMN.guid.eq(delivery.guid.as_str()))
        .filter(webhook_delivery::COLUMN.attempts.eq(0))
        .filter(webhook_delivery::COLUMN.next_attempt_at.lte(now))
        .into_tuple()
        .one(transaction)
        .await
}

/// The row of a redelivery.
pub(super) fn redelivery_of(
    delivery: &webhook_delivery::Model,
    retries: i64,
    now: i64,
    at: i64,
) -> webhook_delivery::ActiveModel {
    webhook_delivery::ActiveModel {
        guid: Set(delivery.guid.clone()),
        app_id: Set(delivery.app_id),
        installation_id: Set(delivery.installation_id),
        repository_id: Set(delivery.repository_id),
        event: Set(delivery.event.clone()),
        action: Set(delivery.action.clone()),
        payload: Set(delivery.payload.clone()),
        redelivery: Set(true),
        retries: Set(retries),
        created_at: Set(now),
        next_attempt_at: Set(at),
        ..Default::default()
    }
}
