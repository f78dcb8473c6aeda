//! Delivers the outbox in the background: immediately when a row is written, and after a
//! failure with increasing backoff. Pending rows are in the database, so a restart loses
//! nothing. A receiver that fails or stalls delays only its own deliveries.
//!
//! Several processes may share a PostgreSQL database. Each claims a delivery before it
//! sends it, by moving its next attempt to the time when the claim expires.

mod queue;

use std::sync::Arc;
use std::time::Duration;

use sea_orm::sea_query::Expr;
use sea_orm::{DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};

use crate::app::App;
use crate::entities::notification;
use queue::{Busy, Due};

/// Concurrent deliveries.
const MAX_IN_FLIGHT: usize = 64;

/// Notifications that are logged per query.
const NOTIFICATION_BATCH: u64 = 500;

/// The polling interval of the dispatcher.
const SLEEP: Duration = Duration::from_secs(5);

/// The result of a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Round {
    /// Notifications written to the log.
    pub noted: usize,
    pub delivered: usize,
    pub failed: usize,
}

/// Delivers in rounds.
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
    /// Stops after the deliveries in progress have ended.
    pub async fn stop(self) {
        let _ = self.stop.send(true);
        let _ = self.task.await;
    }
}

/// Starts the background task.
pub fn start(app: Arc<App>) -> Handle {
    let (stop, mut stopped) = watch::channel(false);
    let dispatcher = Dispatcher::new(app);
    let task = tokio::spawn(async move {
        while !*stopped.borrow() {
            if let Err(cause) = dispatcher.round().await {
                tracing::error!(%cause, "the delivery round failed; deliveries stay pending");
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

impl Dispatcher {
    pub fn new(app: Arc<App>) -> Self {
        Self { app }
    }

    /// Delivers everything that is due.
    pub async fn round(&self) -> Result<Round, DbErr> {
        let mut round = Round {
            noted: self.log_notifications().await?,
            ..Round::default()
        };
        let mut sending = JoinSet::new();
        let mut busy = Busy::default();
        loop {
            for delivery in self.due(&busy, MAX_IN_FLIGHT - sending.len()).await? {
                if busy.has_room(delivery.installation_id) && self.claim(&delivery).await? {
                    busy.begin(delivery.installation_id);
                    sending.spawn(self.send(delivery));
                }
            }
            let sent = tokio::select! {
                sent = sending.join_next() => sent,
                () = self.app.outbox.filled(), if !sending.is_empty() => {
                    round.noted += self.log_notifications().await?;
                    continue;
                }
            };
            let Some(sent) = sent else {
                return Ok(round);
            };
            // The delivery of a failed task stays claimed, and is retried when the claim
            // expires.
            if let Ok((delivery, outcome)) = sent {
                busy.end(delivery.installation_id);
                match &outcome {
                    Ok(()) => round.delivered += 1,
                    Err(_) => round.failed += 1,
                }
                self.record_outcome(&delivery, outcome).await?;
            }
        }
    }

    /// One attempt.
    fn send(
        &self,
        delivery: Due,
    ) -> impl Future<Output = (Due, Result<(), String>)> + Send + use<> {
        let networks = self.app.settings.webhooks_to;
        let trust = self.app.settings.webhook_trust.clone();
        async move {
            let outcome = delivery.webhook().send(networks, &trust).await;
            (delivery, outcome)
        }
    }

    /// Logs pending notifications, in order.
    async fn log_notifications(&self) -> Result<usize, DbErr> {
        let mut noted = 0;
        loop {
            let rows = notification::Entity::find()
                .filter(notification::COLUMN.delivered_at.is_null())
                .order_by_asc(notification::Column::Id)
                .limit(NOTIFICATION_BATCH)
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
}
