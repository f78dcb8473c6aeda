//! Apps: who they are, where they are installed, and how they get a token for an
//! installation, and their webhooks. This is the companion document, not the service's. Apps prove
//! who they are with a JSON web token; no other token will do.

mod hooks;
mod integration;

use std::collections::BTreeMap;

use forgewright_macros::operations;
use poem_openapi::types::Example;
use poem_openapi::{Enum, Object};
use serde::{Deserialize, Serialize};

use super::body::{Body, Readable};
use super::call::Call;
use super::paging::{Given, Page, PageNumber, PerPage};
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

/// What the area does; `areas/apps` is how.
#[operations(Apps)]
pub trait Operations: Send + Sync {
    /// Get the authenticated app
    ///
    /// Returns the app that signed the request.
    #[get("/app", docs = "apps/apps#get-the-authenticated-app")]
    #[access(app)]
    async fn get_app(&self, call: Call) -> Outcome<Reply<200, GithubApp>>;

    /// List installations for the authenticated app
    ///
    /// Returns the installations of the app that signed the request, the newest first. Suspended
    /// ones are among them; `suspended_at` tells.
    #[get(
        "/app/installations",
        docs = "apps/apps#list-installations-for-the-authenticated-app"
    )]
    #[access(app)]
    #[fails(422)]
    async fn list_app_installations(
        &self,
        call: Call,
        #[query(per_page: PerPage, page: PageNumber)] page: Page,
        #[query] since: Given<Timestamp>,
        #[query] outdated: Option<String>,
    ) -> Outcome<Reply<200, Vec<Installation>>>;

    /// Get an installation for the authenticated app
    ///
    /// Returns one installation of the app that signed the request. Those of other apps look
    /// absent.
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
    /// Makes a token for an installation of the app that signed the request. It expires after 60
    /// minutes. Without a body it reaches every repository of the installation with all of its
    /// permissions; the body narrows it. The token is shown this once.
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
    /// Returns the installation of the app that signed the request on this organization.
    #[get(
        "/orgs/{org}/installation",
        docs = "apps/apps#get-an-organization-installation-for-the-authenticated-app"
    )]
    #[access(app)]
    #[fails(404)]
    async fn get_org_installation(
        &self,
        call: Call,
        org: String,
    ) -> Outcome<Reply<200, Installation>>;

    /// Get a user installation for the authenticated app
    ///
    /// Returns the installation of the app that signed the request on this user's account.
    #[get(
        "/users/{username}/installation",
        docs = "apps/apps#get-a-user-installation-for-the-authenticated-app"
    )]
    #[access(app)]
    #[fails(404)]
    async fn get_user_installation(
        &self,
        call: Call,
        username: String,
    ) -> Outcome<Reply<200, Installation>>;

    /// Get a repository installation for the authenticated app
    ///
    /// Returns the installation of the app that signed the request, if it reaches this repository.
    #[get(
        "/repos/{owner}/{repo}/installation",
        docs = "apps/apps#get-a-repository-installation-for-the-authenticated-app"
    )]
    #[access(app)]
    #[fails(404)]
    async fn get_repo_installation(
        &self,
        call: Call,
        at: RepoAddress,
    ) -> Outcome<Reply<200, Installation>>;

    /// Get a webhook configuration for an app
    ///
    /// Returns the webhook of the app that signed the request. The secret is not shown.
    #[get(
        "/app/hook/config",
        docs = "apps/webhooks#get-a-webhook-configuration-for-an-app"
    )]
    #[access(app)]
    async fn get_app_hook_config(&self, call: Call) -> Outcome<Reply<200, HookConfig>>;

    /// Update a webhook configuration for an app
    ///
    /// Changes the webhook of the app that signed the request. A new address is sent a `ping`.
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
    /// Returns what the app that signed the request was sent within the last three days, the
    /// newest first.
    #[get(
        "/app/hook/deliveries",
        docs = "apps/webhooks#list-deliveries-for-an-app-webhook"
    )]
    #[access(app)]
    #[fails(422)]
    async fn list_app_hook_deliveries(
        &self,
        call: Call,
        #[query] per_page: PerPage,
        #[query] cursor: Given<String>,
        #[query] status: Given<HookDeliveryStatus>,
    ) -> Outcome<Reply<200, Vec<HookDeliveryItem>>>;

    /// Get a delivery for an app webhook
    ///
    /// Returns one delivery to the app that signed the request, with what was sent and answered.
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
    /// Sends a delivery to the app that signed the request once more, as it was.
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

/// How far a permission goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum, Serialize, Deserialize)]
#[oai(rename_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum PermissionLevel {
    Read,
    Write,
    Admin,
}

/// How a new installation token is narrowed. What is left out, or empty, is not narrowed.
#[derive(Debug, Clone, Default, Object, Serialize, Deserialize)]
#[oai(example)]
pub struct CreateInstallationToken {
    /// The names of the repositories to reach, without their owner: at most 500 in all.
    #[oai(validator(max_items = 500), skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repositories: Option<Vec<String>>,
    /// The ids of the repositories to reach: at most 500 in all.
    #[oai(validator(max_items = 500), skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repository_ids: Option<Vec<i64>>,
    /// Access levels by the name of the permission; none may exceed those of the installation.
    /// `metadata` stays as it is, named or not.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
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

/// A new installation token.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
#[oai(example)]
pub struct InstallationToken {
    /// The token itself, which is not shown again.
    pub token: String,
    /// From when on the token is refused.
    pub expires_at: Timestamp,
    /// What the token may do: access levels by the name of the permission.
    pub permissions: BTreeMap<String, PermissionLevel>,
    pub repository_selection: RepositorySelection,
    /// The repositories that the token reaches. Only when it was narrowed to some.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repositories: Option<Vec<Repository>>,
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
        }
    }
}

/// An app.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
#[oai(example, rename = "App")]
pub struct GithubApp {
    #[oai(flatten)]
    #[serde(flatten)]
    pub integration: Integration,
    /// On how many accounts the app is installed.
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
