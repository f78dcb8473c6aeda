//! The webhook of an app: its settings, its deliveries, and redelivery.

use serde_json::Value;

use crate::apps::{Apps, rows, rules, view};
use crate::urls::Urls;
use crate::webhooks;
use contract::apps::{
    HookConfig, HookDelivery, HookDeliveryItem, HookDeliveryStatus, UpdateHookConfig,
};
use contract::body::Body;
use contract::call::Call;
use contract::paging::{PerPage, next_link};
use contract::problem::Problem;
use contract::reply::{Outcome, Reply};
use contract::values::JsonObject;
use storage::entities::{app, webhook_delivery};
use storage::heavy;

impl Apps {
    pub(super) async fn change_hook(
        &self,
        call: &Call,
        body: Body<UpdateHookConfig>,
    ) -> Outcome<HookConfig> {
        let app = self.app.access.calling_app(call).await?;
        let body = body.validated()?;
        let transaction = self.app.db.begin().await?;
        let before = rows::lock(&transaction, app.id).await?;
        let before = before.ok_or(Problem::NotFound)?;
        let mut after = rules::changed_hook(&before, body)?;
        if after == before {
            return Ok(view::config(&before));
        }
        after.updated_at = self.app.clock.now().0;
        rows::save_hook(&transaction, &after).await?;
        if after.webhook_url != before.webhook_url {
            webhooks::queue_ping(&transaction, &self.app, &after, &Urls::of(call)).await?;
        }
        transaction.commit().await?;
        Ok(view::config(&after))
    }

    pub(super) async fn deliveries(
        &self,
        call: &Call,
        per_page: PerPage,
        cursor: Option<&str>,
        status: Option<HookDeliveryStatus>,
    ) -> Outcome<Reply<200, Vec<HookDeliveryItem>>> {
        let app = self.app.access.calling_app(call).await?;
        let from = cursor.map(rules::delivery_id).transpose()?;
        let reads = self.app.db.reads();
        let mut rows = rows::deliveries(reads, app.id, from, status, per_page.0 + 1).await?;
        let page_size = usize::try_from(per_page.0).unwrap_or(usize::MAX);
        let next = rows.get(page_size).map(|row| rules::cursor(row.id));
        rows.truncate(page_size);
        let items = rows.into_iter().map(view::delivery_item).collect();
        Ok(Reply::new(items).link(next_link(call, next.as_deref())))
    }

    /// One delivery. Its payload may be large, so reading it takes a permit.
    pub(super) async fn delivery(&self, call: &Call, id: i64) -> Outcome<HookDelivery> {
        let row = self.attempted(call, id).await?;
        let read = heavy::compute(move || {
            let payload = object(Some(&row.payload));
            let headers = object(row.request_headers.as_deref());
            let answered = object(row.response_headers.as_deref());
            view::delivery(row, payload, headers, answered)
        });
        read.await.map_err(Problem::internal)
    }

    pub(super) async fn redeliver(&self, call: &Call, id: i64) -> Outcome<()> {
        let row = self.attempted(call, id).await?;
        webhooks::redeliver(&self.app.db, &row, self.app.clock.now().0).await?;
        self.app.outbox.wake();
        Ok(())
    }

    /// A delivery to the calling app that has been attempted.
    async fn attempted(&self, call: &Call, id: i64) -> Outcome<webhook_delivery::Model> {
        let app: app::Model = self.app.access.calling_app(call).await?;
        let delivery = rows::delivery(self.app.db.reads(), app.id, id).await?;
        delivery.ok_or(Problem::NotFound)
    }
}

/// A column that holds a JSON object.
fn object(text: Option<&str>) -> Option<JsonObject> {
    match serde_json::from_str(text?) {
        Ok(Value::Object(fields)) => Some(JsonObject(fields)),
        _ => None,
    }
}
