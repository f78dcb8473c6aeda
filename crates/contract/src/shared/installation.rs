//! An installation of an app on an account. Apps and their tokens are in `apps`.

use contract_macros::schema;
use std::collections::BTreeMap;

use poem_openapi::types::Example;

use super::super::EXAMPLE_ORIGIN;
use super::super::values::{Nullable, Timestamp, Url};
use super::user::{User, UserCore, UserType};

/// Whether an installation can access all repositories of the account or only selected
/// ones.
#[schema(rename_all = "lowercase")]
pub enum RepositorySelection {
    All,
    Selected,
}

/// The type of the account that an app is installed on.
#[schema]
pub enum TargetType {
    User,
    Organization,
}

/// An installation of an app on an account.
#[schema(example)]
pub struct Installation {
    /// The identifier of the installation.
    pub id: i64,
    /// The client ID of the app.
    #[schema(unpromised)]
    pub client_id: String,
    /// The account that the app is installed on.
    pub account: User,
    pub repository_selection: RepositorySelection,
    /// The API URL for creating access tokens of the installation.
    pub access_tokens_url: Url,
    /// The API URL of the repositories that the installation can access, for use with one
    /// of its access tokens.
    pub repositories_url: Url,
    /// The URL of the installation's settings page.
    pub html_url: Url,
    pub app_id: i64,
    pub app_slug: String,
    /// The identifier of the account.
    pub target_id: i64,
    pub target_type: TargetType,
    /// The permissions of the installation: access levels, such as `read` or `write`, by
    /// permission name.
    pub permissions: BTreeMap<String, String>,
    /// The events that the app is subscribed to.
    pub events: Vec<String>,
    /// When the installation was created.
    pub created_at: Timestamp,
    /// When the installation was last updated.
    pub updated_at: Timestamp,
    /// The first of `single_file_paths`. `null` if there is none.
    pub single_file_name: Nullable<String>,
    /// Whether `single_file_paths` contains more than one path.
    #[schema(unpromised)]
    pub has_multiple_single_files: bool,
    /// The paths of the files that the permission `single_file` grants access to.
    #[schema(unpromised)]
    pub single_file_paths: Vec<String>,
    /// The user who suspended the installation. `null` if it is not suspended.
    pub suspended_by: Nullable<User>,
    /// When the installation was suspended. `null` if it is not suspended.
    pub suspended_at: Nullable<Timestamp>,
}

impl Installation {
    /// The installation with every URL that derives from its id. `api` is the base URL of the
    /// API, `web` that of the host without the API prefix.
    pub fn new(api: &str, web: &str, installation: InstallationCore) -> Self {
        let InstallationCore {
            id,
            app_id,
            app_slug,
            client_id,
            account,
            repository_selection,
            permissions,
            events,
            single_file_paths,
            created_at,
            updated_at,
            suspended_by,
            suspended_at,
        } = installation;
        let (target_type, settings) = match account.kind {
            UserType::Organization => (
                TargetType::Organization,
                format!("{web}/organizations/{}/settings", account.login),
            ),
            UserType::User | UserType::Bot | UserType::Mannequin => {
                (TargetType::User, format!("{web}/settings"))
            }
        };
        Self {
            id,
            client_id,
            repository_selection,
            access_tokens_url: format!("{api}/app/installations/{id}/access_tokens").into(),
            repositories_url: format!("{api}/installation/repositories").into(),
            html_url: format!("{settings}/installations/{id}").into(),
            app_id,
            app_slug,
            target_id: account.id,
            target_type,
            account,
            permissions,
            events,
            created_at,
            updated_at,
            single_file_name: single_file_paths.first().cloned().into(),
            has_multiple_single_files: single_file_paths.len() > 1,
            single_file_paths,
            suspended_by: suspended_by.into(),
            suspended_at: suspended_at.into(),
        }
    }
}

/// The properties of an installation that cannot be derived from its id and account.
#[derive(Debug, Clone)]
pub struct InstallationCore {
    pub id: i64,
    pub app_id: i64,
    pub app_slug: String,
    pub client_id: String,
    pub account: User,
    pub repository_selection: RepositorySelection,
    pub permissions: BTreeMap<String, String>,
    pub events: Vec<String>,
    pub single_file_paths: Vec<String>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub suspended_by: Option<User>,
    pub suspended_at: Option<Timestamp>,
}

impl Example for Installation {
    fn example() -> Self {
        let permissions = [
            ("contents", "write"),
            ("metadata", "read"),
            ("pull_requests", "write"),
        ];
        Self::new(
            EXAMPLE_ORIGIN,
            EXAMPLE_ORIGIN,
            InstallationCore {
                id: 7001,
                app_id: 6001,
                app_slug: "ci-bot".to_owned(),
                client_id: "Iv23demo".to_owned(),
                account: example_organization(),
                repository_selection: RepositorySelection::Selected,
                permissions: permissions
                    .map(|(name, level)| (name.to_owned(), level.to_owned()))
                    .into(),
                events: vec!["push".to_owned(), "pull_request".to_owned()],
                single_file_paths: Vec::new(),
                created_at: Timestamp(1_773_135_000),
                updated_at: Timestamp(1_773_135_000),
                suspended_by: None,
                suspended_at: None,
            },
        )
    }
}

/// The organization that the examples are about.
pub fn example_organization() -> User {
    User::new(
        EXAMPLE_ORIGIN,
        EXAMPLE_ORIGIN,
        UserCore {
            id: 1004,
            node_id: "O_kgDNA-w".to_owned(),
            login: "acme",
            kind: UserType::Organization,
            site_admin: false,
        },
    )
}
