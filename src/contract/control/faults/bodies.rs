//! The body that makes a fault.

use poem_openapi::Object;
use poem_openapi::types::Example;
use serde::{Deserialize, Serialize};

use super::super::super::body::Readable;
use super::{FaultEffect, FaultMethod};

/// The body of `create_fault`: which requests, how often, and what becomes of them.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
#[oai(example)]
pub struct CreateFault {
    /// Only requests for this operation, by its `operationId`, such as `create_ref`.
    #[oai(skip_serializing_if_is_none, validator(max_length = 100))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<String>,
    /// Only requests of this method.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<FaultMethod>,
    /// Only requests for these paths, without the address of the world and without `/api/v3`.
    /// `*` stands for anything within a segment, `**` for anything.
    #[oai(
        skip_serializing_if_is_none,
        validator(min_length = 1, max_length = 500)
    )]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Only requests of this caller: the login of a user, the name of an app, or a kind:
    /// `anonymous`, `classic`, `oauth`, `fine_grained`, `app_user`, `installation` or `app`.
    #[oai(
        skip_serializing_if_is_none,
        validator(min_length = 1, max_length = 100)
    )]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caller: Option<String>,
    /// How likely it is used for a request that it applies to: above 0 and at most 1, which is
    /// the default.
    #[oai(
        skip_serializing_if_is_none,
        validator(
            minimum(value = "0", exclusive = "true"),
            maximum(value = "1", exclusive = "false")
        )
    )]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probability: Option<f64>,
    /// How many requests that it applies to pass before it is used first; none by default.
    #[oai(
        skip_serializing_if_is_none,
        validator(
            minimum(value = "0", exclusive = "false"),
            maximum(value = "1000000", exclusive = "false")
        )
    )]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skip: Option<i64>,
    /// How often it is used; without end by default.
    #[oai(
        skip_serializing_if_is_none,
        validator(
            minimum(value = "1", exclusive = "false"),
            maximum(value = "1000000", exclusive = "false")
        )
    )]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times: Option<i64>,
    pub effect: FaultEffect,
    /// The status of the answer, between 400 and 599. Needed with `status`; with a limit it may
    /// be 403, the default, or 429.
    #[oai(
        skip_serializing_if_is_none,
        validator(
            minimum(value = "400", exclusive = "false"),
            maximum(value = "599", exclusive = "false")
        )
    )]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<i64>,
    /// The message of the answer. GitHub's by default. Only with `status`.
    #[oai(skip_serializing_if_is_none, validator(max_length = 1000))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The seconds of `Retry-After`. 60 by default with `secondary_limit`; also with `status`.
    #[oai(
        skip_serializing_if_is_none,
        validator(
            minimum(value = "0", exclusive = "false"),
            maximum(value = "86400", exclusive = "false")
        )
    )]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<i64>,
    /// How many seconds from the request on the budget is whole again. Only with
    /// `primary_limit`; 3600 by default.
    #[oai(
        skip_serializing_if_is_none,
        validator(
            minimum(value = "0", exclusive = "false"),
            maximum(value = "86400", exclusive = "false")
        )
    )]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reset_after: Option<i64>,
    /// How many milliseconds the answer waits. Needed with `latency`, and possible with any
    /// effect.
    #[oai(
        skip_serializing_if_is_none,
        validator(
            minimum(value = "0", exclusive = "false"),
            maximum(value = "60000", exclusive = "false")
        )
    )]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_ms: Option<i64>,
    /// Whether the request is carried out before it fails, so that only its answer is lost.
    /// `latency`, `truncate` and `malformed` always do that.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<bool>,
}

impl Readable for CreateFault {}

impl CreateFault {
    /// A rule for every request.
    pub fn all(effect: FaultEffect) -> Self {
        Self {
            operation: None,
            method: None,
            path: None,
            caller: None,
            probability: None,
            skip: None,
            times: None,
            effect,
            status: None,
            message: None,
            retry_after: None,
            reset_after: None,
            latency_ms: None,
            after: None,
        }
    }
}

impl Example for CreateFault {
    fn example() -> Self {
        Self {
            operation: Some("create_ref".to_owned()),
            caller: Some("ci-bot".to_owned()),
            times: Some(2),
            status: Some(502),
            after: Some(true),
            ..Self::all(FaultEffect::Status)
        }
    }
}
