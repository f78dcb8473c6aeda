//! Sending a delivery once more: as a delivery of its own, with the same guid.

use sea_orm::sea_query::Expr;
use sea_orm::{ActiveModelTrait, DbErr, EntityTrait, QueryFilter, QuerySelect, Set};

use crate::database::{Database, Transaction};
use crate::entities::webhook_delivery;

/// What became of a wish to send a delivery again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Redelivery {
    /// It was queued, with this id.
    Queued(i64),
    /// The one with this id is about to be sent anyway.
    Pending(i64),
}

impl Redelivery {
    /// The delivery that is sent.
    pub fn id(self) -> i64 {
        match self {
            Self::Queued(id) | Self::Pending(id) => id,
        }
    }
}

/// Queues a delivery again, unless the same is about to be sent anyway.
pub async fn redeliver(
    db: &Database,
    sent: &webhook_delivery::Model,
    now: i64,
) -> Result<Redelivery, DbErr> {
    let transaction = db.begin().await?;
    if let Some(id) = pending(&transaction, sent, now).await? {
        return Ok(Redelivery::Pending(id));
    }
    let queued = again(sent, 0, now, now).insert(&transaction).await?;
    transaction.commit().await?;
    Ok(Redelivery::Queued(queued.id))
}

async fn pending(
    transaction: &Transaction,
    sent: &webhook_delivery::Model,
    now: i64,
) -> Result<Option<i64>, DbErr> {
    webhook_delivery::Entity::find()
        .select_only()
        .column(webhook_delivery::Column::Id)
        .filter(webhook_delivery::COLUMN.app_id.eq(sent.app_id))
        .filter(Expr::cust("delivered_at IS NULL AND NOT recorded"))
        .filter(webhook_delivery::COLUMN.guid.eq(sent.guid.as_str()))
        .filter(webhook_delivery::COLUMN.attempts.eq(0))
        .filter(webhook_delivery::COLUMN.next_attempt_at.lte(now))
        .into_tuple()
        .one(transaction)
        .await
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
