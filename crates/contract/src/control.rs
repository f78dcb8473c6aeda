//! The control API, for tests of clients against this server: worlds, the clock, faults, the
//! journal and deliveries. It is separate from the forge's API: its requests do not count
//! against rate limits, and the clients under test do not see them.

pub mod clock;
pub mod deliveries;
pub mod faults;
pub mod journal;
pub mod snapshots;
pub mod worlds;

use std::sync::Arc;
use std::time::Duration;

use poem_openapi::registry::{MetaSchema, MetaSecurityScheme};
use poem_openapi::types::{ParseError, ParseFromParameter, ParseResult};
use serde::{Deserialize, Serialize};

use super::call::{TOKEN, extractor};
use super::problem::Problem;
use super::reply::Outcome;
use super::values::described;

/// The base path of the control API.
pub const CONTROL_PATH: &str = "/_forgewright";

/// The base path of the worlds; the name of the world follows.
pub const WORLDS_PATH: &str = "/_worlds";

/// A call of an operation of the control API.
#[derive(Debug, Clone)]
pub struct ControlCall {
    /// The scheme, host and port that the caller used.
    pub origin: Arc<str>,
}

/// The extractor of the control API's operations. `web/control.rs` has already checked the
/// credential.
pub struct ControlToken(pub ControlCall);

const CONTROL: MetaSecurityScheme = MetaSecurityScheme {
    description: Some(
        "The control token: the value of `--control-token`, or the token that the server prints \
         when it starts. A server that listens on loopback does not require a token unless \
         `--control-token` is set.",
    ),
    ..TOKEN
};

extractor!(ControlToken(ControlCall), "control", CONTROL, anonymous: true);

/// The maximum time that a request waits for a match, in seconds.
const MAX_WAIT_SECONDS: i64 = 60;

/// The number of seconds that a request waits for a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct WaitSeconds(i64);

impl WaitSeconds {
    /// The duration, if it is within the limit.
    pub fn duration(self) -> Outcome<Duration> {
        match self.0 {
            seconds @ 0..=MAX_WAIT_SECONDS => Ok(Duration::from_secs(seconds.unsigned_abs())),
            _ => Err(Problem::Malformed(vec![format!(
                "For 'wait', the value is not between 0 and {MAX_WAIT_SECONDS}."
            )])),
        }
    }
}

described!(
    WaitSeconds,
    "WaitSeconds",
    MetaSchema {
        minimum: Some(0.0),
        maximum: Some(MAX_WAIT_SECONDS as f64),
        ..MetaSchema::new("integer")
    }
);

impl ParseFromParameter for WaitSeconds {
    fn parse_from_parameter(value: &str) -> ParseResult<Self> {
        let seconds = i64::parse_from_parameter(value);
        seconds.map(Self).map_err(ParseError::propagate)
    }
}
