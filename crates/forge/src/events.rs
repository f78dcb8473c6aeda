//! Events: what happened, who may hear of it, and the queue that leaves deliveries in the
//! transaction of a change. The payloads are built from the views of the nouns, so `webhooks`,
//! which is above them, implements the queue.

mod audience;
mod event;
mod origin;
mod prepared;
mod queue;

pub use audience::{Audience, Receiver};
pub use event::{
    CheckRunAction, CommentAction, Event, EventName, IssueAction, IssueChanges, LabelAction,
    PullAction, PullChanges, RefUpdate, ReviewAction, StatusReport,
};
pub use origin::Origin;
pub use prepared::{PreparedDeliveries, PreparedDelivery, PreparedPayload, TimeFormat};
pub use queue::{Deliver, Outbox, queue, queue_all};
