//! Delivers the outbox in the background, as soon as a row is written. After a failure it
//! retries up to `--webhook-retries` times, with increasing backoff. Pending rows are in the
//! database, so a restart loses nothing. Deliveries are concurrent, with a limit for each app,
//! so a receiver that stalls delays only its own.
//!
//! Between the rounds it deletes what nobody needs any more: old deliveries, and the objects of
//! unfinished pushes (`uploads`).
//!
//! Several processes may share a PostgreSQL database. Each claims a delivery before it
//! sends it, by moving its next attempt to the time when the claim expires.

mod queue;
mod redelivery;
mod uploads;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use sea_orm::sea_query::Expr;
use sea_orm::{DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};

use super::client::Attempt;
pub use super::dispatch::queue::MOST_RETRIES;
use super::dispatch::queue::{DueDelivery, SendingDeliveries, webhook};
pub use super::dispatch::redelivery::{Redelivery, redeliver};
use crate::app::App;
use storage::database::Database;
use storage::entities::{app, notification, webhook_delivery};

/// Concurrent deliveries.
const MAX_IN_FLIGHT: usize = 64;

/// Notifications that are logged per query.
const NOTIFICATION_BATCH: u64 = 500;

/// The polling interval of the dispatcher.
const SLEEP: Duration = Duration::from_secs(5);

/// Seconds between deletions of old deliveries.
const DELETION_INTERVAL: i64 = 600;

/// The result of a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Round {
    /// Notifications written to the log.
    pub notifications: usize,
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
    idle: Arc<AtomicBool>,
}

impl Handle {
    /// Whether it does not use the database until the next delivery is queued. Always false for
    /// one that polls.
    pub fn is_idle(&self) -> bool {
        self.idle.load(Ordering::Relaxed)
    }

    /// Stops after the deliveries in progress have ended.
    pub async fn stop(self) {
        let _ = self.stop.send(true);
        let _ = self.task.await;
    }

    /// Aborts the deliveries in progress, without recording an outcome.
    pub async fn abort(self) {
        self.task.abort();
        let _ = self.task.await;
    }
}

/// Starts the background task.
pub fn start(app: Arc<App>) -> Handle {
    spawn(app, false)
}

/// Starts the background task for a database that only this process writes to. It does not poll
/// while no delivery is pending.
pub fn start_alone(app: Arc<App>) -> Handle {
    spawn(app, true)
}

fn spawn(app: Arc<App>, alone: bool) -> Handle {
    let (stop, mut stopped) = watch::channel(false);
    let dispatcher = Dispatcher::new(app);
    let idle = Arc::new(AtomicBool::new(alone));
    let is_idle = idle.clone();
    let task = tokio::spawn(async move {
        let mut last_deletion: Option<i64> = None;
        if alone {
            dispatcher.sleep(true, &mut stopped).await;
        }
        while !*stopped.borrow() {
            is_idle.store(false, Ordering::Relaxed);
            if let Err(cause) = dispatcher.round().await {
                tracing::error!(%cause, "the delivery round failed; deliveries stay pending");
            }
            let now = dispatcher.app.clock.now().0;
            if last_deletion.is_none_or(|at| (now - at).abs() >= DELETION_INTERVAL) {
                last_deletion = Some(now);
                if let Err(cause) = dispatcher.delete_old().await {
                    tracing::error!(%cause, "cannot delete old deliveries");
                }
            }
            let swept = match dispatcher.sweep_uploads().await {
                Ok(true) => continue,
                Ok(false) => true,
                Err(cause) => {
                    tracing::error!(%cause, "cannot delete the objects of unfinished pushes");
                    false
                }
            };
            let idle = alone && swept && dispatcher.is_idle().await.unwrap_or_default();
            is_idle.store(idle, Ordering::Relaxed);
            dispatcher.sleep(idle, &mut stopped).await;
        }
    });
    Handle { stop, task, idle }
}

impl Dispatcher {
    pub fn new(app: Arc<App>) -> Self {
        Self { app }
    }

    /// Delivers everything that is due.
    pub async fn round(&self) -> Result<Round, DbErr> {
        let mut round = Round {
            notifications: self.log_notifications().await?,
            ..Round::default()
        };
        let mut sending = JoinSet::new();
        let mut in_flight = SendingDeliveries::default();
        loop {
            self.signal();
            for due in self.due(&in_flight, MAX_IN_FLIGHT - sending.len()).await? {
                if in_flight.has_room(&due) && self.claim(&due).await? {
                    in_flight.begin(&due);
                    sending.spawn(self.send(due));
                }
            }
            let sent = tokio::select! {
                sent = sending.join_next() => sent,
                () = self.app.outbox.wait(), if !sending.is_empty() => {
                    round.notifications += self.log_notifications().await?;
                    continue;
                }
            };
            let Some(sent) = sent else {
                return Ok(round);
            };
            // The delivery of a failed task stays claimed, and is sent again when the claim
            // expires.
            if let Ok((due, sent)) = sent {
                in_flight.end(&due);
                let Some(sent) = sent? else { continue };
                match &sent.attempt.error {
                    None => round.delivered += 1,
                    Some(_) => round.failed += 1,
                }
                self.record(sent.delivery, sent.url, sent.attempt).await?;
            }
        }
    }

    /// Sleeps until a delivery may be due.
    async fn sleep(&self, idle: bool, stopped: &mut watch::Receiver<bool>) {
        tokio::select! {
            () = self.app.outbox.wait() => {}
            () = tokio::time::sleep(SLEEP), if !idle => {}
            _ = stopped.changed() => {}
        }
    }

    /// Signals the control API that deliveries may have changed.
    fn signal(&self) {
        if let Some(tools) = &self.app.tools {
            tools.delivery.changed();
        }
    }

    fn is_paused(&self) -> bool {
        let tools = self.app.tools.as_ref();
        tools.is_some_and(|tools| tools.delivery.is_paused())
    }

    /// Makes one attempt; None if the delivery was deleted with its app.
    fn send(
        &self,
        due: DueDelivery,
    ) -> impl Future<Output = (DueDelivery, Result<Option<Sent>, DbErr>)> + Send + use<> {
        let networks = self.app.settings.webhooks_to;
        let trust = self.app.settings.webhook_trust.clone();
        let db = self.app.db.clone();
        async move {
            let rows = find(&db, due.id).await;
            let (delivery, app) = match rows {
                Ok(Some(rows)) => rows,
                Ok(None) => return (due, Ok(None)),
                Err(error) => return (due, Err(error)),
            };
            let webhook = webhook(&delivery, app);
            let url = webhook.url.clone();
            let attempt = webhook.send(networks, &trust).await;
            let sent = Sent {
                delivery,
                url,
                attempt,
            };
            (due, Ok(Some(sent)))
        }
    }

    /// Logs pending notifications, in order.
    async fn log_notifications(&self) -> Result<usize, DbErr> {
        let mut notifications = 0;
        loop {
            let rows = notification::Entity::find()
                .filter(notification::COLUMN.delivered_at.is_null())
                .order_by_asc(notification::Column::Id)
                .limit(NOTIFICATION_BATCH)
                .all(self.app.db.reads())
                .await?;
            if rows.is_empty() {
                return Ok(notifications);
            }
            notifications += rows.len();
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
                .exec(&*transaction)
                .await?;
            transaction.commit().await?;
        }
    }
}

/// A delivery after an attempt.
struct Sent {
    delivery: webhook_delivery::Model,
    url: Option<String>,
    attempt: Attempt,
}

async fn find(
    db: &Database,
    id: i64,
) -> Result<Option<(webhook_delivery::Model, app::Model)>, DbErr> {
    let rows = webhook_delivery::Entity::find_by_id(id)
        .find_also_related(app::Entity)
        .one(db.reads())
        .await?;
    Ok(rows.and_then(|(delivery, app)| Some((delivery, app?))))
}
