//! An account as other resources show it: a user, an organization, a bot or a mannequin.

use poem_openapi::types::Example;
use poem_openapi::{Enum, Object};
use serde::{Deserialize, Serialize};

use super::super::values::{Url, UrlTemplate};

/// What an account is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum, Serialize, Deserialize)]
pub enum UserType {
    User,
    Organization,
    Bot,
    /// Stands for the author of something that was imported from elsewhere.
    Mannequin,
}

/// An account: a user, an organization, a bot or a mannequin.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
#[oai(example)]
pub struct User {
    /// The name that identifies the account; unique without regard to case.
    pub login: String,
    pub id: i64,
    /// The global identifier.
    pub node_id: String,
    pub avatar_url: Url,
    /// Always empty; kept for clients that expect it.
    pub gravatar_id: String,
    pub url: Url,
    pub html_url: Url,
    pub followers_url: Url,
    pub following_url: UrlTemplate,
    pub gists_url: UrlTemplate,
    pub starred_url: UrlTemplate,
    pub subscriptions_url: Url,
    pub organizations_url: Url,
    pub repos_url: Url,
    pub events_url: UrlTemplate,
    pub received_events_url: Url,
    #[oai(rename = "type")]
    #[serde(rename = "type")]
    pub kind: UserType,
    /// How much of the account is shown: always `public`.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_view_type: Option<String>,
    /// Whether the account administers the whole service.
    pub site_admin: bool,
}

impl User {
    /// The account with every link that hangs on its login. `api` is where the
    /// caller reaches the API, `web` is the host without the API's prefix.
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

/// What of an account cannot be derived from its login.
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
