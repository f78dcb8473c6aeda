//! Accounts with their profiles. `shared/user.rs` has the form in which other resources show an
//! account.

use contract_macros::schema;
use poem_openapi::types::Example;

use super::super::EXAMPLE_ORIGIN;
use super::super::shared::installation::example_organization;
use super::super::shared::user::{User, UserType};
use super::super::values::{Nullable, Timestamp, Url, UrlTemplate};
use super::organization_settings::OrganizationSettings;

/// The profile of an account. The service stores only a few of its properties.
#[schema]
pub struct AccountDetails {
    /// The display name of the account.
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
    /// The number of public repositories that the account owns.
    pub public_repos: i64,
    /// Always zero; kept for clients that expect it.
    pub public_gists: i64,
    /// Always zero; kept for clients that expect it.
    pub followers: i64,
    /// Always zero; kept for clients that expect it.
    pub following: i64,
    /// When the account was created.
    pub created_at: Timestamp,
    /// When the account was last updated.
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

/// An account with its profile: a user, an organization, a bot or a mannequin.
#[schema(example)]
pub struct UserProfile {
    #[schema(flatten)]
    pub account: User,
    #[schema(flatten)]
    pub details: AccountDetails,
    /// Always null; kept for clients that expect it.
    pub hireable: Nullable<bool>,
    /// Always null; kept for clients that expect it.
    pub bio: Nullable<String>,
}

/// The properties of a profile that cannot be derived.
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
#[schema(example)]
pub struct Organization {
    /// The name that identifies the organization. Unique and not case-sensitive.
    pub login: String,
    /// The identifier of the organization.
    pub id: i64,
    /// The global identifier.
    pub node_id: String,
    /// The API URL of the organization.
    pub url: Url,
    /// The API URL of the organization's repositories.
    pub repos_url: Url,
    /// The API URL of the organization's events.
    pub events_url: Url,
    /// The API URL of the organization's webhooks.
    pub hooks_url: Url,
    /// The API URL of the organization's issues.
    pub issues_url: Url,
    /// The API URL template of a member of the organization.
    pub members_url: UrlTemplate,
    /// The API URL template of a public member of the organization.
    pub public_members_url: UrlTemplate,
    /// The URL of the organization's avatar.
    pub avatar_url: Url,
    /// The URL of the organization's page.
    pub html_url: Url,
    /// Always null; kept for clients that expect it.
    pub description: Nullable<String>,
    #[schema(flatten)]
    pub details: AccountDetails,
    /// Always false; kept for clients that expect it.
    pub is_verified: bool,
    /// Whether the organization can have projects. Always `true`.
    pub has_organization_projects: bool,
    /// Whether the repositories of the organization can have projects. Always `false`.
    pub has_repository_projects: bool,
    #[schema(rename = "type")]
    pub kind: UserType,
    /// Always null; kept for clients that expect it.
    pub archived_at: Nullable<Timestamp>,
    #[schema(flatten)]
    pub settings: OrganizationSettings,
}

/// The properties of an organization that cannot be derived from its login.
#[derive(Debug, Clone)]
pub struct OrganizationCore {
    pub account: User,
    pub name: Option<String>,
    pub public_repos: i64,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    /// The settings that are visible to the caller.
    pub settings: OrganizationSettings,
}

impl Organization {
    /// The organization with every URL that derives from its login. `api` is the base URL of
    /// the API.
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
