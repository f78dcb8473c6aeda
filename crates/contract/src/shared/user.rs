//! An account in other resources: a user, an organization, a bot or a mannequin.

use contract_macros::schema;
use poem_openapi::types::Example;

use super::super::values::{Url, UrlTemplate};

/// The type of an account.
#[schema]
pub enum UserType {
    User,
    Organization,
    Bot,
    /// A placeholder for the author of imported content.
    Mannequin,
}

/// An account: a user, an organization, a bot or a mannequin.
#[schema(example)]
pub struct User {
    /// The login of the account. It is unique and not case-sensitive.
    pub login: String,
    /// The identifier of the account.
    pub id: i64,
    /// The global identifier.
    pub node_id: String,
    /// The URL of the account's avatar.
    pub avatar_url: Url,
    /// Always empty; kept for clients that expect it.
    pub gravatar_id: String,
    /// The API URL of the account.
    pub url: Url,
    /// The URL of the account's page.
    pub html_url: Url,
    /// The API URL of the account's followers.
    pub followers_url: Url,
    /// The API URL template of an account that the account follows.
    pub following_url: UrlTemplate,
    /// The API URL template of a gist of the account.
    pub gists_url: UrlTemplate,
    /// The API URL template of a repository that the account has starred.
    pub starred_url: UrlTemplate,
    /// The API URL of the repositories that the account watches.
    pub subscriptions_url: Url,
    /// The API URL of the account's organizations.
    pub organizations_url: Url,
    /// The API URL of the account's repositories.
    pub repos_url: Url,
    /// The API URL template of the account's events.
    pub events_url: UrlTemplate,
    /// The API URL of the events that the account has received.
    pub received_events_url: Url,
    #[schema(rename = "type")]
    pub kind: UserType,
    /// The view of the account. Always `public`.
    pub user_view_type: Option<String>,
    /// Whether the account is an administrator of the service.
    pub site_admin: bool,
}

impl User {
    /// The account with every URL that derives from its login. `api` is the base URL of the
    /// API, `web` that of the host without the API prefix.
    pub fn new(api: &str, web: &str, account: UserCore<'_>) -> Self {
        let UserCore {
            id,
            node_id,
            login,
            kind,
            site_admin,
        } = account;
        let path = login.replace('[', "%5B").replace(']', "%5D");
        let user = format!("{api}/users/{path}");
        Self {
            login: login.to_owned(),
            id,
            node_id,
            avatar_url: format!("{web}/avatars/u/{id}").into(),
            gravatar_id: String::new(),
            html_url: format!("{web}/{path}").into(),
            followers_url: format!("{user}/followers").into(),
            following_url: format!("{user}/following{{/other_user}}").into(),
            gists_url: format!("{user}/gists{{/gist_id}}").into(),
            starred_url: format!("{user}/starred{{/owner}}{{/repo}}").into(),
            subscriptions_url: format!("{user}/subscriptions").into(),
            organizations_url: format!("{user}/orgs").into(),
            repos_url: format!("{user}/repos").into(),
            events_url: format!("{user}/events{{/privacy}}").into(),
            received_events_url: format!("{user}/received_events").into(),
            url: user.into(),
            kind,
            user_view_type: Some("public".to_owned()),
            site_admin,
        }
    }
}

/// The properties of an account that cannot be derived from its login.
#[derive(Debug, Clone)]
pub struct UserCore<'a> {
    pub id: i64,
    pub node_id: String,
    pub login: &'a str,
    pub kind: UserType,
    pub site_admin: bool,
}

impl Example for User {
    fn example() -> Self {
        Self::new(
            super::super::EXAMPLE_ORIGIN,
            super::super::EXAMPLE_ORIGIN,
            UserCore {
                id: 1001,
                node_id: "U_kgDNA-k".to_owned(),
                login: "alice",
                kind: UserType::User,
                site_admin: false,
            },
        )
    }
}
