//! The operations of the companion document that need no resource.

use async_trait::async_trait;

use super::Lookups;
use crate::contract::call::Call;
use crate::contract::lookups::{Operations, RateLimits, RateResources, Root};
use crate::contract::problem::Problem;
use crate::contract::reply::{Outcome, Reply};
use crate::contract::version::ApiVersion;
use crate::limits::Subject;
use crate::urls::Urls;

#[async_trait]
impl Operations for Lookups {
    async fn get_root(&self, call: Call) -> Outcome<Reply<200, Root>> {
        let urls = Urls::of(&call);
        Ok(Reply::new(Root::new(&urls.api, &urls.web)))
    }

    async fn list_versions(&self, _call: Call) -> Outcome<Reply<200, Vec<String>>> {
        let versions = ApiVersion::ALL
            .iter()
            .map(|version| version.as_str().to_owned());
        Ok(Reply::new(versions.collect()))
    }

    async fn get_rate_limit(&self, call: Call) -> Outcome<Reply<200, RateLimits>> {
        let subject = Subject::of(&call.caller, call.address).ok_or(Problem::NotFound)?;
        let now = self.app.clock.now();
        let core = self
            .app
            .limits
            .standing(subject, now)
            .ok_or(Problem::NotFound)?;
        Ok(Reply::new(RateLimits {
            resources: RateResources { core },
            // Dropped from this version on (openapi/decisions.md, Versions).
            rate: (call.version < ApiVersion::V2026_03_10).then_some(core),
        }))
    }
}
