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

use poem_openapi::registry::MetaSecurityScheme;

use super::call::{TOKEN, extractor};
use super::problem::Problem;

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
