//! Summaries of the contents of a world.

use std::collections::BTreeMap;

use contract_macros::schema;
use poem_openapi::types::Example;

use super::super::super::values::Timestamp;

/// The contents of a world: a page of each kind.
#[schema(example)]
#[derive(Default)]
pub struct WorldContents {
    /// Users, organizations and bots.
    pub accounts: Vec<WorldAccount>,
    /// The members of organizations.
    pub members: Vec<WorldMember>,
    pub repositories: Vec<WorldRepository>,
    /// The collaborators of repositories.
    pub collaborators: Vec<WorldCollaborator>,
    /// Issues of all repositories, without pull requests.
    pub issues: Vec<WorldIssue>,
    /// Pull requests of all repositories.
    pub pull_requests: Vec<WorldPull>,
    /// Projects of organizations and users.
    pub projects: Vec<WorldProject>,
    /// Apps, with their private keys where they are known.
    pub apps: Vec<WorldApp>,
    pub installations: Vec<WorldInstallation>,
    /// The repositories of the installations with `repository_selection` `selected`.
    pub installation_repositories: Vec<WorldInstallationRepository>,
    /// Tokens, with their values where they are known.
    pub tokens: Vec<WorldToken>,
    /// The repositories of the tokens with `repository_selection` `selected`.
    pub token_repositories: Vec<WorldTokenRepository>,
    /// Whether the next page has more of any kind.
    pub more: bool,
}

impl Example for WorldContents {
    fn example() -> Self {
        Self {
            accounts: vec![WorldAccount {
                id: 1001,
                login: "acme".to_owned(),
                kind: "organization".to_owned(),
            }],
            members: vec![WorldMember {
                organization: "acme".to_owned(),
                user: "alice".to_owned(),
                role: "admin".to_owned(),
            }],
            repositories: vec![WorldRepository {
                id: 2001,
                full_name: "acme/widgets".to_owned(),
                visibility: "private".to_owned(),
                default_branch: "main".to_owned(),
            }],
            collaborators: vec![WorldCollaborator {
                repository: "acme/widgets".to_owned(),
                user: "carol".to_owned(),
                permission: "write".to_owned(),
            }],
            tokens: vec![WorldToken::example()],
            apps: vec![WorldApp::example()],
            ..Self::default()
        }
    }
}

/// A user, an organization or the bot of an app.
#[schema]
#[derive(PartialEq, Eq)]
pub struct WorldAccount {
    /// The identifier of the account.
    pub id: i64,
    /// The login of the account.
    pub login: String,
    /// The kind of account: `user`, `organization` or `bot`.
    pub kind: String,
}

/// A member of an organization.
#[schema]
#[derive(PartialEq, Eq)]
pub struct WorldMember {
    /// The login of the organization.
    pub organization: String,
    /// The login of the user.
    pub user: String,
    /// The role of the user in the organization: `member` or `admin`.
    pub role: String,
}

/// A repository.
#[schema]
#[derive(PartialEq, Eq)]
pub struct WorldRepository {
    /// The identifier of the repository.
    pub id: i64,
    /// The owner and the name of the repository.
    pub full_name: String,
    /// The visibility of the repository: `public`, `private` or `internal`.
    pub visibility: String,
    /// The default branch of the repository, without `refs/heads/`.
    pub default_branch: String,
}

/// A collaborator of a repository.
#[schema]
#[derive(PartialEq, Eq)]
pub struct WorldCollaborator {
    /// The owner and the name of the repository.
    pub repository: String,
    /// The login of the user.
    pub user: String,
    /// The permission of the user on the repository: `read`, `triage`, `write`, `maintain` or
    /// `admin`.
    pub permission: String,
}

/// An issue.
#[schema]
#[derive(PartialEq, Eq)]
pub struct WorldIssue {
    /// The identifier of the issue.
    pub id: i64,
    /// The owner and the name of the repository.
    pub repository: String,
    /// The number of the issue in paths.
    pub number: i64,
    /// The title of the issue.
    pub title: String,
}

/// A pull request.
#[schema]
#[derive(PartialEq, Eq)]
pub struct WorldPull {
    /// The identifier of the pull request.
    pub id: i64,
    /// The owner and the name of the repository.
    pub repository: String,
    /// The number of the pull request in paths.
    pub number: i64,
    /// The title of the pull request.
    pub title: String,
}

/// A project.
#[schema]
#[derive(PartialEq, Eq)]
pub struct WorldProject {
    /// The identifier of the project.
    pub id: i64,
    /// The login of the project's owner.
    pub owner: String,
    /// The number of the project in paths.
    pub number: i64,
    /// The title of the project.
    pub title: String,
}

/// An app.
#[schema(example)]
#[derive(PartialEq, Eq)]
pub struct WorldApp {
    /// The identifier of the app.
    pub id: i64,
    /// The name of the app in paths.
    pub slug: String,
    /// The client ID of the app, which is the issuer of its JSON web tokens.
    pub client_id: String,
    /// The URL to which the app's webhooks are delivered.
    pub webhook_url: Option<String>,
    /// The encoding of webhook payloads: `json` or `form`.
    pub webhook_content_type: String,
    /// Whether webhooks are signed with a secret.
    pub webhook_signed: bool,
    /// Whether the certificate of the webhook's receiver is verified.
    pub webhook_ssl_verified: bool,
    /// The permissions that the app requests: access levels by permission name.
    pub permissions: BTreeMap<String, String>,
    /// The events that the app subscribes to.
    pub events: Vec<String>,
    /// The private key of the app, in PEM. Only present if it is the key of the demo world.
    pub private_key: Option<String>,
}

impl Example for WorldApp {
    fn example() -> Self {
        Self {
            id: 6001,
            slug: "ci-bot".to_owned(),
            client_id: "Iv23liCiBot00001".to_owned(),
            webhook_url: Some("https://ci.example/hook".to_owned()),
            webhook_content_type: "json".to_owned(),
            webhook_signed: true,
            webhook_ssl_verified: true,
            permissions: permissions(&[("contents", "write"), ("metadata", "read")]),
            events: vec!["push".to_owned()],
            private_key: None,
        }
    }
}

/// An installation of an app on an account.
#[schema]
#[derive(PartialEq, Eq)]
pub struct WorldInstallation {
    /// The identifier of the installation.
    pub id: i64,
    /// The slug of the app.
    pub app: String,
    /// The login of the account.
    pub account: String,
    /// The repositories of the account that the installation can access: `all` or `selected`.
    pub repository_selection: String,
    /// The permissions of the installation: access levels by permission name.
    pub permissions: BTreeMap<String, String>,
    /// The events that the installation receives.
    pub events: Vec<String>,
    /// When the app was installed.
    pub created_at: Timestamp,
    /// When the installation was suspended. Absent if it is not suspended.
    pub suspended_at: Option<Timestamp>,
    /// The login of the user who suspended the installation.
    pub suspended_by: Option<String>,
}

/// A repository that an installation can access.
#[schema]
#[derive(PartialEq, Eq)]
pub struct WorldInstallationRepository {
    /// The identifier of the installation.
    pub installation_id: i64,
    /// The owner and the name of the repository.
    pub repository: String,
}

/// A token.
#[schema(example)]
#[derive(PartialEq, Eq)]
pub struct WorldToken {
    /// The identifier of the token.
    pub id: i64,
    /// The kind of token: `classic`, `fine_grained`, `oauth`, `app_user` or `installation`.
    pub kind: String,
    /// The holder of the token: a login, or `app on account` for an installation.
    pub holder: String,
    /// The value of the token. Only present if this process loaded the token from a world file, not
    /// for tokens that the API created.
    pub value: Option<String>,
    /// The last characters of the token.
    pub hint: String,
    /// The purpose or the permissions of the token.
    pub description: Option<String>,
    /// The scopes of a classic or OAuth token.
    pub scopes: Vec<String>,
    /// The permissions of a fine-grained or installation token: access levels by permission name.
    pub permissions: BTreeMap<String, String>,
    /// The repositories that a fine-grained or installation token can access: `all`, `public` or
    /// `selected`.
    pub repository_selection: Option<String>,
    /// When the token expires.
    pub expires_at: Option<Timestamp>,
    /// Whether the token can currently be used.
    pub active: bool,
}

impl Example for WorldToken {
    fn example() -> Self {
        Self {
            id: 1,
            kind: "classic".to_owned(),
            holder: "alice".to_owned(),
            value: Some("ghp_demo_alice_admin".to_owned()),
            hint: "dmin".to_owned(),
            description: Some("administers acme".to_owned()),
            scopes: vec!["admin:org".to_owned(), "repo".to_owned()],
            permissions: BTreeMap::new(),
            repository_selection: None,
            expires_at: None,
            active: true,
        }
    }
}

/// A repository that a token can access.
#[schema]
#[derive(PartialEq, Eq)]
pub struct WorldTokenRepository {
    /// The identifier of the token.
    pub token_id: i64,
    /// The owner and the name of the repository.
    pub repository: String,
}

fn permissions(levels: &[(&str, &str)]) -> BTreeMap<String, String> {
    let levels = levels.iter();
    levels
        .map(|(name, level)| ((*name).to_owned(), (*level).to_owned()))
        .collect()
}
