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
const LONGEST_WAIT: u64 = 60;

/// How many seconds a request waits for a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct WaitSeconds(u64);

impl From<WaitSeconds> for Duration {
    fn from(wait: WaitSeconds) -> Self {
        Self::from_secs(wait.0)
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
        let seconds = value.parse().ok();
        let wait = seconds.filter(|seconds| *seconds <= LONGEST_WAIT);
        wait.map(Self).ok_or_else(|| {
            ParseError::custom(format!("{value} is not between 0 and {LONGEST_WAIT}."))
        })
    }
}
