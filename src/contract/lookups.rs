//! What clients look up around the service: the things that its addresses lead
//! to, and the service itself. This is the companion document, not the
//! service's.

mod accounts;
mod elsewhere;
mod organization_settings;
mod projects;
mod root;
mod service;

use forgewright_macros::operations;

pub use accounts::{Organization, OrganizationCore, UserProfile, UserProfileCore};
pub use elsewhere::{AutoMerge, Milestone, Team};
pub use organization_settings::OrganizationSettings;
pub use projects::{Project, ProjectState};
pub use root::Root;
pub use service::{Meta, RateBudget, RateLimits, RateResources, Zen};

use super::call::Call;
use super::reply::{Outcome, Reply};
use super::shared::address::{OrgProject, ProjectAddress, RepoAddress, UserProject};
use super::shared::repository::FullRepository;

/// The path of `get_rate_limit`, which everybody may ask as often as they like.
pub const UNLIMITED_PATH: &str = "/rate_limit";

/// What the area does; `areas/lookups` is how.
#[operations(Lookups)]
pub trait Operations: Send + Sync {
    /// Get the root of the API
    ///
    /// Returns the addresses from which the rest can be reached, and those of areas that are not
    /// served, for clients that expect them. Clients call it to learn which
    /// scopes their token has, from the `X-OAuth-Scopes` header.
    #[get("/", docs = "meta/meta#github-api-root")]
    #[tag(Service)]
    #[access(anyone)]
    async fn get_root(&self, call: Call) -> Outcome<Reply<200, Root>>;

    /// Get information about the server
    ///
    /// Returns which server answers. Networks and addresses, which others list here, are for the
    /// one who runs it to know.
    #[get("/meta", docs = "meta/meta#get-github-meta-information")]
    #[tag(Service)]
    #[access(anyone)]
    async fn get_meta(&self, call: Call) -> Outcome<Reply<200, Meta>>;

    /// Get a sentence to think about
    ///
    /// Returns one of a few sentences about design, as plain text. Clients call it to see whether
    /// the service answers at all.
    #[get("/zen", docs = "meta/meta#get-the-zen-of-github")]
    #[tag(Service)]
    #[access(anyone)]
    async fn get_zen(&self, call: Call) -> Outcome<Zen>;

    /// List the versions of the API
    ///
    /// Returns the supported versions, the oldest first. The oldest is used when a request names
    /// none.
    #[get("/versions", docs = "meta/meta#get-all-api-versions")]
    #[tag(Service)]
    #[access(anyone)]
    async fn list_versions(&self, call: Call) -> Outcome<Reply<200, Vec<String>>>;

    /// Get the rate limit
    ///
    /// Returns how many requests the caller has left. Asking does not count. `rate` repeats
    /// `resources.core` for versions before `2026-03-10`. The answer is 404 when the server runs
    /// without rate limits.
    #[get(
        "/rate_limit",
        docs = "rate-limit/rate-limit#get-rate-limit-status-for-the-authenticated-user"
    )]
    #[tag(Service)]
    #[access(anyone)]
    #[fails(404)]
    async fn get_rate_limit(&self, call: Call) -> Outcome<Reply<200, RateLimits>>;

    /// Get a repository
    ///
    /// Returns one repository. A private one looks absent to those who may not read it. With a
    /// token of a user, `permissions` says what the user may do.
    #[get("/repos/{owner}/{repo}", docs = "repos/repos#get-a-repository")]
    #[access(open, permission = read("metadata"), scopes = &["repo"])]
    #[fails(403, 404)]
    #[cached]
    async fn get_repository(
        &self,
        call: Call,
        at: RepoAddress,
    ) -> Outcome<Reply<200, FullRepository>>;

    /// Get a repository by its id
    ///
    /// Returns the same as the repository's own address, whatever the repository is called.
    #[get("/repositories/{repository_id}", docs = "repos/repos#get-a-repository")]
    #[access(open, permission = read("metadata"), scopes = &["repo"])]
    #[fails(403, 404)]
    #[cached]
    async fn get_repository_by_id(
        &self,
        call: Call,
        repository_id: i64,
    ) -> Outcome<Reply<200, FullRepository>>;

    /// Get the authenticated user
    ///
    /// Returns the user whose token the request carries. An installation has no user.
    #[get("/user", docs = "users/users#get-the-authenticated-user")]
    #[access(token, kinds = Kinds::USERS)]
    #[fails(403)]
    #[cached]
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
    /// Returns what everybody may know of an organization. Its owners, with the scope `admin:org`,
    /// see its settings as well.
    #[get("/orgs/{org}", docs = "orgs/orgs#get-an-organization")]
    #[access(open, shown_scopes = Some(&["admin:org", "read:org", "repo", "user", "write:org"]))]
    #[fails(404)]
    async fn get_organization(&self, call: Call, org: String) -> Outcome<Reply<200, Organization>>;

    /// Answers the next two.
    async fn get_project(&self, call: Call, at: ProjectAddress) -> Outcome<Reply<200, Project>>;

    /// Get a project of an organization
    ///
    /// Returns one project; its fields have an address of their own. A private project looks
    /// absent to all but members of the organization.
    #[get(
        "/orgs/{org}/projectsV2/{project_number}",
        docs = "projects/projects#get-project-for-organization"
    )]
    #[access(open, permission = read("organization_projects"), scopes = &["read:project"])]
    #[fails(403, 404)]
    async fn get_org_project(&self, call: Call, at: OrgProject) -> Outcome<Reply<200, Project>> {
        self.get_project(call, at.0).await
    }

    /// Get a project of a user
    ///
    /// Returns one project; its fields have an address of their own. A private project looks
    /// absent to everybody but its owner.
    #[get(
        "/users/{username}/projectsV2/{project_number}",
        docs = "projects/projects#get-project-for-user"
    )]
    #[access(token, kinds = Kinds::SCOPED, scopes = &["read:project"])]
    #[fails(403, 404)]
    async fn get_user_project(&self, call: Call, at: UserProject) -> Outcome<Reply<200, Project>> {
        self.get_project(call, at.0).await
    }
}
