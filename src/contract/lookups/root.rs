//! The root of the API: the addresses from which the rest can be reached. Those
//! of areas that are not served are there too, because clients with strict
//! models refuse a root without them.

use poem_openapi::Object;
use poem_openapi::types::Example;
use serde::{Deserialize, Serialize};

use super::super::EXAMPLE_ORIGIN;
use super::super::values::{Url, UrlTemplate};
use super::super::version::ApiVersion;

/// Where things are.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
#[oai(example)]
pub struct Root {
    pub current_user_url: Url,
    pub organization_url: UrlTemplate,
    pub repository_url: UrlTemplate,
    pub user_url: UrlTemplate,
    pub user_installations_url: Url,
    pub installation_repositories_url: Url,
    pub rate_limit_url: Url,
    pub versions_url: Url,
    /// The interactive documentation.
    pub documentation_url: Url,
    #[oai(flatten)]
    #[serde(flatten)]
    pub elsewhere: RootElsewhere,
}

/// What the root names and this service does not serve.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
pub struct RootElsewhere {
    pub current_user_authorizations_html_url: UrlTemplate,
    /// Only before version `2026-03-10`.
    #[oai(skip_serializing_if_is_none)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub authorizations_url: Option<Url>,
    pub code_search_url: UrlTemplate,
    pub commit_search_url: UrlTemplate,
    pub emails_url: Url,
    pub emojis_url: Url,
    pub events_url: Url,
    pub feeds_url: Url,
    pub followers_url: Url,
    pub following_url: UrlTemplate,
    pub gists_url: UrlTemplate,
    pub issue_search_url: UrlTemplate,
    pub issues_url: Url,
    pub keys_url: Url,
    pub label_search_url: UrlTemplate,
    pub notifications_url: Url,
    pub organization_repositories_url: UrlTemplate,
    pub organization_teams_url: UrlTemplate,
    pub public_gists_url: Url,
    pub repository_search_url: UrlTemplate,
    pub current_user_repositories_url: UrlTemplate,
    pub starred_url: UrlTemplate,
    pub starred_gists_url: Url,
    pub user_organizations_url: Url,
    pub user_repositories_url: UrlTemplate,
    pub user_search_url: UrlTemplate,
}

impl Root {
    /// `api` is where the caller reaches the API, `web` the host without its prefix.
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
