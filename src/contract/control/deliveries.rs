//! The webhooks of a world: what apps were sent, and what they answered.

mod shapes;

use forgewright_macros::operations;

use super::super::body::Body;
use super::super::paging::{Given, PerPage};
use super::super::reply::{Outcome, Reply};
use super::{ControlCall, WaitSeconds};
pub use shapes::{
    DeliveryRequest, DeliveryResponse, DeliverySettings, DeliveryState, WebhookDelivery,
};

/// What can be done with deliveries; `control/deliveries.rs` is how.
#[operations(Deliveries)]
pub trait Operations: Send + Sync {
    /// List deliveries
    ///
    /// Returns the webhooks of all apps, the newest first, each attempt by itself. A webhook is
    /// listed from the change on that it tells of, also while it waits to be sent, and also if its
    /// app has no address: then it is only recorded. With `wait`, the answer waits until there is
    /// one that fits, or until the time is over; then the list is empty.
    #[get("/_forgewright/worlds/{world}/deliveries")]
    #[access(control)]
    #[fails(404, 422)]
    async fn list_deliveries(
        &self,
        call: ControlCall,
        world: String,
        #[query(
            event: Given<String>,
            action: Given<String>,
            app: Given<String>,
            status: Given<DeliveryState>,
            after: Given<i64>,
            before: Given<i64>,
            per_page: PerPage
        )]
        wanted: WantedDeliveries,
        #[query] wait: Given<WaitSeconds>,
    ) -> Outcome<Reply<200, Vec<WebhookDelivery>>>;

    /// Get a delivery
    ///
    /// Returns one delivery with its whole payload.
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
    /// Sends a webhook once more, to where its app wants it now, and returns the new delivery. If
    /// the same webhook waits to be sent already, that one is returned.
    #[post("/_forgewright/worlds/{world}/deliveries/{delivery_id}/attempts")]
    #[access(control)]
    #[fails(404, 409)]
    async fn redeliver(
        &self,
        call: ControlCall,
        world: String,
        delivery_id: i64,
    ) -> Outcome<Reply<202, WebhookDelivery>>;

    /// Get the state of delivery
    ///
    /// Returns whether webhooks are sent or held back.
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
    /// While delivery is paused, webhooks wait. Those that are being sent are not held up.
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

/// Which deliveries are wanted: those for which everything that is given holds.
#[derive(Debug, Clone)]
pub struct WantedDeliveries {
    pub event: Option<String>,
    pub action: Option<String>,
    pub app: Option<String>,
    pub status: Option<DeliveryState>,
    pub after: Option<i64>,
    pub before: Option<i64>,
    pub most: u64,
}

type Number = Given<i64>;
type Parameters = (
    Given<String>,
    Given<String>,
    Given<String>,
    Given<DeliveryState>,
    Number,
    Number,
    PerPage,
);

impl From<Parameters> for WantedDeliveries {
    fn from((event, action, app, status, after, before, per_page): Parameters) -> Self {
        Self {
            event: event.0,
            action: action.0,
            app: app.0,
            status: status.0,
            after: after.0,
            before: before.0,
            most: per_page.0,
        }
    }
}
