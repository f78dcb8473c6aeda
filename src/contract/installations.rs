//! App installations: what clients see (Spec, App installations).
//!
//! The two operations on the installation itself take its own token. They are
//! flagged open (Spec, Authentication, 3), yet nobody can use them without one.

use std::sync::Arc;

use async_trait::async_trait;
use poem_openapi::param::{Path, Query};
use poem_openapi::types::Example;
use poem_openapi::{Object, OpenApi};
use serde::{Deserialize, Serialize};

use super::Tag;
use super::call::{Call, Open, Signed};
use super::paging::{Page, PageNumber, PerPage};
use super::reply::{Empty, Fails, Outcome, Reply};
use super::shared::installation::{Installation, RepositorySelection};
use super::shared::repository::Repository;

/// What the area does; `areas/installations` is how.
#[async_trait]
pub trait Operations: Send + Sync {
    async fn list_installation_repositories(
        &self,
        call: Call,
        page: Page,
    ) -> Outcome<Reply<200, InstallationRepositories>>;

    async fn revoke_installation_token(&self, call: Call) -> Outcome<Empty>;

    async fn list_user_installations(
        &self,
        call: Call,
        page: Page,
    ) -> Outcome<Reply<200, UserInstallations>>;

    async fn list_user_installation_repositories(
        &self,
        call: Call,
        installation_id: i64,
        page: Page,
    ) -> Outcome<Reply<200, InstallationRepositories>>;

    async fn add_installation_repository(
        &self,
        call: Call,
        installation_id: i64,
        repository_id: i64,
    ) -> Outcome<Empty>;

    async fn remove_installation_repository(
        &self,
        call: Call,
        installation_id: i64,
        repository_id: i64,
    ) -> Outcome<Empty>;
}

/// The endpoints of the area.
pub struct Api(pub Arc<dyn Operations>);

#[OpenApi(tag = "Tag::Installations")]
impl Api {
    /// List repositories accessible to the app installation
    ///
    /// Returns the repositories that the installation can access whose token the request carries.
    /// No other token will do.
    #[oai(
        path = "/installation/repositories",
        method = "get",
        operation_id = "list_installation_repositories",
        external_docs = "https://docs.github.com/rest/apps/installations#list-repositories-accessible-to-the-app-installation"
    )]
    async fn list_installation_repositories(
        &self,
        call: Open,
        per_page: Query<PerPage>,
        page: Query<PageNumber>,
    ) -> Result<Reply<200, InstallationRepositories>, Fails<403>> {
        let page = Page::new(per_page.0, page.0);
        Ok(self.0.list_installation_repositories(call.0, page).await?)
    }

    /// Revoke an installation access token
    ///
    /// Revokes the installation token that the request carries. It cannot be used again; the app
    /// has to ask for a new one.
    #[oai(
        path = "/installation/token",
        method = "delete",
        operation_id = "revoke_installation_token",
        external_docs = "https://docs.github.com/rest/apps/installations#revoke-an-installation-access-token"
    )]
    async fn revoke_installation_token(&self, call: Open) -> Result<Empty, Fails<403>> {
        Ok(self.0.revoke_installation_token(call.0).await?)
    }

    /// List app installations accessible to the user access token
    ///
    /// Returns the installations of the calling app on which the user has explicit permission to
    /// read, write or administer: through repositories that the user owns, collaborates on, or
    /// reaches as a member of an organization. What the app may do is under `permissions`.
    #[oai(
        path = "/user/installations",
        method = "get",
        operation_id = "list_user_installations",
        external_docs = "https://docs.github.com/rest/apps/installations#list-app-installations-accessible-to-the-user-access-token"
    )]
    async fn list_user_installations(
        &self,
        call: Signed,
        per_page: Query<PerPage>,
        page: Query<PageNumber>,
    ) -> Result<Reply<200, UserInstallations>, Fails<403>> {
        let page = Page::new(per_page.0, page.0);
        Ok(self.0.list_user_installations(call.0, page).await?)
    }

    /// List repositories accessible to the user access token
    ///
    /// Returns the repositories of the installation on which the user has explicit permission to
    /// read, write or administer. What the user may do with each is under its `permissions`.
    #[oai(
        path = "/user/installations/:installation_id/repositories",
        method = "get",
        operation_id = "list_user_installation_repositories",
        external_docs = "https://docs.github.com/rest/apps/installations#list-repositories-accessible-to-the-user-access-token"
    )]
    async fn list_user_installation_repositories(
        &self,
        call: Signed,
        installation_id: Path<i64>,
        per_page: Query<PerPage>,
        page: Query<PageNumber>,
    ) -> Result<Reply<200, InstallationRepositories>, Fails<403, 404>> {
        let page = Page::new(per_page.0, page.0);
        let operations = &self.0;
        Ok(operations
            .list_user_installation_repositories(call.0, installation_id.0, page)
            .await?)
    }

    /// Add a repository to an app installation
    ///
    /// Adds one repository to an installation. The user must have admin access to the repository.
    /// Only a personal access token (classic) with the `repo` scope will do.
    #[oai(
        path = "/user/installations/:installation_id/repositories/:repository_id",
        method = "put",
        operation_id = "add_installation_repository",
        external_docs = "https://docs.github.com/rest/apps/installations#add-a-repository-to-an-app-installation"
    )]
    async fn add_installation_repository(
        &self,
        call: Signed,
        installation_id: Path<i64>,
        repository_id: Path<i64>,
    ) -> Result<Empty, Fails<304, 403, 404>> {
        let operations = &self.0;
        Ok(operations
            .add_installation_repository(call.0, installation_id.0, repository_id.0)
            .await?)
    }

    /// Remove a repository from an app installation
    ///
    /// Removes one repository from an installation whose `repository_selection` is `selected`. The
    /// user must have admin access to the repository. The last repository cannot be removed. Only a
    /// personal access token (classic) with the `repo` scope will do.
    #[oai(
        path = "/user/installations/:installation_id/repositories/:repository_id",
        method = "delete",
        operation_id = "remove_installation_repository",
        external_docs = "https://docs.github.com/rest/apps/installations#remove-a-repository-from-an-app-installation"
    )]
    async fn remove_installation_repository(
        &self,
        call: Signed,
        installation_id: Path<i64>,
        repository_id: Path<i64>,
    ) -> Result<Empty, Fails<304, 403, 404, 422>> {
        let operations = &self.0;
        Ok(operations
            .remove_installation_repository(call.0, installation_id.0, repository_id.0)
            .await?)
    }
}

/// A page of the repositories of an installation.
// Clients take the first key they do not know for the list: add none.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
#[oai(example)]
pub struct InstallationRepositories {
    /// How many there are on all pages.
    pub total_count: i64,
    pub repository_selection: RepositorySelection,
    pub repositories: Vec<Repository>,
}

impl Example for InstallationRepositories {
    fn example() -> Self {
        Self {
            total_count: 1,
            repository_selection: RepositorySelection::Selected,
            repositories: vec![Repository::example()],
        }
    }
}

/// A page of the installations that a user can reach.
// Clients take the first key they do not know for the list: add none.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
#[oai(example)]
pub struct UserInstallations {
    /// How many there are on all pages.
    pub total_count: i64,
    pub installations: Vec<Installation>,
}

impl Example for UserInstallations {
    fn example() -> Self {
        Self {
            total_count: 1,
            installations: vec![Installation::example()],
        }
    }
}
