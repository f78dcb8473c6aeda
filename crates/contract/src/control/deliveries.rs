//! The webhook deliveries of a world.

mod shapes;

use contract_macros::operations;

use super::super::body::Body;
use super::super::paging::{OptionalParameter, PerPage};
use super::super::reply::{Outcome, Reply};
use super::{ControlCall, WaitSeconds};
pub use shapes::{
    DeliveryRequest, DeliveryResponse, DeliverySettings, DeliveryState, WebhookDelivery,
};

/// The operations on deliveries; `control/deliveries.rs` implements them.
#[operations(Deliveries)]
pub trait Operations: Send + Sync {
    /// List deliveries
    ///
    /// Returns the webhook deliveries to all apps, the newest first, with one entry per attempt. A
    /// delivery is listed as soon as the event occurs, even before it is sent. If the app has no
    /// webhook URL, the delivery is only recorded. Unless it is pending, a delivery is deleted
    /// three days after it was created, by the clock of the world. The list has the newest matches,
    /// at most `per_page`; `before` returns older ones. With `wait`, the response is delayed until
    /// a delivery matches; the list is empty if none does in that time.
    #[get("/_forgewright/worlds/{world}/deliveries")]
    #[access(control)]
    #[fails(404, 422)]
    async fn list_deliveries(
        &self,
        call: ControlCall,
        world: String,
        #[query(
            event: OptionalParameter<String>,
            action: OptionalParameter<String>,
            app: OptionalParameter<String>,
            status: OptionalParameter<DeliveryState>,
            /// Only deliveries with an `id` greater than this.
            after: OptionalParameter<i64>,
            /// Only deliveries with an `id` less than this.
            before: OptionalParameter<i64>,
            per_page: PerPage,
        )]
        filter: DeliveryFilter,
        #[query] wait: OptionalParameter<WaitSeconds>,
    ) -> Outcome<Reply<200, Vec<WebhookDelivery>>>;

    /// Get a delivery
    ///
    /// Returns one delivery with its full payload.
    #[get("/_forgewright/worlds/{world}/deliveries/{delivery_id}")]
    #[access(control)]
    #[fails(404)]
    async fn get_delivery(
        &self,
        call: ControlCall,
        world: String,
        delivery_id: i64,
    ) -> Outcome<Reply<200, WebhookDelivery>>;

    /// Redeliver a delivery
    ///
    /// Sends a webhook again, to the current webhook URL of the app, and returns the new delivery.
    /// If the same webhook is already due and not yet being sent, that delivery is returned.
    #[post("/_forgewright/worlds/{world}/deliveries/{delivery_id}/attempts")]
    #[access(control)]
    #[fails(404, 409)]
    async fn redeliver(
        &self,
        call: ControlCall,
        world: String,
        delivery_id: i64,
    ) -> Outcome<Reply<202, WebhookDelivery>>;

    /// Get the delivery settings
    ///
    /// Returns whether the delivery of webhooks is paused.
    #[get("/_forgewright/worlds/{world}/delivery")]
    #[access(control)]
    #[fails(404)]
    async fn get_delivery_settings(
        &self,
        call: ControlCall,
        world: String,
    ) -> Outcome<Reply<200, DeliverySettings>>;

    /// Pause or resume delivery
    ///
    /// Pauses or resumes the delivery of webhooks. While delivery is paused, webhooks stay pending.
    /// Those that are being sent are not interrupted.
    #[put("/_forgewright/worlds/{world}/delivery")]
    #[access(control)]
    #[fails(400, 404, 422)]
    async fn set_delivery_settings(
        &self,
        call: ControlCall,
        world: String,
        body: Body<DeliverySettings>,
    ) -> Outcome<Reply<200, DeliverySettings>>;
}

/// The query parameters of a list of deliveries. A delivery must match all that are given.
#[derive(Debug, Clone)]
pub struct DeliveryFilter {
    pub event: Option<String>,
    pub action: Option<String>,
    pub app: Option<String>,
    pub status: Option<DeliveryState>,
    pub after: Option<i64>,
    pub before: Option<i64>,
    pub limit: u64,
}

type Number = OptionalParameter<i64>;
type Parameters = (
    OptionalParameter<String>,
    OptionalParameter<String>,
    OptionalParameter<String>,
    OptionalParameter<DeliveryState>,
    Number,
    Number,
    PerPage,
);

impl From<Parameters> for DeliveryFilter {
    fn from((event, action, app, status, after, before, per_page): Parameters) -> Self {
        Self {
            event: event.0,
            action: action.0,
            app: app.0,
            status: status.0,
            after: after.0,
            before: before.0,
            limit: per_page.0,
        }
    }
}
