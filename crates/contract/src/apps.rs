//! Apps, their installations, installation tokens and webhooks: part of the companion
//! document. An app authenticates with a JSON web token; no other token is accepted.

mod hooks;
mod integration;

use std::collections::BTreeMap;

use contract_macros::{operations, schema};
use poem_openapi::types::Example;

use super::body::{Body, Readable};
use super::call::Call;
use super::paging::{OptionalParameter, Page, PageNumber, PerPage};
use super::reply::{Outcome, Reply};
use super::shared::address::RepoAddress;
use super::shared::installation::{Installation, RepositorySelection};
use super::shared::repository::Repository;
use super::values::Timestamp;
pub use hooks::{
    Accepted, HookConfig, HookContentType, HookDelivery, HookDeliveryItem, HookDeliveryStatus,
    HookRequest, HookResponse, InsecureSsl, UpdateHookConfig,
};
pub use integration::Integration;

/// The operations; `forge::apps` implements them.
#[operations(Apps)]
pub trait Operations: Send + Sync {
    /// Get the authenticated app
    ///
    /// Returns the authenticated app.
    #[get("/app", docs = "apps/apps#get-the-authenticated-app")]
    #[access(app)]
    async fn get_app(&self, call: Call) -> Outcome<Reply<200, GithubApp>>;

    /// List installations for the authenticated app
    ///
    /// Returns the installations of the authenticated app, the newest first. Suspended
    /// installations are included; `suspended_at` is set for them.
    #[get(
        "/app/installations",
        docs = "apps/apps#list-installations-for-the-authenticated-app"
    )]
    #[access(app)]
    #[fails(422)]
    #[links(
        get_app_installation,
        create_installation_token,
        installation_id = "/0/id"
    )]
    async fn list_app_installations(
        &self,
        call: Call,
        #[query(per_page: PerPage, page: PageNumber)] page: Page,
        #[query] since: OptionalParameter<Timestamp>,
        #[query] outdated: Option<String>,
    ) -> Outcome<Reply<200, Vec<Installation>>>;

    /// Get an installation for the authenticated app
    ///
    /// Returns one installation of the authenticated app. The installation of another app is
    /// reported as not found.
    #[get(
        "/app/installations/{installation_id}",
        docs = "apps/apps#get-an-installation-for-the-authenticated-app"
    )]
    #[access(app)]
    #[fails(404)]
    async fn get_app_installation(
        &self,
        call: Call,
        installation_id: i64,
    ) -> Outcome<Reply<200, Installation>>;

    /// Create an installation access token for an app
    ///
    /// Creates an access token for an installation of the authenticated app. The token expires
    /// after 60 minutes. By default it has all permissions of the installation on all of its
    /// repositories; the body can restrict it. The token is returned only once.
    #[post(
        "/app/installations/{installation_id}/access_tokens",
        docs = "apps/apps#create-an-installation-access-token-for-an-app"
    )]
    #[access(app)]
    #[fails(400, 403, 404, 422)]
    async fn create_installation_token(
        &self,
        call: Call,
        installation_id: i64,
        body: Body<CreateInstallationToken>,
    ) -> Outcome<Reply<201, InstallationToken>>;

    /// Get an organization installation for the authenticated app
    ///
    /// Returns the installation of the authenticated app on an organization.
    #[get(
        "/orgs/{org}/installation",
        docs = "apps/apps#get-an-organization-installation-for-the-authenticated-app"
    )]
    #[access(app)]
    #[fails(404)]
    #[links(
        get_app_installation,
        create_installation_token,
        installation_id = "/id"
    )]
    async fn get_org_installation(
        &self,
        call: Call,
        org: String,
    ) -> Outcome<Reply<200, Installation>>;

    /// Get a user installation for the authenticated app
    ///
    /// Returns the installation of the authenticated app on a user's account.
    #[get(
        "/users/{username}/installation",
        docs = "apps/apps#get-a-user-installation-for-the-authenticated-app"
    )]
    #[access(app)]
    #[fails(404)]
    #[links(
        get_app_installation,
        create_installation_token,
        installation_id = "/id"
    )]
    async fn get_user_installation(
        &self,
        call: Call,
        username: String,
    ) -> Outcome<Reply<200, Installation>>;

    /// Get a repository installation for the authenticated app
    ///
    /// Returns the installation of the authenticated app that has access to a repository.
    #[get(
        "/repos/{owner}/{repo}/installation",
        docs = "apps/apps#get-a-repository-installation-for-the-authenticated-app"
    )]
    #[access(app)]
    #[fails(404)]
    #[links(
        get_app_installation,
        create_installation_token,
        installation_id = "/id"
    )]
    async fn get_repo_installation(
        &self,
        call: Call,
        at: RepoAddress,
    ) -> Outcome<Reply<200, Installation>>;

    /// Get a webhook configuration for an app
    ///
    /// Returns the webhook configuration of the authenticated app. The secret is masked.
    #[get(
        "/app/hook/config",
        docs = "apps/webhooks#get-a-webhook-configuration-for-an-app"
    )]
    #[access(app)]
    async fn get_app_hook_config(&self, call: Call) -> Outcome<Reply<200, HookConfig>>;

    /// Update a webhook configuration for an app
    ///
    /// Updates the webhook configuration of the authenticated app. A new URL receives a `ping`
    /// event.
    #[patch(
        "/app/hook/config",
        docs = "apps/webhooks#update-a-webhook-configuration-for-an-app"
    )]
    #[access(app)]
    #[fails(400, 422)]
    async fn update_app_hook_config(
        &self,
        call: Call,
        body: Body<UpdateHookConfig>,
    ) -> Outcome<Reply<200, HookConfig>>;

    /// List deliveries for an app webhook
    ///
    /// Returns the webhook deliveries to the authenticated app within the last three days, the
    /// newest first.
    #[get(
        "/app/hook/deliveries",
        docs = "apps/webhooks#list-deliveries-for-an-app-webhook"
    )]
    #[access(app)]
    #[fails(422)]
    #[links(
        get_app_hook_delivery,
        redeliver_app_hook_delivery,
        delivery_id = "/0/id"
    )]
    async fn list_app_hook_deliveries(
        &self,
        call: Call,
        #[query] per_page: PerPage,
        #[query] cursor: OptionalParameter<String>,
        #[query] status: OptionalParameter<HookDeliveryStatus>,
    ) -> Outcome<Reply<200, Vec<HookDeliveryItem>>>;

    /// Get a delivery for an app webhook
    ///
    /// Returns one webhook delivery to the authenticated app, with its request and response.
    #[get(
        "/app/hook/deliveries/{delivery_id}",
        docs = "apps/webhooks#get-a-delivery-for-an-app-webhook"
    )]
    #[access(app)]
    #[fails(404)]
    async fn get_app_hook_delivery(
        &self,
        call: Call,
        delivery_id: i64,
    ) -> Outcome<Reply<200, HookDelivery>>;

    /// Redeliver a delivery for an app webhook
    ///
    /// Sends a webhook delivery to the authenticated app again, with the same payload.
    #[post(
        "/app/hook/deliveries/{delivery_id}/attempts",
        docs = "apps/webhooks#redeliver-a-delivery-for-an-app-webhook"
    )]
    #[access(app)]
    #[fails(404)]
    async fn redeliver_app_hook_delivery(
        &self,
        call: Call,
        delivery_id: i64,
    ) -> Outcome<Reply<202, Accepted>>;
}

/// The access level of a permission.
#[schema(rename_all = "lowercase")]
pub enum PermissionLevel {
    Read,
    Write,
    Admin,
}

/// The restrictions of a new installation token. Omitted and empty properties do not restrict
/// it.
#[schema(example)]
#[derive(Default)]
pub struct CreateInstallationToken {
    /// The names of the repositories that the token can access, without the owner. At most 500
    /// repositories in total, including `repository_ids`.
    #[schema(validator(max_items = 500))]
    pub repositories: Option<Vec<String>>,
    /// The identifiers of the repositories that the token can access. At most 500 repositories
    /// in total, including `repositories`.
    #[schema(validator(max_items = 500))]
    pub repository_ids: Option<Vec<i64>>,
    /// The permissions of the token: access levels by permission name. No level may exceed that
    /// of the installation. `metadata` always keeps the level of the installation.
    pub permissions: Option<BTreeMap<String, PermissionLevel>>,
}

impl Readable for CreateInstallationToken {
    const REQUIRED: bool = false;
}

impl Example for CreateInstallationToken {
    fn example() -> Self {
        Self {
            repositories: Some(vec!["gadgets".to_owned()]),
            repository_ids: None,
            permissions: Some([("contents".to_owned(), PermissionLevel::Read)].into()),
        }
    }
}

/// A new installation access token.
#[schema(example)]
pub struct InstallationToken {
    /// The token. It is not shown again.
    pub token: String,
    /// When the token expires.
    pub expires_at: Timestamp,
    /// The permissions of the token: access levels by permission name.
    pub permissions: BTreeMap<String, PermissionLevel>,
    pub repository_selection: RepositorySelection,
    /// The repositories that the token can access. Only present if the token is restricted to
    /// selected repositories.
    pub repositories: Option<Vec<Repository>>,
    /// The first of `single_file_paths`. Only present if there is one and the token has the
    /// permission `single_file`.
    pub single_file: Option<String>,
    /// Whether `single_file_paths` contains more than one path. Only present if the token has
    /// the permission `single_file`.
    pub has_multiple_single_files: Option<bool>,
    /// The paths of the files that the permission `single_file` grants access to. Only present
    /// if the token has that permission.
    pub single_file_paths: Option<Vec<String>>,
}

impl Example for InstallationToken {
    fn example() -> Self {
        let permissions =
            ["contents", "metadata"].map(|name| (name.to_owned(), PermissionLevel::Read));
        Self {
            token: "ghs_16C7e42F292c6912E7710c838347Ae178B4a".to_owned(),
            expires_at: Timestamp(1_773_138_600),
            permissions: permissions.into(),
            repository_selection: RepositorySelection::Selected,
            repositories: Some(vec![Repository::example()]),
            single_file: None,
            has_multiple_single_files: None,
            single_file_paths: None,
        }
    }
}

/// An app.
#[schema(example, rename = "App")]
pub struct GithubApp {
    #[schema(flatten)]
    pub integration: Integration,
    /// The number of accounts on which the app is installed.
    pub installations_count: i64,
}

impl Example for GithubApp {
    fn example() -> Self {
        Self {
            integration: Integration::example(),
            installations_count: 1,
        }
    }
}
