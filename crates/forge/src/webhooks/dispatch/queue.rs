//! Pending deliveries: selecting due ones, claiming them, recording outcomes, and deleting
//! old ones.

use std::collections::{HashMap, HashSet};

use sea_orm::sea_query::{Alias, Expr, ExprTrait, Query};
use sea_orm::{
    ActiveModelTrait, ColumnTrait, DbErr, EntityTrait, FromQueryResult, QueryFilter, QueryOrder,
    QuerySelect, Set,
};

use super::Dispatcher;
use super::redelivery::redelivery_of;
use crate::webhooks::client::{Attempt, Webhook};
use storage::database::Connection;
use storage::entities::{app, webhook_delivery};

/// Backoff in seconds before each retry, about a day in total.
const WAITS: [i64; 9] = [10, 60, 300, 900, 3600, 7200, 14_400, 28_800, 28_800];

/// The most retries of a delivery.
pub const MOST_RETRIES: u8 = WAITS.len() as u8;

/// Seconds after which a claim expires; longer than a delivery can take.
const CLAIM: i64 = 60;

/// Concurrent deliveries to one app.
const MAX_PER_APP: usize = 8;

/// Bytes of payloads in progress at the same time. A single larger one is sent alone.
const MAX_BYTES: i64 = 64 * 1024 * 1024;

/// Seconds after which deliveries are deleted: three days, as on GitHub.
const RETENTION: i64 = 3 * 24 * 60 * 60;

/// Deliveries that one transaction deletes.
const DELETION_BATCH: u64 = 500;

/// The condition of the partial index.
const PENDING: &str = "delivered_at IS NULL AND NOT recorded";

/// A pending delivery.
#[derive(Debug, Clone, FromQueryResult)]
pub(super) struct DueDelivery {
    pub id: i64,
    attempts: i64,
    next_attempt_at: i64,
    pub app_id: i64,
    size: i64,
}

/// The deliveries in progress, by app.
#[derive(Default)]
pub(super) struct SendingDeliveries {
    apps: HashMap<i64, usize>,
    /// Excluded from claims, because the control API may advance the clock past a claim.
    ids: HashSet<i64>,
    bytes: i64,
}

impl SendingDeliveries {
    pub fn has_room(&self, due: &DueDelivery) -> bool {
        !self.ids.contains(&due.id)
            && self.app_has_room(due.app_id)
            && (self.bytes == 0 || self.bytes + due.size <= MAX_BYTES)
    }

    fn app_has_room(&self, app: i64) -> bool {
        self.apps.get(&app).copied().unwrap_or_default() < MAX_PER_APP
    }

    pub fn begin(&mut self, due: &DueDelivery) {
        *self.apps.entry(due.app_id).or_default() += 1;
        self.ids.insert(due.id);
        self.bytes += due.size;
    }

    pub fn end(&mut self, due: &DueDelivery) {
        if let Some(count) = self.apps.get_mut(&due.app_id) {
            *count -= 1;
        }
        self.ids.remove(&due.id);
        self.bytes -= due.size;
    }

    fn without_room(&self) -> impl Iterator<Item = i64> {
        let apps = self.apps.keys().copied();
        apps.filter(|app| !self.app_has_room(*app))
    }
}

impl Dispatcher {
    /// Due deliveries, oldest first, a few for each app that is below its limit.
    pub(super) async fn due(
        &self,
        in_flight: &SendingDeliveries,
        most: usize,
    ) -> Result<Vec<DueDelivery>, DbErr> {
        use webhook_delivery::Column;
        if self.is_paused() {
            return Ok(Vec::new());
        }
        let (due, place) = (Alias::new("due"), Alias::new("place"));
        let numbered = Query::select()
            .column(Column::Id)
            .expr_as(
                Expr::cust("ROW_NUMBER() OVER (PARTITION BY app_id ORDER BY id)"),
                place.clone(),
            )
            .from(webhook_delivery::Entity)
            .and_where(Expr::cust(PENDING))
            .and_where(Column::NextAttemptAt.lte(self.app.clock.now().0))
            .and_where(Column::AppId.is_not_in(in_flight.without_room()))
            .and_where(Column::Id.is_not_in(in_flight.ids.iter().copied()))
            .to_owned();
        let first = Query::select()
            .column((due.clone(), Column::Id))
            .from_subquery(numbered, due.clone())
            .and_where(Expr::col((due, place)).lte(MAX_PER_APP as i64))
            .to_owned();
        webhook_delivery::Entity::find()
            .select_only()
            .columns([
                Column::Id,
                Column::Attempts,
                Column::NextAttemptAt,
                Column::AppId,
            ])
            .column_as(Expr::cust("CAST(LENGTH(payload) AS BIGINT)"), "size")
            .filter(Column::Id.in_subquery(first))
            .order_by_asc(Column::Id)
            .limit(most as u64)
            .into_model::<DueDelivery>()
            .all(self.app.db.reads())
            .await
    }

    /// Whether no delivery is pending, due or not.
    pub(super) async fn is_idle(&self) -> Result<bool, DbErr> {
        let pending = webhook_delivery::Entity::find()
            .filter(Expr::cust(PENDING))
            .select_only()
            .column(webhook_delivery::Column::Id)
            .into_tuple::<i64>()
            .one(self.app.db.reads())
            .await?;
        Ok(pending.is_none())
    }

    /// Claims a delivery; false if another process already has.
    pub(super) async fn claim(&self, due: &DueDelivery) -> Result<bool, DbErr> {
        use webhook_delivery::Column;
        let transaction = self.app.db.begin().await?;
        let expires = self.app.clock.now().0 + CLAIM;
        let claimed = webhook_delivery::Entity::update_many()
            .col_expr(Column::NextAttemptAt, Expr::value(expires))
            .col_expr(Column::Attempts, Expr::value(due.attempts + 1))
            .filter(Column::Id.eq(due.id))
            .filter(Column::Attempts.eq(due.attempts))
            .filter(Column::NextAttemptAt.eq(due.next_attempt_at))
            .filter(Column::DeliveredAt.is_null())
            .exec(&*transaction)
            .await?;
        transaction.commit().await?;
        Ok(claimed.rows_affected == 1)
    }

    /// Records the outcome of an attempt, and queues a retry if one is left.
    pub(super) async fn record(
        &self,
        sent: webhook_delivery::Model,
        url: Option<String>,
        attempt: Attempt,
    ) -> Result<(), DbErr> {
        let now = self.app.clock.now().0;
        let wait = match attempt.error {
            Some(_) => self.wait_after(sent.retries),
            None => None,
        };
        if let Some(reason) = &attempt.error {
            let (delivery, app) = (&sent.guid, sent.app_id);
            let again = wait.map_or("never".to_owned(), |wait| format!("in {wait} s"));
            tracing::warn!(delivery, app, reason, again, "webhook delivery failed");
        }
        let transaction = self.app.db.begin().await?;
        let retry = wait.map(|wait| redelivery_of(&sent, sent.retries + 1, now, now + wait));
        finish(&transaction, sent.id, url, attempt, now).await?;
        if let Some(retry) = retry {
            retry.insert(&*transaction).await?;
        }
        transaction.commit().await
    }

    /// The backoff before the next retry, if there is one.
    fn wait_after(&self, retries: i64) -> Option<i64> {
        let retries = usize::try_from(retries).ok()?;
        let allowed = usize::from(self.app.settings.webhook_retries);
        WAITS.iter().take(allowed).nth(retries).copied()
    }

    /// Deletes deliveries that ended before the retention period.
    pub async fn delete_old(&self) -> Result<(), DbErr> {
        use webhook_delivery::Column;
        let before = self.app.clock.now().0 - RETENTION;
        loop {
            let old = Query::select()
                .column(Column::Id)
                .from(webhook_delivery::Entity)
                .and_where(Column::CreatedAt.lt(before))
                .and_where(Expr::cust("(delivered_at IS NOT NULL OR recorded)"))
                .limit(DELETION_BATCH)
                .to_owned();
            let transaction = self.app.db.begin().await?;
            let deleted = webhook_delivery::Entity::delete_many()
                .filter(Column::Id.in_subquery(old))
                .exec(&*transaction)
                .await?;
            transaction.commit().await?;
            if deleted.rows_affected < DELETION_BATCH {
                return Ok(());
            }
        }
    }
}

async fn finish(
    transaction: &Connection,
    id: i64,
    url: Option<String>,
    attempt: Attempt,
    now: i64,
) -> Result<(), DbErr> {
    let json = |value: Option<serde_json::Value>| value.map(|value| value.to_string());
    let outcome = webhook_delivery::ActiveModel {
        delivered_at: Set(Some(now)),
        duration_ms: Set(attempt.duration_ms),
        status_code: Set(Some(attempt.status_code)),
        status: Set(Some(attempt.status)),
        url: Set(url),
        request_headers: Set(json(attempt.request_headers)),
        response_headers: Set(json(attempt.response_headers)),
        response_body: Set(attempt.response_body),
        error: Set(attempt.error),
        ..Default::default()
    };
    // No error if it was deleted with its app.
    webhook_delivery::Entity::update_many()
        .set(outcome)
        .filter(webhook_delivery::Column::Id.eq(id))
        .exec(transaction)
        .await?;
    Ok(())
}

/// The request of a delivery, to the app's current URL.
pub(super) fn webhook(sent: &webhook_delivery::Model, app: app::Model) -> Webhook {
    Webhook {
        url: app.webhook_url,
        secret: app.webhook_secret,
        content_type: app.webhook_content_type,
        insecure_ssl: app.webhook_insecure_ssl,
        app: app.id,
        event: sent.event.clone(),
        guid: sent.guid.clone(),
        payload: sent.payload.clone(),
    }
}
