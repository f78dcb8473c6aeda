//! The version of the server, and the rate limits of the caller.

use contract_macros::schema;
use poem::http::{HeaderValue, header};
use poem::{IntoResponse, Response};
use poem_openapi::ApiResponse;
use poem_openapi::registry::{
    MetaMediaType, MetaResponse, MetaResponses, MetaSchema, MetaSchemaRef, Registry,
};
use poem_openapi::types::Example;

use super::super::values::Timestamp;

/// The rate limit status of the caller.
#[schema(example)]
pub struct RateLimits {
    pub resources: RateResources,
    /// The same as `resources.core`. Absent from version `2026-03-10` on.
    pub rate: Option<RateBudget>,
}

/// The rate limits by resource. Every operation of this server counts against `core`. The
/// others are included for clients that expect them, and are never used.
#[schema]
pub struct RateResources {
    /// The rate limit of the REST API.
    pub core: RateBudget,
    /// The rate limit of searches.
    pub search: RateBudget,
    /// The rate limit of the GraphQL API.
    pub graphql: Option<RateBudget>,
    /// The rate limit of app manifest conversions.
    pub integration_manifest: Option<RateBudget>,
    /// The rate limit of repository imports.
    pub source_import: Option<RateBudget>,
    /// The rate limit of code scanning uploads.
    pub code_scanning_upload: Option<RateBudget>,
    /// The rate limit of code scanning autofixes.
    pub code_scanning_autofix: Option<RateBudget>,
    /// The rate limit of registrations of self-hosted runners.
    pub actions_runner_registration: Option<RateBudget>,
    /// The rate limit of SCIM provisioning.
    pub scim: Option<RateBudget>,
    /// The rate limit of dependency submissions.
    pub dependency_snapshots: Option<RateBudget>,
    /// The rate limit of exports of software bills of materials (SBOM).
    pub dependency_sbom: Option<RateBudget>,
    /// The rate limit of the audit log.
    pub audit_log: Option<RateBudget>,
    /// The rate limit of audit log streaming.
    pub audit_log_streaming: Option<RateBudget>,
    /// The rate limit of code searches.
    pub code_search: Option<RateBudget>,
}

impl RateResources {
    /// GitHub's limits for a user. This server only ever uses `core`.
    pub fn new(core: RateBudget, now: Timestamp) -> Self {
        let untouched = |limit, seconds| RateBudget {
            limit,
            used: 0,
            remaining: limit,
            reset: now.0 + seconds,
        };
        let minute = |limit| Some(untouched(limit, 60));
        let hour = |limit| Some(untouched(limit, 3600));
        Self {
            core,
            search: untouched(30, 60),
            graphql: hour(5000),
            integration_manifest: hour(5000),
            source_import: minute(100),
            code_scanning_upload: hour(1000),
            code_scanning_autofix: minute(10),
            actions_runner_registration: hour(10_000),
            scim: hour(15_000),
            dependency_snapshots: minute(100),
            dependency_sbom: minute(100),
            audit_log: hour(1750),
            audit_log_streaming: hour(15),
            code_search: minute(10),
        }
    }
}

/// A rate limit and its current usage.
#[schema]
#[derive(Copy, PartialEq, Eq)]
pub struct RateBudget {
    /// The number of requests allowed in the current window: one hour, or one minute for
    /// searches and other expensive resources.
    pub limit: u64,
    /// The number of requests made in the current window.
    pub used: u64,
    /// The number of requests that remain in the current window.
    pub remaining: u64,
    /// When the current window ends, in Unix seconds.
    pub reset: i64,
}

impl Example for RateLimits {
    fn example() -> Self {
        let core = RateBudget {
            limit: 5000,
            used: 1,
            remaining: 4999,
            reset: 1_773_136_800,
        };
        Self {
            resources: RateResources::new(core, Timestamp(1_773_133_200)),
            rate: None,
        }
    }
}

/// Information about the server.
#[schema(example)]
pub struct Meta {
    /// Whether the server supports password authentication. Always `false`: it only accepts
    /// tokens.
    pub verifiable_password_authentication: bool,
    /// The version of the server.
    pub installed_version: String,
}

impl Example for Meta {
    fn example() -> Self {
        Self {
            verifiable_password_authentication: false,
            installed_version: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }
}

/// A sentence about design, as plain text.
#[derive(Debug, Clone, Copy)]
pub struct Zen(pub &'static str);

const PLAIN_TEXT: &str = "text/plain;charset=utf-8";

impl IntoResponse for Zen {
    fn into_response(self) -> Response {
        Response::builder()
            .header(header::CONTENT_TYPE, HeaderValue::from_static(PLAIN_TEXT))
            .body(self.0)
    }
}

impl ApiResponse for Zen {
    fn meta() -> MetaResponses {
        let schema = MetaSchema {
            example: Some("Say it once, in one place.".into()),
            ..MetaSchema::new("string")
        };
        MetaResponses {
            responses: vec![MetaResponse {
                description: "A sentence about design.",
                status: Some(200),
                status_range: None,
                content: vec![MetaMediaType {
                    content_type: "text/plain",
                    schema: MetaSchemaRef::Inline(Box::new(schema)),
                }],
                headers: vec![],
            }],
        }
    }

    fn register(_: &mut Registry) {}
}
