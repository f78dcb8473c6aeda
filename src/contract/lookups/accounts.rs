//! Accounts, each at its own address. How other resources show an account is in
//! `shared/user.rs`.

use poem_openapi::Object;
use poem_openapi::types::Example;
use serde::{Deserialize, Serialize};

use super::super::EXAMPLE_ORIGIN;
use super::super::shared::installation::example_organization;
use super::super::shared::user::{User, UserType};
use super::super::values::{Nullable, Timestamp, Url, UrlTemplate};
use super::organization_settings::OrganizationSettings;

/// What an account says of itself. The service keeps little of it.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
pub struct AccountDetails {
    pub name: Nullable<String>,
    /// Always null; kept for clients that expect it.
    pub company: Nullable<String>,
    /// Always empty; kept for clients that expect it.
    pub blog: String,
    /// Always null; kept for clients that expect it.
    pub location: Nullable<String>,
    /// Always null; kept for clients that expect it.
    pub email: Nullable<String>,
    /// Always null; kept for clients that expect it.
    pub twitter_username: Nullable<String>,
    /// How many public repositories the account owns.
    pub public_repos: i64,
    /// Always zero; kept for clients that expect it.
    pub public_gists: i64,
    /// Always zero; kept for clients that expect it.
    pub followers: i64,
    /// Always zero; kept for clients that expect it.
    pub following: i64,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl AccountDetails {
    fn new(
        name: Option<String>,
        public_repos: i64,
        created_at: Timestamp,
        updated_at: Timestamp,
    ) -> Self {
        Self {
            name: name.into(),
            company: None.into(),
            blog: String::new(),
            location: None.into(),
            email: None.into(),
            twitter_username: None.into(),
            public_repos,
            public_gists: 0,
            followers: 0,
            following: 0,
            created_at,
            updated_at,
        }
    }
}

/// An account: a user, an organization, a bot or a mannequin, with what is known of it.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
#[oai(example)]
pub struct UserProfile {
    #[oai(flatten)]
    #[serde(flatten)]
    pub account: User,
    #[oai(flatten)]
    #[serde(flatten)]
    pub details: AccountDetails,
    /// Always null; kept for clients that expect it.
    pub hireable: Nullable<bool>,
    /// Always null; kept for clients that expect it.
    pub bio: Nullable<String>,
}

/// What of an account's profile cannot be derived.
#[derive(Debug, Clone)]
pub struct UserProfileCore {
    pub account: User,
    pub name: Option<String>,
    pub public_repos: i64,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl UserProfile {
    pub fn new(core: UserProfileCore) -> Self {
        Self {
            account: core.account,
            details: AccountDetails::new(
                core.name,
                core.public_repos,
                core.created_at,
                core.updated_at,
            ),
            hireable: None.into(),
            bio: None.into(),
        }
    }
}

impl Example for UserProfile {
    fn example() -> Self {
        Self::new(UserProfileCore {
            account: User::example(),
            name: Some("Alice Liddell".to_owned()),
            public_repos: 0,
            created_at: Timestamp(1_773_135_000),
            updated_at: Timestamp(1_773_135_000),
        })
    }
}

/// An organization.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
#[oai(example)]
pub struct Organization {
    /// The name that identifies the organization; unique without regard to case.
    pub login: String,
    pub id: i64,
    /// The global identifier.
    pub node_id: String,
    pub url: Url,
    pub repos_url: Url,
    pub events_url: Url,
    pub hooks_url: Url,
    pub issues_url: Url,
    pub members_url: UrlTemplate,
    pub public_members_url: UrlTemplate,
    pub avatar_url: Url,
    pub html_url: Url,
    /// Always null; kept for clients that expect it.
    pub description: Nullable<String>,
    #[oai(flatten)]
    #[serde(flatten)]
    pub details: AccountDetails,
    /// Always false; kept for clients that expect it.
    pub is_verified: bool,
    /// Whether the organization can have projects: always.
    pub has_organization_projects: bool,
    /// Whether its repositories can have projects of their own: never.
    pub has_repository_projects: bool,
    #[oai(rename = "type")]
    #[serde(rename = "type")]
    pub kind: UserType,
    /// Always null; kept for clients that expect it.
    pub archived_at: Nullable<Timestamp>,
    #[oai(flatten)]
    #[serde(flatten)]
    pub settings: OrganizationSettings,
}

/// What of an organization cannot be derived from its login.
#[derive(Debug, Clone)]
pub struct OrganizationCore {
    pub account: User,
    pub name: Option<String>,
    pub public_repos: i64,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    /// What the caller sees of them.
    pub settings: OrganizationSettings,
}

impl Organization {
    /// The organization with every link that hangs on its login. `api` is where
    /// the caller reaches the API.
    pub fn new(api: &str, core: OrganizationCore) -> Self {
        let account = core.account;
        let url = format!("{api}/orgs/{}", account.login);
        Self {
            repos_url: format!("{url}/repos").into(),
            events_url: format!("{url}/events").into(),
            hooks_url: format!("{url}/hooks").into(),
            issues_url: format!("{url}/issues").into(),
            members_url: format!("{url}/members{{/member}}").into(),
            public_members_url: format!("{url}/public_members{{/member}}").into(),
            url: url.into(),
            login: account.login,
            id: account.id,
            node_id: account.node_id,
            avatar_url: account.avatar_url,
            html_url: account.html_url,
            description: None.into(),
            details: AccountDetails::new(
                core.name,
                core.public_repos,
                core.created_at,
                core.updated_at,
            ),
            is_verified: false,
            has_organization_projects: true,
            has_repository_projects: false,
            kind: account.kind,
            archived_at: None.into(),
            settings: core.settings,
        }
    }
}

impl Example for Organization {
    fn example() -> Self {
        Self::new(
            EXAMPLE_ORIGIN,
            OrganizationCore {
                account: example_organization(),
                name: None,
                public_repos: 1,
                created_at: Timestamp(1_773_135_000),
                updated_at: Timestamp(1_773_135_000),
                settings: OrganizationSettings::default(),
            },
        )
    }
}
