//! What clients look up around the service: the things that its addresses lead
//! to, and the service itself. This is the companion document, not the
//! service's.

mod accounts;
mod elsewhere;
mod organization_settings;
mod projects;
mod pulls;
mod root;
mod service;

use std::sync::Arc;

use async_trait::async_trait;
use poem_openapi::OpenApi;
use poem_openapi::param::Path;

pub use accounts::{Organization, OrganizationCore, UserProfile, UserProfileCore};
pub use elsewhere::{AutoMerge, Label, Milestone, Team};
pub use organization_settings::OrganizationSettings;
pub use projects::{Project, ProjectState};
pub use pulls::{Pull, PullBranch, PullCore, PullSize, PullState, PullSummary, RenderedBody};
pub use root::Root;
pub use service::{Meta, RateBudget, RateLimits, RateResources, Zen};

use super::Tag;
use super::call::{Call, Open, Signed};
use super::reply::{Fails, Outcome, Reply};
use super::shared::address::{ProjectAddress, RepoAddress};
use super::shared::repository::FullRepository;

/// What the area does; `areas/lookups` is how.
#[async_trait]
pub trait Operations: Send + Sync {
    async fn get_root(&self, call: Call) -> Outcome<Reply<200, Root>>;
    async fn get_meta(&self, call: Call) -> Outcome<Reply<200, Meta>>;
    async fn get_zen(&self, call: Call) -> Outcome<Zen>;
    async fn list_versions(&self, call: Call) -> Outcome<Reply<200, Vec<String>>>;
    async fn get_rate_limit(&self, call: Call) -> Outcome<Reply<200, RateLimits>>;

    async fn get_repository(
        &self,
        call: Call,
        at: RepoAddress,
    ) -> Outcome<Reply<200, FullRepository>>;

    async fn get_repository_by_id(
        &self,
        call: Call,
        repository_id: i64,
    ) -> Outcome<Reply<200, FullRepository>>;

    async fn get_pull(
        &self,
        call: Call,
        at: RepoAddress,
        pull_number: i64,
    ) -> Outcome<Reply<200, Pull>>;

    async fn get_authenticated_user(&self, call: Call) -> Outcome<Reply<200, UserProfile>>;

    async fn get_user(&self, call: Call, username: String) -> Outcome<Reply<200, UserProfile>>;

    async fn get_organization(&self, call: Call, org: String) -> Outcome<Reply<200, Organization>>;

    async fn get_org_project(&self, call: Call, at: ProjectAddress)
    -> Outcome<Reply<200, Project>>;

    async fn get_user_project(
        &self,
        call: Call,
        at: ProjectAddress,
    ) -> Outcome<Reply<200, Project>>;
}

/// The endpoints of the area.
pub struct Api(pub Arc<dyn Operations>);

#[OpenApi]
impl Api {
    /// Get the root of the API
    ///
    /// Returns the addresses from which the rest can be reached, and those of areas that are not
    /// served, for clients that expect them. Clients call it to learn which
    /// scopes their token has, from the `X-OAuth-Scopes` header.
    #[oai(
        path = "/",
        method = "get",
        tag = "Tag::Service",
        operation_id = "get_root",
        external_docs = "https://docs.github.com/rest/meta/meta#github-api-root"
    )]
    async fn get_root(&self, call: Open) -> Result<Reply<200, Root>, Fails> {
        Ok(self.0.get_root(call.0).await?)
    }

    /// Get information about the server
    ///
    /// Returns which server answers. Networks and addresses, which others list here, are for the
    /// one who runs it to know.
    #[oai(
        path = "/meta",
        method = "get",
        tag = "Tag::Service",
        operation_id = "get_meta",
        external_docs = "https://docs.github.com/rest/meta/meta#get-github-meta-information"
    )]
    async fn get_meta(&self, call: Open) -> Result<Reply<200, Meta>, Fails> {
        Ok(self.0.get_meta(call.0).await?)
    }

    /// Get a sentence to think about
    ///
    /// Returns one of a few sentences about design, as plain text. Clients call it to see whether
    /// the service answers at all.
    #[oai(
        path = "/zen",
        method = "get",
        tag = "Tag::Service",
        operation_id = "get_zen",
        external_docs = "https://docs.github.com/rest/meta/meta#get-the-zen-of-github"
    )]
    async fn get_zen(&self, call: Open) -> Result<Zen, Fails> {
        Ok(self.0.get_zen(call.0).await?)
    }

    /// List the versions of the API
    ///
    /// Returns the supported versions, the oldest first. The oldest is used when a request names
    /// none.
    #[oai(
        path = "/versions",
        method = "get",
        tag = "Tag::Service",
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
        tag = "Tag::Service",
        operation_id = "get_rate_limit",
        external_docs = "https://docs.github.com/rest/rate-limit/rate-limit#get-rate-limit-status-for-the-authenticated-user"
    )]
    async fn get_rate_limit(&self, call: Open) -> Result<Reply<200, RateLimits>, Fails<404>> {
        Ok(self.0.get_rate_limit(call.0).await?)
    }

    /// Get a repository
    ///
    /// Returns one repository. A private one looks absent to those who may not read it. With a
    /// token of a user, `permissions` says what the user may do.
    #[oai(
        path = "/repos/:owner/:repo",
        method = "get",
        tag = "Tag::Lookups",
        operation_id = "get_repository",
        external_docs = "https://docs.github.com/rest/repos/repos#get-a-repository"
    )]
    async fn get_repository(
        &self,
        call: Open,
        owner: Path<String>,
        repo: Path<String>,
    ) -> Result<Reply<200, FullRepository>, Fails<403, 404>> {
        let at = RepoAddress {
            owner: owner.0,
            repo: repo.0,
        };
        Ok(self.0.get_repository(call.0, at).await?)
    }

    /// Get a repository by its id
    ///
    /// Returns the same as the repository's own address, whatever the repository is called.
    #[oai(
        path = "/repositories/:repository_id",
        method = "get",
        tag = "Tag::Lookups",
        operation_id = "get_repository_by_id",
        external_docs = "https://docs.github.com/rest/repos/repos#get-a-repository"
    )]
    async fn get_repository_by_id(
        &self,
        call: Open,
        repository_id: Path<i64>,
    ) -> Result<Reply<200, FullRepository>, Fails<403, 404>> {
        Ok(self.0.get_repository_by_id(call.0, repository_id.0).await?)
    }

    /// Get a pull request
    ///
    /// Returns one pull request. Both of its branches are in the same repository. The media types
    /// `text`, `html` and `full` add renderings of `body`.
    #[oai(
        path = "/repos/:owner/:repo/pulls/:pull_number",
        method = "get",
        tag = "Tag::Lookups",
        operation_id = "get_pull",
        external_docs = "https://docs.github.com/rest/pulls/pulls#get-a-pull-request"
    )]
    async fn get_pull(
        &self,
        call: Open,
        owner: Path<String>,
        repo: Path<String>,
        pull_number: Path<i64>,
    ) -> Result<Reply<200, Pull>, Fails<403, 404>> {
        let at = RepoAddress {
            owner: owner.0,
            repo: repo.0,
        };
        Ok(self.0.get_pull(call.0, at, pull_number.0).await?)
    }

    /// Get the authenticated user
    ///
    /// Returns the user whose token the request carries. An installation has no user.
    #[oai(
        path = "/user",
        method = "get",
        tag = "Tag::Lookups",
        operation_id = "get_authenticated_user",
        external_docs = "https://docs.github.com/rest/users/users#get-the-authenticated-user"
    )]
    async fn get_authenticated_user(
        &self,
        call: Signed,
    ) -> Result<Reply<200, UserProfile>, Fails<403>> {
        Ok(self.0.get_authenticated_user(call.0).await?)
    }

    /// Get a user
    ///
    /// Returns one account: a user, an organization, a bot or a mannequin.
    #[oai(
        path = "/users/:username",
        method = "get",
        tag = "Tag::Lookups",
        operation_id = "get_user",
        external_docs = "https://docs.github.com/rest/users/users#get-a-user"
    )]
    async fn get_user(
        &self,
        call: Open,
        username: Path<String>,
    ) -> Result<Reply<200, UserProfile>, Fails<404>> {
        Ok(self.0.get_user(call.0, username.0).await?)
    }

    /// Get an organization
    ///
    /// Returns what everybody may know of an organization. Its owners, with the scope `admin:org`,
    /// see its settings as well.
    #[oai(
        path = "/orgs/:org",
        method = "get",
        tag = "Tag::Lookups",
        operation_id = "get_organization",
        external_docs = "https://docs.github.com/rest/orgs/orgs#get-an-organization"
    )]
    async fn get_organization(
        &self,
        call: Open,
        org: Path<String>,
    ) -> Result<Reply<200, Organization>, Fails<404>> {
        Ok(self.0.get_organization(call.0, org.0).await?)
    }

    /// Get a project of an organization
    ///
    /// Returns one project; its fields have an address of their own. A private project looks
    /// absent to all but members of the organization.
    #[oai(
        path = "/orgs/:org/projectsV2/:project_number",
        method = "get",
        tag = "Tag::Lookups",
        operation_id = "get_org_project",
        external_docs = "https://docs.github.com/rest/projects/projects#get-project-for-organization"
    )]
    async fn get_org_project(
        &self,
        call: Open,
        org: Path<String>,
        project_number: Path<i64>,
    ) -> Result<Reply<200, Project>, Fails<403, 404>> {
        let at = ProjectAddress {
            owner: org.0,
            number: project_number.0,
        };
        Ok(self.0.get_org_project(call.0, at).await?)
    }

    /// Get a project of a user
    ///
    /// Returns one project; its fields have an address of their own. A private project looks
    /// absent to everybody but its owner.
    #[oai(
        path = "/users/:username/projectsV2/:project_number",
        method = "get",
        tag = "Tag::Lookups",
        operation_id = "get_user_project",
        external_docs = "https://docs.github.com/rest/projects/projects#get-project-for-user"
    )]
    async fn get_user_project(
        &self,
        call: Signed,
        username: Path<String>,
        project_number: Path<i64>,
    ) -> Result<Reply<200, Project>, Fails<403, 404>> {
        let at = ProjectAddress {
            owner: username.0,
            number: project_number.0,
        };
        Ok(self.0.get_user_project(call.0, at).await?)
    }
}
