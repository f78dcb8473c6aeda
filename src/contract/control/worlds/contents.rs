//! What exists in a world, in a few words each.

use poem_openapi::Object;
use poem_openapi::types::Example;
use serde::{Deserialize, Serialize};

use super::super::super::values::Timestamp;

/// What exists in a world: a page of each kind.
#[derive(Debug, Clone, Default, Object, Serialize, Deserialize)]
#[oai(example)]
pub struct WorldContents {
    /// Users, organizations and bots.
    pub accounts: Vec<WorldAccount>,
    /// Who belongs to organizations.
    pub members: Vec<WorldMember>,
    pub repositories: Vec<WorldRepository>,
    /// Who may do what in single repositories.
    pub collaborators: Vec<WorldCollaborator>,
    /// Issues of all repositories, without pull requests.
    pub issues: Vec<WorldIssue>,
    /// Pull requests of all repositories.
    pub pull_requests: Vec<WorldPull>,
    /// Projects of organizations and users.
    pub projects: Vec<WorldProject>,
    /// Apps, with what is needed to act as them.
    pub apps: Vec<WorldApp>,
    pub installations: Vec<WorldInstallation>,
    /// Tokens, with their values where they are known.
    pub tokens: Vec<WorldToken>,
    /// Whether there are more of any kind on the next page.
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
#[derive(Debug, Clone, PartialEq, Eq, Object, Serialize, Deserialize)]
pub struct WorldAccount {
    pub id: i64,
    /// The name in paths.
    pub login: String,
    /// `user`, `organization` or `bot`.
    pub kind: String,
}

/// A member of an organization.
#[derive(Debug, Clone, PartialEq, Eq, Object, Serialize, Deserialize)]
pub struct WorldMember {
    /// The login of the organization.
    pub organization: String,
    /// The login of the user.
    pub user: String,
    /// `member` or `admin`.
    pub role: String,
}

/// A repository.
#[derive(Debug, Clone, PartialEq, Eq, Object, Serialize, Deserialize)]
pub struct WorldRepository {
    pub id: i64,
    /// Owner and name.
    pub full_name: String,
    /// `public`, `private` or `internal`.
    pub visibility: String,
    /// Without `refs/heads/`.
    pub default_branch: String,
}

/// What a user may do in one repository.
#[derive(Debug, Clone, PartialEq, Eq, Object, Serialize, Deserialize)]
pub struct WorldCollaborator {
    /// The owner and the name of the repository.
    pub repository: String,
    /// The login of the user.
    pub user: String,
    /// `read`, `triage`, `write`, `maintain` or `admin`.
    pub permission: String,
}

/// An issue.
#[derive(Debug, Clone, PartialEq, Eq, Object, Serialize, Deserialize)]
pub struct WorldIssue {
    pub id: i64,
    /// The owner and the name of its repository.
    pub repository: String,
    /// The number in paths.
    pub number: i64,
    /// The title, as it was written.
    pub title: String,
}

/// A pull request.
#[derive(Debug, Clone, PartialEq, Eq, Object, Serialize, Deserialize)]
pub struct WorldPull {
    pub id: i64,
    /// The owner and the name of its repository.
    pub repository: String,
    /// The number in paths.
    pub number: i64,
    /// The title, as it was written.
    pub title: String,
}

/// A project.
#[derive(Debug, Clone, PartialEq, Eq, Object, Serialize, Deserialize)]
pub struct WorldProject {
    pub id: i64,
    /// The login of its owner.
    pub owner: String,
    /// The number in paths.
    pub number: i64,
    /// The title, as it was written.
    pub title: String,
}

/// An app.
#[derive(Debug, Clone, PartialEq, Eq, Object, Serialize, Deserialize)]
#[oai(example)]
pub struct WorldApp {
    pub id: i64,
    /// The name in paths.
    pub slug: String,
    /// The issuer for JSON web tokens.
    pub client_id: String,
    /// Where its webhooks go.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub webhook_url: Option<String>,
    /// The private key to sign with, in PEM, if it is that of the demo.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub private_key: Option<String>,
}

impl Example for WorldApp {
    fn example() -> Self {
        Self {
            id: 6001,
            slug: "ci-bot".to_owned(),
            client_id: "Iv23liCiBot00001".to_owned(),
            webhook_url: Some("https://ci.example/hook".to_owned()),
            private_key: None,
        }
    }
}

/// An app on an account.
#[derive(Debug, Clone, PartialEq, Eq, Object, Serialize, Deserialize)]
pub struct WorldInstallation {
    pub id: i64,
    /// The slug of the app.
    pub app: String,
    /// The login of the account.
    pub account: String,
    /// `all` or `selected`: which repositories of the account it reaches.
    pub repository_selection: String,
}

/// A token.
#[derive(Debug, Clone, PartialEq, Eq, Object, Serialize, Deserialize)]
#[oai(example)]
pub struct WorldToken {
    pub id: i64,
    /// `classic`, `fine_grained`, `oauth`, `app_user` or `installation`.
    pub kind: String,
    /// A login, or `app on account` for an installation.
    pub holder: String,
    /// The value, if this process has loaded or made the token.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// The last characters of the value.
    pub hint: String,
    /// What it is for, or what it may do.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// From when on it is refused.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// Whether it can be used now.
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
            expires_at: None,
            active: true,
        }
    }
}
