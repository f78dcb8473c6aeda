//! Pending deliveries: selecting due ones, claiming them, and recording outcomes.

use std::collections::HashMap;

use sea_orm::sea_query::{Alias, Expr, ExprTrait, Query};
use sea_orm::{
    ColumnTrait, Condition, DbErr, EntityTrait, FromQueryResult, QueryFilter, QueryOrder,
    QuerySelect,
};

use super::Dispatcher;
use crate::entities::{app, installation, webhook_delivery};
use crate::notify::client::Webhook;

/// Backoff in seconds after each failure, about a day in total. After the last one a
/// delivery is abandoned.
const WAITS: [i64; 9] = [10, 60, 300, 900, 3600, 7200, 14_400, 28_800, 28_800];

/// Seconds after which a claim expires; longer than a delivery can take.
const CLAIM: i64 = 60;

/// Concurrent deliveries for one installation.
const MAX_PER_INSTALLATION: usize = 4;

/// A pending delivery with its target.
#[derive(Debug, Clone, FromQueryResult)]
pub(super) struct Due {
    id: i64,
    guid: String,
    event: String,
    payload: String,
    attempts: i64,
    next_attempt_at: i64,
    pub installation_id: i64,
    app_id: i64,
    webhook_url: Option<String>,
    webhook_secret: Option<String>,
}

impl Due {
    pub fn webhook(&self) -> Webhook {
        let delivery = self.clone();
        Webhook {
            url: delivery.webhook_url.unwrap_or_default(),
            secret: delivery.webhook_secret,
            app: delivery.app_id,
            event: delivery.event,
            guid: delivery.guid,
            payload: delivery.payload,
        }
    }
}

/// The deliveries in progress, by installation.
#[derive(Default)]
pub(super) struct Busy(HashMap<i64, usize>);

impl Busy {
    pub fn has_room(&self, installation: i64) -> bool {
        let count = self.0.get(&installation).copied().unwrap_or_default();
        count < MAX_PER_INSTALLATION
    }

    pub fn begin(&mut self, installation: i64) {
        *self.0.entry(installation).or_default() += 1;
    }

    pub fn end(&mut self, installation: i64) {
        if let Some(count) = self.0.get_mut(&installation) {
            *count -= 1;
        }
    }

    fn without_room(&self) -> impl Iterator<Item = i64> {
        let installations = self.0.keys().copied();
        installations.filter(|installation| !self.has_room(*installation))
    }
}

impl Dispatcher {
    /// Due deliveries, oldest first, a few for each installation that is below its limit.
    pub(super) async fn due(&self, busy: &Busy, most: usize) -> Result<Vec<Due>, DbErr> {
        use webhook_delivery::Column;
        let (due, place) = (Alias::new("due"), Alias::new("place"));
        let numbered = Query::select()
            .column(Column::Id)
            .expr_as(
                Expr::cust("ROW_NUMBER() OVER (PARTITION BY installation_id ORDER BY id)"),
                place.clone(),
            )
            .from(webhook_delivery::Entity)
            .cond_where(pending())
            .and_where(Column::NextAttemptAt.lte(self.app.clock.now().0))
            .and_where(Column::InstallationId.is_not_in(busy.without_room()))
            .to_owned();
        let first = Query::select()
            .column((due.clone(), Column::Id))
            .from_subquery(numbered, due.clone())
            .and_where(Expr::col((due, place)).lte(MAX_PER_INSTALLATION as i64))
            .to_owned();
        webhook_delivery::Entity::find()
            .select_only()
            .columns([
                Column::Id,
                Column::Guid,
                Column::Event,
                Column::Payload,
                Column::Attempts,
                Column::NextAttemptAt,
                Column::InstallationId,
            ])
            .column_as(app::Column::Id, "app_id")
            .column(app::Column::WebhookUrl)
            .column(app::Column::WebhookSecret)
            .inner_join(installation::Entity)
            .join(
                sea_orm::JoinType::InnerJoin,
                installation::Entity::belongs_to(app::Entity)
                    .from(installation::Column::AppId)
                    .to(app::Column::Id)
                    .into(),
            )
            .filter(Column::Id.in_subquery(first))
            .order_by_asc(Column::Id)
            .limit(most as u64)
            .into_model::<Due>()
            .all(self.app.db.reads())
            .await
    }

    /// Claims a delivery; false if another process has.
    pub(super) async fn claim(&self, delivery: &Due) -> Result<bool, DbErr> {
        use webhook_delivery::Column;
        let transaction = self.app.db.begin().await?;
        let expires = self.app.clock.now().0 + CLAIM;
        let claimed = webhook_delivery::Entity::update_many()
            .col_expr(Column::NextAttemptAt, Expr::value(expires))
            .col_expr(Column::Attempts, Expr::value(delivery.attempts + 1))
            .filter(webhook_delivery::COLUMN.id.eq(delivery.id))
            .filter(webhook_delivery::COLUMN.attempts.eq(delivery.attempts))
            .filter(
                webhook_delivery::COLUMN
                    .next_attempt_at
                    .eq(delivery.next_attempt_at),
            )
            .filter(pending())
            .exec(&transaction)
            .await?;
        transaction.commit().await?;
        Ok(claimed.rows_affected == 1)
    }

    /// Records the outcome of an attempt.
    pub(super) async fn record_outcome(
        &self,
        delivery: &Due,
        outcome: Result<(), String>,
    ) -> Result<(), DbErr> {
        use webhook_delivery::Column;
        let now = self.app.clock.now().0;
        let update = webhook_delivery::Entity::update_many()
            .filter(webhook_delivery::COLUMN.id.eq(delivery.id));
        let update = match outcome {
            Ok(()) => update
                .col_expr(Column::DeliveredAt, Expr::value(now))
                .col_expr(Column::LastError, Expr::value(None::<String>)),
            Err(reason) => {
                let wait = wait_after(delivery.attempts);
                let again = wait.map_or("never".to_owned(), |wait| format!("in {wait} s"));
                let (delivery, installation) = (&delivery.guid, delivery.installation_id);
                tracing::warn!(
                    delivery,
                    installation,
                    reason,
                    again,
                    "webhook delivery failed"
                );
                let update = update.col_expr(Column::LastError, Expr::value(reason));
                match wait {
                    Some(wait) => update.col_expr(Column::NextAttemptAt, Expr::value(now + wait)),
                    None => update.col_expr(Column::AbandonedAt, Expr::value(now)),
                }
            }
        };
        let transaction = self.app.db.begin().await?;
        update.exec(&transaction).await?;
        transaction.commit().await
    }
}

fn pending() -> Condition {
    Condition::all()
        .add(webhook_delivery::Column::DeliveredAt.is_null())
        .add(webhook_delivery::Column::AbandonedAt.is_null())
}

/// The backoff after this many failures; None to abandon the delivery.
fn wait_after(failures: i64) -> Option<i64> {
    usize::try_from(failures)
        .ok()
        .and_then(|failures| WAITS.get(failures))
        .copied()
}
