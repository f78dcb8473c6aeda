//! The service itself: which server answers, and how many requests are left.

use poem::http::{HeaderValue, header};
use poem::{IntoResponse, Response};
use poem_openapi::registry::{
    MetaMediaType, MetaResponse, MetaResponses, MetaSchema, MetaSchemaRef, Registry,
};
use poem_openapi::types::Example;
use poem_openapi::{ApiResponse, Object};
use serde::{Deserialize, Serialize};

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

/// The budgets by resource.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
pub struct RateResources {
    pub core: RateBudget,
    /// Nothing draws on it; kept for clients that expect it.
    pub search: RateBudget,
}

/// A number of requests for a span of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Object, Serialize, Deserialize)]
pub struct RateBudget {
    /// How many requests an hour allows.
    pub limit: u64,
    /// How many of them have been made.
    pub used: u64,
    /// How many of them are left.
    pub remaining: u64,
    /// When the hour ends, in Unix seconds.
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
        let search = RateBudget {
            limit: 30,
            used: 0,
            remaining: 30,
            reset: 1_773_136_800,
        };
        Self {
            resources: RateResources { core, search },
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
            installed_version: "0.1.0".to_owned(),
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
