//! Delivers what was written for others, in the background: at once when it is
//! written, and again after a failure, later and later. What is pending is in the
//! database, so a restart loses nothing.
//!
//! Several processes may share a PostgreSQL database: each claims a delivery
//! before it sends it, by moving its next attempt to a time when the claim will
//! have expired.

use std::sync::Arc;
use std::time::Duration;

use sea_orm::sea_query::{Expr, ExprTrait, Query};
use sea_orm::{
    ColumnTrait, Condition, DbErr, EntityTrait, FromQueryResult, QueryFilter, QueryOrder,
    QuerySelect,
};
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};

use super::client::Webhook;
use crate::app::App;
use crate::entities::{app, installation, notification, webhook_delivery};

/// Seconds to wait after each failure; after the last one a delivery is given up.
/// They come to about a day.
const WAITS: [i64; 9] = [10, 60, 300, 900, 3600, 7200, 14_400, 28_800, 28_800];

/// Seconds after which a claim expires; more than a delivery can take.
const CLAIM: i64 = 60;

/// Deliveries that are under way at once.
const AT_ONCE: u64 = 8;

/// Notifications that are noted at once.
const NOTED_AT_ONCE: u64 = 500;

/// How long the dispatcher sleeps when nobody wakes it.
const SLEEP: Duration = Duration::from_secs(5);

/// What a round has done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Round {
    /// Notifications that went to the log.
    pub noted: usize,
    pub delivered: usize,
    pub failed: usize,
}

/// Delivers, a round at a time.
pub struct Dispatcher {
    app: Arc<App>,
}

/// A dispatcher that runs in the background.
#[derive(Debug)]
pub struct Handle {
    stop: watch::Sender<bool>,
    task: JoinHandle<()>,
}

impl Handle {
    /// Lets the deliveries under way end, and stops.
    pub async fn stop(self) {
        let _ = self.stop.send(true);
        let _ = self.task.await;
    }
}

/// Starts delivering in the background.
pub fn start(app: Arc<App>) -> Handle {
    let (stop, mut stopped) = watch::channel(false);
    let dispatcher = Dispatcher::new(app);
    let task = tokio::spawn(async move {
        while !*stopped.borrow() {
            if let Err(cause) = dispatcher.round().await {
                tracing::error!(%cause, "deliveries could not be made; they stay pending");
            }
            tokio::select! {
                () = dispatcher.app.outbox.filled() => {}
                () = tokio::time::sleep(SLEEP) => {}
                _ = stopped.changed() => {}
            }
        }
    });
    Handle { stop, task }
}

/// A pending delivery with where it goes.
#[derive(Debug, Clone, FromQueryResult)]
struct Due {
    id: i64,
    guid: String,
    event: String,
    payload: String,
    attempts: i64,
    next_attempt_at: i64,
    app_id: i64,
    webhook_url: Option<String>,
    webhook_secret: Option<String>,
}

impl Dispatcher {
    pub fn new(app: Arc<App>) -> Self {
        Self { app }
    }

    /// Delivers everything that is due now.
    pub async fn round(&self) -> Result<Round, DbErr> {
        let mut round = Round {
            noted: self.note().await?,
            ..Round::default()
        };
        loop {
            let due = self.due().await?;
            let mut sending = JoinSet::new();
            for delivery in due {
                if self.claim(&delivery).await? {
                    let networks = self.app.settings.webhooks_to;
                    let trust = self.app.settings.webhook_trust.clone();
                    sending.spawn(async move {
                        let outcome = webhook(&delivery).send(networks, &trust).await;
                        (delivery, outcome)
                    });
                }
            }
            if sending.is_empty() {
                return Ok(round);
            }
            while let Some(sent) = sending.join_next().await {
                // What cannot be joined was claimed, and is tried again when the
                // claim expires.
                if let Ok((delivery, outcome)) = sent {
                    match &outcome {
                        Ok(()) => round.delivered += 1,
                        Err(_) => round.failed += 1,
                    }
                    self.settle(&delivery, outcome).await?;
                }
            }
        }
    }

    /// Puts pending notifications into the log, in order.
    async fn note(&self) -> Result<usize, DbErr> {
        let mut noted = 0;
        loop {
            let rows = notification::Entity::find()
                .filter(notification::COLUMN.delivered_at.is_null())
                .order_by_asc(notification::Column::Id)
                .limit(NOTED_AT_ONCE)
                .all(self.app.db.reads())
                .await?;
            if rows.is_empty() {
                return Ok(noted);
            }
            noted += rows.len();
            for row in &rows {
                tracing::info!(
                    notification = row.id,
                    recipient = row.recipient_id,
                    comment = row.comment_id,
                    reason = ?row.reason,
                    "notified"
                );
            }
            let transaction = self.app.db.begin().await?;
            notification::Entity::update_many()
                .col_expr(
                    notification::Column::DeliveredAt,
                    Expr::value(self.app.clock.now().0),
                )
                .filter(notification::COLUMN.id.is_in(rows.iter().map(|row| row.id)))
                .exec(&transaction)
                .await?;
            transaction.commit().await?;
        }
    }

    /// The first pending delivery of each app and pull request, where it is due.
    async fn due(&self) -> Result<Vec<Due>, DbErr> {
        use webhook_delivery::Column;
        let first = Query::select()
            .expr(Expr::col(Column::Id).min())
            .from(webhook_delivery::Entity)
            .cond_where(pending())
            .group_by_columns([Column::InstallationId, Column::PullId])
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
            .filter(Column::NextAttemptAt.lte(self.app.clock.now().0))
            .order_by_asc(Column::Id)
            .limit(AT_ONCE)
            .into_model::<Due>()
            .all(self.app.db.reads())
            .await
    }

    /// Whether this process is the one to make the attempt.
    async fn claim(&self, delivery: &Due) -> Result<bool, DbErr> {
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

    /// Notes how an attempt ended.
    async fn settle(&self, delivery: &Due, outcome: Result<(), String>) -> Result<(), DbErr> {
        use webhook_delivery::Column;
        let now = self.app.clock.now().0;
        let update = webhook_delivery::Entity::update_many()
            .filter(webhook_delivery::COLUMN.id.eq(delivery.id));
        let update = match outcome {
            Ok(()) => update
                .col_expr(Column::DeliveredAt, Expr::value(now))
                .col_expr(Column::LastError, Expr::value(None::<String>)),
            Err(reason) => {
                tracing::warn!(delivery = delivery.guid, reason, "a webhook failed");
                let update = update.col_expr(Column::LastError, Expr::value(reason));
                match wait_after(delivery.attempts) {
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

/// How long to wait after a failure that so many others came before.
fn wait_after(failures: i64) -> Option<i64> {
    usize::try_from(failures)
        .ok()
        .and_then(|failures| WAITS.get(failures))
        .copied()
}

fn webhook(delivery: &Due) -> Webhook {
    let delivery = delivery.clone();
    Webhook {
        url: delivery.webhook_url.unwrap_or_default(),
        secret: delivery.webhook_secret,
        app: delivery.app_id,
        event: delivery.event,
        guid: delivery.guid,
        payload: delivery.payload,
    }
}
