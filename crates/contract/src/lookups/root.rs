//! The root of the API: the URLs of its endpoints. It includes URLs that are not served,
//! because clients with strict models refuse a root without them.

use contract_macros::schema;
use poem_openapi::types::Example;

use super::super::EXAMPLE_ORIGIN;
use super::super::values::{Url, UrlTemplate};
use super::super::version::ApiVersion;

/// The URLs of the API's endpoints.
#[schema(example)]
pub struct Root {
    /// The URL of the authenticated user.
    pub current_user_url: Url,
    /// The URL template of an organization.
    pub organization_url: UrlTemplate,
    /// The URL template of a repository.
    pub repository_url: UrlTemplate,
    /// The URL template of a user.
    pub user_url: UrlTemplate,
    /// The URL of the app installations that the user can access.
    pub user_installations_url: Url,
    /// The URL of the repositories that the installation can access.
    pub installation_repositories_url: Url,
    /// The URL of the rate limit status.
    pub rate_limit_url: Url,
    /// The URL of the supported versions of the API.
    pub versions_url: Url,
    /// The URL of the interactive documentation.
    pub documentation_url: Url,
    #[schema(flatten)]
    pub elsewhere: RootElsewhere,
}

/// URLs that the root lists and this service does not serve.
#[schema]
pub struct RootElsewhere {
    /// The URL template of the page on which the user reviews an authorized app.
    pub current_user_authorizations_html_url: UrlTemplate,
    /// The URL of the OAuth authorizations. Absent from version `2026-03-10` on.
    pub authorizations_url: Option<Url>,
    /// The URL template of the code search.
    pub code_search_url: UrlTemplate,
    /// The URL template of the commit search.
    pub commit_search_url: UrlTemplate,
    /// The URL of the user's email addresses.
    pub emails_url: Url,
    /// The URL of the emojis.
    pub emojis_url: Url,
    /// The URL of the public events.
    pub events_url: Url,
    /// The URL of the feeds.
    pub feeds_url: Url,
    /// The URL of the user's followers.
    pub followers_url: Url,
    /// The URL template of the users that the user follows.
    pub following_url: UrlTemplate,
    /// The URL template of the gists.
    pub gists_url: UrlTemplate,
    /// The URL of the PubSubHubbub endpoint. Absent from version `2026-03-10` on.
    pub hub_url: Option<Url>,
    /// The URL template of the issue search.
    pub issue_search_url: UrlTemplate,
    /// The URL of the user's issues.
    pub issues_url: Url,
    /// The URL of the user's public SSH keys.
    pub keys_url: Url,
    /// The URL template of the label search.
    pub label_search_url: UrlTemplate,
    /// The URL of the user's notifications.
    pub notifications_url: Url,
    /// The URL template of an organization's repositories.
    pub organization_repositories_url: UrlTemplate,
    /// The URL template of an organization's teams.
    pub organization_teams_url: UrlTemplate,
    /// The URL of the public gists.
    pub public_gists_url: Url,
    /// The URL template of the repository search.
    pub repository_search_url: UrlTemplate,
    /// The URL template of the authenticated user's repositories.
    pub current_user_repositories_url: UrlTemplate,
    /// The URL template of the starred repositories.
    pub starred_url: UrlTemplate,
    /// The URL of the starred gists.
    pub starred_gists_url: Url,
    /// The URL of the authenticated user's organizations.
    pub user_organizations_url: Url,
    /// The URL template of a user's repositories.
    pub user_repositories_url: UrlTemplate,
    /// The URL template of the user search.
    pub user_search_url: UrlTemplate,
}

impl Root {
    /// `api` is the base URL of the API, `web` that of the host without the API prefix.
    pub fn new(api: &str, web: &str, version: ApiVersion) -> Self {
        Self {
            current_user_url: format!("{api}/user").into(),
            organization_url: format!("{api}/orgs/{{org}}").into(),
            repository_url: format!("{api}/repos/{{owner}}/{{repo}}").into(),
            user_url: format!("{api}/users/{{user}}").into(),
            user_installations_url: format!("{api}/user/installations").into(),
            installation_repositories_url: format!("{api}/installation/repositories").into(),
            rate_limit_url: format!("{api}/rate_limit").into(),
            versions_url: format!("{api}/versions").into(),
            documentation_url: format!("{web}/docs/").into(),
            elsewhere: RootElsewhere::new(api, web, version),
        }
    }
}

impl RootElsewhere {
    fn new(api: &str, web: &str, version: ApiVersion) -> Self {
        const SEARCH: &str = "?q={query}{&page,per_page,sort,order}";
        const PAGES: &str = "{?type,page,per_page,sort}";
        let at = |path: &str| Url(format!("{api}{path}"));
        let any = |path: &str| UrlTemplate(format!("{api}{path}"));
        let search = |what: &str| UrlTemplate(format!("{api}/search/{what}{SEARCH}"));
        let listed = |path: &str| UrlTemplate(format!("{api}{path}{PAGES}"));
        let old = version < ApiVersion::V2026_03_10;
        Self {
            current_user_authorizations_html_url: UrlTemplate(format!(
                "{web}/settings/connections/applications{{/client_id}}"
            )),
            authorizations_url: old.then(|| at("/authorizations")),
            code_search_url: search("code"),
            commit_search_url: search("commits"),
            emails_url: at("/user/emails"),
            emojis_url: at("/emojis"),
            events_url: at("/events"),
            feeds_url: at("/feeds"),
            followers_url: at("/user/followers"),
            following_url: any("/user/following{/target}"),
            gists_url: any("/gists{/gist_id}"),
            hub_url: old.then(|| at("/hub")),
            issue_search_url: search("issues"),
            issues_url: at("/issues"),
            keys_url: at("/user/keys"),
            label_search_url: any(
                "/search/labels?q={query}&repository_id={repository_id}{&page,per_page}",
            ),
            notifications_url: at("/notifications"),
            organization_repositories_url: listed("/orgs/{org}/repos"),
            organization_teams_url: any("/orgs/{org}/teams"),
            public_gists_url: at("/gists/public"),
            repository_search_url: search("repositories"),
            current_user_repositories_url: listed("/user/repos"),
            starred_url: any("/user/starred{/owner}{/repo}"),
            starred_gists_url: at("/gists/starred"),
            user_organizations_url: at("/user/orgs"),
            user_repositories_url: listed("/users/{user}/repos"),
            user_search_url: search("users"),
        }
    }
}

impl Example for Root {
    fn example() -> Self {
        Self::new(EXAMPLE_ORIGIN, EXAMPLE_ORIGIN, ApiVersion::V2026_03_10)
    }
}
