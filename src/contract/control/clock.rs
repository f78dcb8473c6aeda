//! The clock of a world: freeze it, set it, let it leap.

use forgewright_macros::operations;
use poem_openapi::Object;
use poem_openapi::types::Example;
use serde::{Deserialize, Serialize};

use super::super::body::{Body, Readable};
use super::super::reply::{Outcome, Reply};
use super::super::values::Timestamp;
use super::ControlCall;

/// What can be done with the clock of a world; `control/clock.rs` is how.
#[operations(Clock)]
pub trait Operations: Send + Sync {
    /// Get the clock
    ///
    /// Returns the time of a world, which is that of the system unless it was changed.
    #[get("/_forgewright/worlds/{world}/clock")]
    #[access(control)]
    #[fails(404)]
    async fn get_clock(&self, call: ControlCall, world: String) -> Outcome<Reply<200, WorldClock>>;

    /// Change the clock
    ///
    /// Freezes the time of a world, sets it, or lets it leap. Everything that looks at the time
    /// follows at once: the expiry of tokens, rate limits, iterations, retries of webhooks and
    /// every date in an answer.
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
    /// Returns a world to the time of the system.
    #[delete("/_forgewright/worlds/{world}/clock")]
    #[access(control)]
    #[fails(404)]
    async fn release_clock(
        &self,
        call: ControlCall,
        world: String,
    ) -> Outcome<Reply<200, WorldClock>>;
}

/// The time of a world.
#[derive(Debug, Clone, PartialEq, Eq, Object, Serialize, Deserialize)]
#[oai(example)]
pub struct WorldClock {
    /// The time.
    pub now: Timestamp,
    /// Whether it stands still.
    pub frozen: bool,
    /// How many seconds it is ahead of the time of the system; negative if it is behind.
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

/// How to change the clock. What is left out stays as it is.
#[derive(Debug, Clone, Default, Object, Serialize, Deserialize)]
#[oai(example)]
pub struct UpdateClock {
    /// The time to set, between 1970 and 9999. Not together with `advance`.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub now: Option<Timestamp>,
    /// By how many seconds to leap ahead, or back if it is negative.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub advance: Option<i64>,
    /// Whether the time stands still from now on. A clock that stood still goes on from where
    /// it was.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
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
