//! What the control API changes while a world serves requests: its time, its faults, its
//! deliveries, and the record of its requests.

mod deliveries;

use std::sync::Arc;

use storage::clock::{Clock, ControlledClock};

use crate::faults::Faults;
use crate::journal::Journal;
pub use deliveries::DeliveryControl;

/// The parts of a world that the control API uses while it serves requests.
#[derive(Debug, Default)]
pub struct Tools {
    /// The time of the world.
    pub clock: Arc<ControlledClock>,
    /// The injected faults.
    pub faults: Faults,
    /// Whether webhooks are sent, and the requests that wait for one.
    pub delivery: DeliveryControl,
    /// The most recent requests.
    pub journal: Arc<Journal>,
}

impl Tools {
    /// The tools of a world with this clock.
    pub fn over(clock: Arc<dyn Clock>) -> Self {
        Self {
            clock: Arc::new(ControlledClock::over(clock)),
            ..Self::default()
        }
    }

    /// Resets everything, after the stored data was restored to an earlier state.
    pub fn reset(&self) {
        self.clock.release();
        self.faults.clear();
        self.delivery.pause(false);
        self.journal.clear();
    }
}
