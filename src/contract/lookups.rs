//! What clients look up around the service: its root, its versions and its rate
//! limits. This is the companion document, not the service's.

use std::sync::Arc;

use async_trait::async_trait;
use poem_openapi::types::Example;
use poem_openapi::{Object, OpenApi};
use serde::{Deserialize, Serialize};

use super::call::{Call, Open};
use super::reply::{Fails, Outcome, Reply};
use super::values::{Url, UrlTemplate};
use super::{EXAMPLE_ORIGIN, Tag};

/// What the area does; `areas/lookups` is how.
#[async_trait]
pub trait Operations: Send + Sync {
    async fn get_root(&self, call: Call) -> Outcome<Reply<200, Root>>;
    async fn list_versions(&self, call: Call) -> Outcome<Reply<200, Vec<String>>>;
    async fn get_rate_limit(&self, call: Call) -> Outcome<Reply<200, RateLimits>>;
}

/// The endpoints of the area.
pub struct Api(pub Arc<dyn Operations>);

#[OpenApi(tag = "Tag::Service")]
impl Api {
    /// Get the root of the API
    ///
    /// Returns the addresses from which the rest can be reached. Clients call it to learn which
    /// scopes their token has, from the `X-OAuth-Scopes` header.
    #[oai(
        path = "/",
        method = "get",
        operation_id = "get_root",
        external_docs = "https://docs.github.com/rest/meta/meta#github-api-root"
    )]
    async fn get_root(&self, call: Open) -> Result<Reply<200, Root>, Fails> {
        Ok(self.0.get_root(call.0).await?)
    }

    /// List the versions of the API
    ///
    /// Returns the supported versions, the oldest first. The oldest is used when a request names
    /// none.
    #[oai(
        path = "/versions",
        method = "get",
        operation_id = "list_versions",
        external_docs = "https://docs.github.com/rest/meta/meta#get-all-api-versions"
    )]
    async fn list_versions(&self, call: Open) -> Result<Reply<200, Vec<String>>, Fails> {
        Ok(self.0.list_versions(call.0).await?)
    }

    /// Get the rate limit
    ///
    /// Returns how many requests the caller has left. Asking does not count. `rate` repeats
    /// `resources.core` for versions before `2026-03-10`. The answer is 404 when the server runs
    /// without rate limits.
    #[oai(
        path = "/rate_limit",
        method = "get",
        operation_id = "get_rate_limit",
        external_docs = "https://docs.github.com/rest/rate-limit/rate-limit#get-rate-limit-status-for-the-authenticated-user"
    )]
    async fn get_rate_limit(&self, call: Open) -> Result<Reply<200, RateLimits>, Fails<404>> {
        Ok(self.0.get_rate_limit(call.0).await?)
    }
}

/// Where things are.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
#[oai(example)]
pub struct Root {
    pub current_user_url: Url,
    pub organization_url: UrlTemplate,
    pub repository_url: UrlTemplate,
    pub user_url: UrlTemplate,
    pub user_installations_url: Url,
    pub installation_repositories_url: Url,
    pub rate_limit_url: Url,
    pub versions_url: Url,
    /// The interactive documentation.
    pub documentation_url: Url,
}

impl Root {
    /// `api` is where the caller reaches the API, `web` the host without its prefix.
    pub fn new(api: &str, web: &str) -> Self {
        Self {
            current_user_url: format!("{api}/user").into(),
            organization_url: format!("{api}/orgs/{{org}}").into(),
            repository_url: format!("{api}/repos/{{owner}}/{{repo}}").into(),
            user_url: format!("{api}/users/{{user}}").into(),
            user_installations_url: format!("{api}/user/installations").into(),
            installation_repositories_url: format!("{api}/installation/repositories").into(),
            rate_limit_url: format!("{api}/rate_limit").into(),
            versions_url: format!("{api}/versions").into(),
            documentation_url: format!("{web}/docs/").into(),
        }
    }
}

impl Example for Root {
    fn example() -> Self {
        Self::new(EXAMPLE_ORIGIN, EXAMPLE_ORIGIN)
    }
}

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
        Self {
            resources: RateResources { core },
            rate: None,
        }
    }
}
