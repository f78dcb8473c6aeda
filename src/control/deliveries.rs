//! The webhook deliveries of a world: lists, awaits, redelivers and pauses them.

mod store;
mod view;

use std::time::Duration;

use async_trait::async_trait;
use tokio::time::{Instant, timeout_at};

use super::{Control, waits_until};
use contract::body::Body;
use contract::control::deliveries::{
    DeliveryFilter, DeliverySettings, Operations, WebhookDelivery,
};
use contract::control::{ControlCall, WaitSeconds};
use contract::paging::OptionalParameter;
use contract::problem::{FieldProblem, Problem};
use contract::reply::{Outcome, Reply};
use forge::app::App;
use forge::events::EventName;
use forge::nearest::did_you_mean;
use forge::tools::DeliveryControl;
use forge::webhooks;

/// How often a waiting request polls, for changes of other processes.
const POLL_INTERVAL: Duration = Duration::from_millis(500);

#[async_trait]
impl Operations for Control {
    async fn list_deliveries(
        &self,
        _: ControlCall,
        world: String,
        filter: DeliveryFilter,
        wait: OptionalParameter<WaitSeconds>,
    ) -> Outcome<Reply<200, Vec<WebhookDelivery>>> {
        let (world, tools) = self.tools(&world)?;
        check_event(&filter)?;
        let until = waits_until(wait)?;
        let rows = awaited(&world.app, &tools.delivery, &filter, until).await?;
        Ok(Reply::new(view::deliveries(rows).await?))
    }

    async fn get_delivery(
        &self,
        _: ControlCall,
        world: String,
        delivery_id: i64,
    ) -> Outcome<Reply<200, WebhookDelivery>> {
        let (world, _) = self.tools(&world)?;
        Ok(Reply::new(load_delivery(&world.app, delivery_id).await?))
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
            let message = format!("The app '{}' has no webhook", receiver.slug);
            return Err(Problem::Conflict(message.into()));
        }
        let queued = webhooks::redeliver(&app.db, &row, app.clock.now().0).await?;
        app.outbox.wake();
        Ok(Reply::new(load_delivery(app, queued.id()).await?))
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

/// Refuses an event that this server never sends: nobody should wait for it.
fn check_event(filter: &DeliveryFilter) -> Outcome<()> {
    let names = || EventName::ALL.into_iter().map(EventName::as_str);
    match &filter.event {
        Some(event) if !names().any(|name| name == event) => {
            let nearest = did_you_mean(event, names());
            let event = event.escape_debug();
            let reason = format!("This server sends no event '{event}'{nearest}");
            let problem = FieldProblem::invalid("Delivery", "event").because(reason);
            Err(problem.into())
        }
        _ => Ok(()),
    }
}

fn absent() -> Problem {
    Problem::Absent("There is no such delivery; deliveries are kept for three days".into())
}

async fn load_delivery(app: &App, id: i64) -> Outcome<WebhookDelivery> {
    let row = store::one(app.db.reads(), id).await?;
    let views = view::deliveries(row.into_iter().collect()).await?;
    views.into_iter().next().ok_or_else(absent)
}

/// The matching deliveries; waits until there is one.
async fn awaited(
    app: &App,
    control: &DeliveryControl,
    filter: &DeliveryFilter,
    until: Instant,
) -> Outcome<Vec<store::DeliveryRow>> {
    let mut changes = control.watch();
    loop {
        changes.mark_unchanged();
        let rows = store::listed(app.db.reads(), filter).await?;
        if !rows.is_empty() || Instant::now() >= until {
            return Ok(rows);
        }
        let next = until.min(Instant::now() + POLL_INTERVAL);
        let _ = timeout_at(next, changes.changed()).await;
    }
}
