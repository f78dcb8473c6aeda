//! The webhooks of a world: listed, awaited, sent again and paused.

mod store;
mod view;

use std::time::Duration;

use async_trait::async_trait;
use tokio::time::{Instant, timeout_at};

use super::{Control, waits_until};
use crate::app::App;
use crate::contract::body::Body;
use crate::contract::control::deliveries::{
    DeliverySettings, Operations, WantedDeliveries, WebhookDelivery,
};
use crate::contract::control::{ControlCall, WaitSeconds};
use crate::contract::paging::Given;
use crate::contract::problem::Problem;
use crate::contract::reply::{Outcome, Reply};
use crate::notify::{self, DeliveryControl};

/// How often a request that waits looks again, for what other processes do.
const LOOK_AGAIN: Duration = Duration::from_millis(500);

#[async_trait]
impl Operations for Control {
    async fn list_deliveries(
        &self,
        _: ControlCall,
        world: String,
        wanted: WantedDeliveries,
        wait: Given<WaitSeconds>,
    ) -> Outcome<Reply<200, Vec<WebhookDelivery>>> {
        let (world, tools) = self.tools(&world)?;
        let until = waits_until(wait)?;
        let found = awaited(&world.app, &tools.delivery, &wanted, until).await?;
        Ok(Reply::new(view::deliveries(found).await?))
    }

    async fn get_delivery(
        &self,
        _: ControlCall,
        world: String,
        delivery_id: i64,
    ) -> Outcome<Reply<200, WebhookDelivery>> {
        let (world, _) = self.tools(&world)?;
        Ok(Reply::new(whole(&world.app, delivery_id).await?))
    }

    async fn redeliver(
        &self,
        _: ControlCall,
        world: String,
        delivery_id: i64,
    ) -> Outcome<Reply<202, WebhookDelivery>> {
        let (world, _) = self.tools(&world)?;
        let app = &world.app;
        let (row, receiver) = store::row(app.db.reads(), delivery_id)
            .await?
            .ok_or_else(absent)?;
        if receiver.webhook_url.is_none() {
            let words = format!("The app '{}' has no webhook to send it to", receiver.slug);
            return Err(Problem::Conflict(words.into()));
        }
        let queued = notify::redeliver(&app.db, &row, app.clock.now().0).await?;
        app.outbox.wake();
        Ok(Reply::new(whole(app, queued.id()).await?))
    }

    async fn get_delivery_settings(
        &self,
        _: ControlCall,
        world: String,
    ) -> Outcome<Reply<200, DeliverySettings>> {
        let (_, tools) = self.tools(&world)?;
        let paused = tools.delivery.is_paused();
        Ok(Reply::new(DeliverySettings { paused }))
    }

    async fn set_delivery_settings(
        &self,
        _: ControlCall,
        world: String,
        body: Body<DeliverySettings>,
    ) -> Outcome<Reply<200, DeliverySettings>> {
        let (world, tools) = self.tools(&world)?;
        let settings = body.validated()?;
        tools.delivery.pause(settings.paused);
        world.app.outbox.wake();
        Ok(Reply::new(settings))
    }
}

fn absent() -> Problem {
    Problem::Absent("There is no such delivery; they are kept for three days".into())
}

async fn whole(app: &App, id: i64) -> Outcome<WebhookDelivery> {
    let found = store::one(app.db.reads(), id).await?;
    let shown = view::deliveries(found.into_iter().collect()).await?;
    shown.into_iter().next().ok_or_else(absent)
}

/// What is found at once, or as soon as there is something.
async fn awaited(
    app: &App,
    control: &DeliveryControl,
    wanted: &WantedDeliveries,
    until: Instant,
) -> Outcome<Vec<store::DeliveryRow>> {
    let mut changes = control.watch();
    loop {
        changes.mark_unchanged();
        let found = store::listed(app.db.reads(), wanted).await?;
        if !found.is_empty() || Instant::now() >= until {
            return Ok(found);
        }
        let next = until.min(Instant::now() + LOOK_AGAIN);
        let _ = timeout_at(next, changes.changed()).await;
    }
}
