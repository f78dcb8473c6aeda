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

use poem::{Request, RequestBody, Result};
use poem_openapi::registry::{MetaSecurityScheme, Registry};
use poem_openapi::{ApiExtractor, ApiExtractorType, ExtractParamOptions};

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
    ty: "http",
    description: Some(
        "The control token: that of `--control-token`, or the one that the server prints when it \
         starts. A server that listens on loopback and was given none needs none.",
    ),
    name: None,
    key_in: None,
    scheme: Some("bearer"),
    bearer_format: None,
    flows: None,
    openid_connect_url: None,
};

impl<'a> ApiExtractor<'a> for ControlToken {
    const TYPES: &'static [ApiExtractorType] = &[ApiExtractorType::SecurityScheme];
    type ParamType = ();
    type ParamRawType = ();

    fn register(registry: &mut Registry) {
        registry.create_security_scheme("control", CONTROL);
    }

    fn security_schemes() -> Vec<&'static str> {
        vec!["control"]
    }

    fn has_security_fallback() -> bool {
        true
    }

    async fn from_request(
        request: &'a Request,
        _body: &mut RequestBody,
        _options: ExtractParamOptions<()>,
    ) -> Result<Self> {
        let call = request.extensions().get::<ControlCall>().cloned();
        let missing = || Problem::internal("a request reached the control API unchecked");
        Ok(Self(call.ok_or_else(missing)?))
    }
}
