//! The body of `create_fault`.

use contract_macros::schema;
use poem_openapi::types::Example;

use super::super::super::body::Readable;
use super::{FaultEffect, FaultMethod};

/// The body of `create_fault`: which requests fail, how often and how.
#[schema(closed, example)]
pub struct CreateFault {
    /// The `operationId` of the operation that the fault applies to, such as `create_ref`. If
    /// omitted, all operations.
    #[schema(validator(max_length = 100))]
    pub operation: Option<String>,
    /// The HTTP method that the fault applies to. If omitted, all methods.
    pub method: Option<FaultMethod>,
    /// The pattern of the paths that the fault applies to, without the base path of the world and
    /// without `/api/v3`. `*` matches any part of a segment, `**` any part of the path. If omitted,
    /// all paths.
    #[schema(validator(min_length = 1, max_length = 500))]
    pub path: Option<String>,
    /// The caller that the fault applies to: the login of a user, the slug of an app, or a kind of
    /// caller (`anonymous`, `classic`, `oauth`, `fine_grained`, `app_user`, `installation` or
    /// `app`). If omitted, all callers.
    #[schema(validator(min_length = 1, max_length = 100))]
    pub caller: Option<String>,
    /// The probability with which the fault is used for a matching request: above 0 and at most 1.
    /// If omitted, 1.
    #[schema(validator(
        minimum(value = "0", exclusive = "true"),
        maximum(value = "1", exclusive = "false")
    ))]
    pub probability: Option<f64>,
    /// The number of matching requests that pass before the fault is first used. If omitted, 0.
    #[schema(validator(
        minimum(value = "0", exclusive = "false"),
        maximum(value = "1000000", exclusive = "false")
    ))]
    pub skip: Option<i64>,
    /// The maximum number of times that the fault is used. If omitted, there is no limit.
    #[schema(validator(
        minimum(value = "1", exclusive = "false"),
        maximum(value = "1000000", exclusive = "false")
    ))]
    pub times: Option<i64>,
    pub effect: FaultEffect,
    /// The HTTP status of the response, from 400 to 599. Required for the effect `status`. For
    /// `primary_limit` and `secondary_limit`, 403 (the default) or 429.
    #[schema(validator(
        minimum(value = "400", exclusive = "false"),
        maximum(value = "599", exclusive = "false")
    ))]
    pub status: Option<i64>,
    /// The message of the response. If omitted, GitHub's message. Only for the effect `status`.
    #[schema(validator(max_length = 1000))]
    pub message: Option<String>,
    /// The value of `Retry-After`, in seconds. Only for the effects `secondary_limit` (60 if
    /// omitted) and `status`.
    #[schema(validator(
        minimum(value = "0", exclusive = "false"),
        maximum(value = "86400", exclusive = "false")
    ))]
    pub retry_after: Option<i64>,
    /// The number of seconds from the request until the rate limit resets. Only for the effect
    /// `primary_limit`. If omitted, 3600.
    #[schema(validator(
        minimum(value = "0", exclusive = "false"),
        maximum(value = "86400", exclusive = "false")
    ))]
    pub reset_after: Option<i64>,
    /// The delay of the response, in milliseconds. Required for the effect `latency`, optional for
    /// all others.
    #[schema(validator(
        minimum(value = "0", exclusive = "false"),
        maximum(value = "60000", exclusive = "false")
    ))]
    pub latency_ms: Option<i64>,
    /// Whether the request is processed before it fails, so that only its response is lost. Always
    /// the case for `latency`, `truncate` and `malformed`.
    pub after: Option<bool>,
}

impl Readable for CreateFault {}

impl CreateFault {
    /// A fault that applies to every request.
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
