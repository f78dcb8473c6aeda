//! Endpoints around the service: the resources that its URLs point to, and the service itself.
//! They are part of the companion document.

mod accounts;
mod elsewhere;
mod organization_settings;
mod projects;
mod root;
mod service;

use contract_macros::operations;

pub use accounts::{Organization, OrganizationCore, UserProfile, UserProfileCore};
pub use elsewhere::{AutoMerge, IssueType, Milestone, Team};
pub use organization_settings::OrganizationSettings;
pub use projects::{Project, ProjectState};
pub use root::Root;
pub use service::{Meta, RateBudget, RateLimits, RateResources, Zen};

use super::call::Call;
use super::reply::{Outcome, Reply};
use super::shared::address::{OrgProject, ProjectAddress, RepoAddress, UserProject};
use super::shared::repository::FullRepository;

/// The operations; `forge::lookups` implements them.
#[operations(Lookups)]
pub trait Operations: Send + Sync {
    /// Get the root of the API
    ///
    /// Returns the URLs of the API's endpoints. URLs that are not served are included for
    /// clients that expect them. Clients call this endpoint to read the scopes of their token
    /// from the `X-OAuth-Scopes` header.
    #[get("/", docs = "meta/meta#github-api-root")]
    #[tag(Service)]
    #[access(anyone)]
    async fn get_root(&self, call: Call) -> Outcome<Reply<200, Root>>;

    /// Get information about the server
    ///
    /// Returns the version of the server. Unlike GitHub, it does not list networks and IP
    /// addresses.
    #[get("/meta", docs = "meta/meta#get-github-meta-information")]
    #[tag(Service)]
    #[access(anyone)]
    async fn get_meta(&self, call: Call) -> Outcome<Reply<200, Meta>>;

    /// Get a sentence about design
    ///
    /// Returns one of a few sentences about design, as plain text. It changes every hour.
    /// Clients call this endpoint to check that the service is available.
    #[get("/zen", docs = "meta/meta#get-the-zen-of-github")]
    #[tag(Service)]
    #[access(anyone)]
    async fn get_zen(&self, call: Call) -> Outcome<Zen>;

    /// List the versions of the API
    ///
    /// Returns the supported versions of the API, oldest first. A request that does not specify
    /// a version uses the oldest.
    #[get("/versions", docs = "meta/meta#get-all-api-versions")]
    #[tag(Service)]
    #[access(anyone)]
    async fn list_versions(&self, call: Call) -> Outcome<Reply<200, Vec<String>>>;

    /// Get the rate limit
    ///
    /// Returns the rate limit status of the caller. The request does not count against the rate
    /// limit. `rate` repeats `resources.core` for versions before `2026-03-10`. Returns 404 if
    /// the server runs without rate limits.
    #[get(
        "/rate_limit",
        docs = "rate-limit/rate-limit#get-rate-limit-status-for-the-authenticated-user"
    )]
    #[tag(Service)]
    #[access(anyone)]
    #[fails(404)]
    #[unlimited]
    async fn get_rate_limit(&self, call: Call) -> Outcome<Reply<200, RateLimits>>;

    /// Get a repository
    ///
    /// Returns one repository. A private repository is reported as not found to callers without
    /// read access. With a user's token, `permissions` lists the permissions of the user.
    #[get("/repos/{owner}/{repo}", docs = "repos/repos#get-a-repository")]
    #[access(open, READ_METADATA)]
    #[fails(403, 404)]
    #[cached]
    #[links(get_repository_by_id, repository_id = "/id")]
    async fn get_repository(
        &self,
        call: Call,
        at: RepoAddress,
    ) -> Outcome<Reply<200, FullRepository>>;

    /// Get a repository by its id
    ///
    /// Returns one repository by its identifier. The response is the same as that of
    /// `get_repository`.
    #[get("/repositories/{repository_id}", docs = "repos/repos#get-a-repository")]
    #[access(open, READ_METADATA)]
    #[fails(403, 404)]
    #[cached]
    async fn get_repository_by_id(
        &self,
        call: Call,
        repository_id: i64,
    ) -> Outcome<Reply<200, FullRepository>>;

    /// Get the authenticated user
    ///
    /// Returns the user that the token belongs to. Installation access tokens do not belong to
    /// a user.
    #[get("/user", docs = "users/users#get-the-authenticated-user")]
    #[access(token, kinds = Kinds::USERS)]
    #[fails(403)]
    #[cached]
    #[links(get_user, username = "/login")]
    async fn get_authenticated_user(&self, call: Call) -> Outcome<Reply<200, UserProfile>>;

    /// Get a user
    ///
    /// Returns one account: a user, an organization, a bot or a mannequin.
    #[get("/users/{username}", docs = "users/users#get-a-user")]
    #[access(open)]
    #[fails(404)]
    #[cached]
    async fn get_user(&self, call: Call, username: String) -> Outcome<Reply<200, UserProfile>>;

    /// Get an organization
    ///
    /// Returns the public properties of an organization. Its owners also see its settings if
    /// their token has the scope `admin:org`.
    #[get("/orgs/{org}", docs = "orgs/orgs#get-an-organization")]
    #[access(open, shown_scopes = Some(&["admin:org", "read:org", "repo", "user", "write:org"]))]
    #[fails(404)]
    async fn get_organization(&self, call: Call, org: String) -> Outcome<Reply<200, Organization>>;

    /// Implements the next two operations.
    async fn get_project(&self, call: Call, at: ProjectAddress) -> Outcome<Reply<200, Project>>;

    /// Get a project of an organization
    ///
    /// Returns one project of an organization, without its fields, which have their own
    /// endpoint. A private project is reported as not found to callers who are not members of
    /// the organization.
    #[get(
        "/orgs/{org}/projectsV2/{project_number}",
        docs = "projects/projects#get-project-for-organization"
    )]
    #[access(open, READ_ORG_PROJECT)]
    #[fails(403, 404)]
    #[headers(LastModified)]
    async fn get_org_project(&self, call: Call, at: OrgProject) -> Outcome<Reply<200, Project>> {
        self.get_project(call, at.0).await
    }

    /// Get a project of a user
    ///
    /// Returns one project of a user, without its fields, which have their own endpoint. A
    /// private project is reported as not found to everyone but its owner.
    #[get(
        "/users/{username}/projectsV2/{project_number}",
        docs = "projects/projects#get-project-for-user"
    )]
    #[access(token, READ_USER_PROJECT)]
    #[fails(403, 404)]
    #[headers(LastModified)]
    async fn get_user_project(&self, call: Call, at: UserProject) -> Outcome<Reply<200, Project>> {
        self.get_project(call, at.0).await
    }
}
