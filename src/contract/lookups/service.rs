//! The service itself: which server answers, and how many requests are left.

use poem::http::{HeaderValue, header};
use poem::{IntoResponse, Response};
use poem_openapi::registry::{
    MetaMediaType, MetaResponse, MetaResponses, MetaSchema, MetaSchemaRef, Registry,
};
use poem_openapi::types::Example;
use poem_openapi::{ApiResponse, Object};
use serde::{Deserialize, Serialize};

use super::super::values::Timestamp;

/// How much of its budgets a caller has used.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
#[oai(example)]
pub struct RateLimits {
    pub resources: RateResources,
    /// The same as `resources.core`; absent from version `2026-03-10` on.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<RateBudget>,
}

/// The budgets by resource. Everything here draws on `core`; the others are untouched, for
/// clients that expect them.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
pub struct RateResources {
    /// The REST API.
    pub core: RateBudget,
    /// Searches.
    pub search: RateBudget,
    /// The GraphQL API.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub graphql: Option<RateBudget>,
    /// Apps that are made from a manifest.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub integration_manifest: Option<RateBudget>,
    /// Imports of repositories.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_import: Option<RateBudget>,
    /// Uploads of code scanning results.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code_scanning_upload: Option<RateBudget>,
    /// Suggested fixes of code scanning alerts.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code_scanning_autofix: Option<RateBudget>,
    /// Registrations of self-hosted runners.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actions_runner_registration: Option<RateBudget>,
    /// Provisioning of users.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scim: Option<RateBudget>,
    /// Submissions of dependencies.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dependency_snapshots: Option<RateBudget>,
    /// Software bills of materials.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dependency_sbom: Option<RateBudget>,
    /// The audit log.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub audit_log: Option<RateBudget>,
    /// Streams of the audit log.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub audit_log_streaming: Option<RateBudget>,
    /// Searches in code.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code_search: Option<RateBudget>,
}

impl RateResources {
    /// What GitHub allows a user, of which nothing but `core` is ever used here.
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

/// A number of requests for a span of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Object, Serialize, Deserialize)]
pub struct RateBudget {
    /// How many requests an hour allows; a minute, for searches and what is as costly.
    pub limit: u64,
    /// How many of them have been made.
    pub used: u64,
    /// How many of them are left.
    pub remaining: u64,
    /// When the span ends, in Unix seconds.
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

/// Which server answers.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
#[oai(example)]
pub struct Meta {
    /// Always false: the service knows tokens and no passwords.
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

/// A sentence to think about, as plain text.
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
                description: "A sentence.",
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
