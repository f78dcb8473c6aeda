//! The clock of a world: freezing, setting and advancing it.

use contract_macros::{operations, schema};
use poem_openapi::types::Example;

use super::super::body::{Body, Readable};
use super::super::reply::{Outcome, Reply};
use super::super::values::Timestamp;
use super::ControlCall;

/// The operations on the clock of a world; `control/clock.rs` implements them.
#[operations(Clock)]
pub trait Operations: Send + Sync {
    /// Get the clock
    ///
    /// Returns the clock of a world, which follows the system clock unless it was changed.
    #[get("/_forgewright/worlds/{world}/clock")]
    #[access(control)]
    #[fails(404)]
    async fn get_clock(&self, call: ControlCall, world: String) -> Outcome<Reply<200, WorldClock>>;

    /// Update the clock
    ///
    /// Freezes, sets or advances the clock of a world. Everything that depends on the time follows
    /// immediately: the expiry of tokens, rate limits, iterations, retries of webhooks and every
    /// date in a response. Webhook deliveries that are then more than three days old are deleted.
    #[patch("/_forgewright/worlds/{world}/clock")]
    #[access(control)]
    #[fails(400, 404, 422)]
    async fn update_clock(
        &self,
        call: ControlCall,
        world: String,
        body: Body<UpdateClock>,
    ) -> Outcome<Reply<200, WorldClock>>;

    /// Release the clock
    ///
    /// Sets the clock of a world back to the system clock.
    #[delete("/_forgewright/worlds/{world}/clock")]
    #[access(control)]
    #[fails(404)]
    async fn release_clock(
        &self,
        call: ControlCall,
        world: String,
    ) -> Outcome<Reply<200, WorldClock>>;
}

/// The clock of a world.
#[schema(example)]
#[derive(PartialEq, Eq)]
pub struct WorldClock {
    /// The current time of the world.
    pub now: Timestamp,
    /// Whether the clock is frozen.
    pub frozen: bool,
    /// The number of seconds by which the clock is ahead of the system clock. Negative if it is
    /// behind.
    pub offset: i64,
}

impl Example for WorldClock {
    fn example() -> Self {
        Self {
            now: Timestamp(1_773_138_600),
            frozen: true,
            offset: 3600,
        }
    }
}

/// Changes to the clock. Omitted properties are not changed.
#[schema(closed, example)]
#[derive(Default)]
pub struct UpdateClock {
    /// The time to set, between 1970 and 9999. Cannot be combined with `advance`.
    pub now: Option<Timestamp>,
    /// The number of seconds by which to advance the clock. Negative to set it back.
    pub advance: Option<i64>,
    /// Whether to freeze the clock. A clock that is unfrozen continues from the time at which it
    /// was frozen.
    pub frozen: Option<bool>,
}

impl Readable for UpdateClock {}

impl Example for UpdateClock {
    fn example() -> Self {
        Self {
            now: None,
            advance: Some(3600),
            frozen: Some(true),
        }
    }
}
