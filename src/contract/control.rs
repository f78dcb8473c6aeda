//! The control API, for whoever tests a client against this server: worlds, clock, faults,
//! journal and deliveries. It is not part of the forge's API: nothing here is counted by
//! rate limits or seen by the clients under test.

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

/// Where the control API is served.
pub const CONTROL_PATH: &str = "/_forgewright";

/// Where worlds are served, each below its name.
pub const WORLDS_PATH: &str = "/_worlds";

/// One call of a control operation.
#[derive(Debug, Clone)]
pub struct ControlCall {
    /// Scheme, host and port that the caller used.
    pub origin: Arc<str>,
}

/// An operation of the control API. `web/control.rs` has checked the credential.
pub struct ControlToken(pub ControlCall);

const CONTROL: MetaSecurityScheme = MetaSecurityScheme {
    description: Some(
        "The control token: that of `--control-token`, or the one that the server prints when it \
         starts. A server that listens on loopback and was given none needs none.",
    ),
    ..TOKEN
};

extractor!(ControlToken(ControlCall), "control", CONTROL, anonymous: true);

/// The longest that a request waits for a match, in seconds.
const LONGEST_WAIT: i64 = 60;

/// How many seconds a request waits for a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct WaitSeconds(i64);

impl WaitSeconds {
    /// The time, if it is not too long.
    pub fn duration(self) -> Outcome<Duration> {
        match self.0 {
            seconds @ 0..=LONGEST_WAIT => Ok(Duration::from_secs(seconds.unsigned_abs())),
            _ => Err(Problem::Malformed(vec![format!(
                "For 'wait', the value is not between 0 and {LONGEST_WAIT}."
            )])),
        }
    }
}

described!(
    WaitSeconds,
    "WaitSeconds",
    MetaSchema {
        minimum: Some(0.0),
        maximum: Some(LONGEST_WAIT as f64),
        ..MetaSchema::new("integer")
    }
);

impl ParseFromParameter for WaitSeconds {
    fn parse_from_parameter(value: &str) -> ParseResult<Self> {
        let seconds = i64::parse_from_parameter(value);
        seconds.map(Self).map_err(ParseError::propagate)
    }
}
