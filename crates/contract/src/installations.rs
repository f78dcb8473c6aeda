//! The app installation API (Spec, App installations).
//!
//! The two operations on the installation itself take its own token. The specification marks
//! them as open (Spec, Authentication, 3), but nobody can use them without that token.

use contract_macros::{operations, schema};
use poem_openapi::types::Example;

use super::call::Call;
use super::paging::{Page, PageNumber, PerPage};
use super::reply::{Empty, Outcome, Reply};
use super::shared::installation::{Installation, RepositorySelection};
use super::shared::repository::Repository;

/// The operations; `forge::installations` implements them.
#[operations(Installations)]
pub trait Operations: Send + Sync {
    /// List repositories accessible to the app installation
    ///
    /// Returns the repositories that an installation can access. The request must be
    /// authenticated with an access token of that installation, which expires 60 minutes after
    /// it was issued.
    #[get(
        "/installation/repositories",
        docs = "apps/installations#list-repositories-accessible-to-the-app-installation"
    )]
    #[access(
        open,
        anonymous = false,
        kinds = Kinds::INSTALLATION,
        wrong_kind = "You must authenticate with an installation access token in order to list repositories for an installation.",
    )]
    #[fails(403)]
    #[cached]
    #[specified(200, 304, 401, 403)]
    async fn list_installation_repositories(
        &self,
        call: Call,
        #[query(per_page: PerPage, page: PageNumber)] page: Page,
    ) -> Outcome<Reply<200, InstallationRepositories>>;

    /// Revoke an installation access token
    ///
    /// Revokes the installation access token that authenticates the request. The token
    /// cannot be used again; the app must create a new one. Otherwise it expires 60 minutes
    /// after it was issued.
    #[delete(
        "/installation/token",
        docs = "apps/installations#revoke-an-installation-access-token"
    )]
    #[access(
        open,
        anonymous = false,
        kinds = Kinds::INSTALLATION,
        wrong_kind = "You must authenticate with an installation access token in order to revoke it.",
    )]
    #[fails(403)]
    #[specified(204)]
    async fn revoke_installation_token(&self, call: Call) -> Outcome<Empty>;

    /// List app installations accessible to the user access token
    ///
    /// Returns the installations of the calling app on which the user has explicit read,
    /// write or admin permission, through repositories that the user owns, collaborates on,
    /// or can access as a member of an organization. The permissions of each installation
    /// are in `permissions`.
    #[get(
        "/user/installations",
        docs = "apps/installations#list-app-installations-accessible-to-the-user-access-token"
    )]
    #[access(
        token,
        kinds = Kinds::APP_USER,
        wrong_kind = "You must authenticate with an access token authorized to a GitHub App in order to list installations",
    )]
    #[fails(403)]
    #[specified(200, 304, 401, 403)]
    #[links(
        list_user_installation_repositories,
        installation_id = "/installations/0/id"
    )]
    async fn list_user_installations(
        &self,
        call: Call,
        #[query(per_page: PerPage, page: PageNumber)] page: Page,
    ) -> Outcome<Reply<200, UserInstallations>>;

    /// List repositories accessible to the user access token
    ///
    /// Returns the repositories of an installation on which the user has explicit read,
    /// write or admin permission, as far as the token can access them. The user's access to
    /// each repository is in its `permissions`. An app's user access token shows installations
    /// of that app only, a fine-grained token those on its resource owner. An installation
    /// without such a repository looks absent.
    #[get(
        "/user/installations/{installation_id}/repositories",
        docs = "apps/installations#list-repositories-accessible-to-the-user-access-token"
    )]
    #[access(
        token,
        kinds = Kinds::USERS,
        permission = read("metadata"),
    )]
    #[fails(403, 404)]
    #[cached]
    #[specified(200, 304, 403, 404)]
    async fn list_user_installation_repositories(
        &self,
        call: Call,
        installation_id: i64,
        #[query(per_page: PerPage, page: PageNumber)] page: Page,
    ) -> Outcome<Reply<200, InstallationRepositories>>;

    /// Add a repository to an app installation
    ///
    /// Adds a repository to an installation. The user must have admin access to the
    /// repository. Only personal access tokens (classic) with the `repo` scope work here.
    #[put(
        "/user/installations/{installation_id}/repositories/{repository_id}",
        docs = "apps/installations#add-a-repository-to-an-app-installation"
    )]
    #[access(token, SELECT_REPOSITORIES)]
    #[fails(304, 403, 404)]
    #[specified(204, 304, 403, 404)]
    #[links(remove_installation_repository)]
    async fn add_installation_repository(
        &self,
        call: Call,
        installation_id: i64,
        repository_id: i64,
    ) -> Outcome<Empty>;

    /// Remove a repository from an app installation
    ///
    /// Removes a repository from an installation whose `repository_selection` is
    /// `selected`. The user must have admin access to the repository. The last repository
    /// of an installation cannot be removed. Only personal access tokens (classic) with the
    /// `repo` scope work here.
    #[delete(
        "/user/installations/{installation_id}/repositories/{repository_id}",
        docs = "apps/installations#remove-a-repository-from-an-app-installation"
    )]
    #[access(token, SELECT_REPOSITORIES)]
    #[fails(304, 403, 404, 422)]
    #[specified(204, 304, 403, 404, 422)]
    #[links(add_installation_repository)]
    async fn remove_installation_repository(
        &self,
        call: Call,
        installation_id: i64,
        repository_id: i64,
    ) -> Outcome<Empty>;
}

/// A page of the repositories of an installation.
// Clients take the first unknown key for the list: do not add one.
#[schema(example)]
pub struct InstallationRepositories {
    /// The number of repositories on all pages.
    pub total_count: i64,
    #[schema(unpromised)]
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

/// A page of the installations that a user can access.
// Clients take the first unknown key for the list: do not add one.
#[schema(example)]
pub struct UserInstallations {
    /// The number of installations on all pages.
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
