//! The addresses of a repository and of everything that hangs on it. Most of
//! them are not served: clients expect the names, and some build requests from
//! them. They are shown as fields of the repository itself.

use poem_openapi::Object;
use serde::{Deserialize, Serialize};

use super::super::super::values::{Url, UrlTemplate};

/// Where Git clients find the repository.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
pub struct RepositoryRemotes {
    /// The same as `clone_url`: the protocol of `git://` is not served.
    pub git_url: Url,
    /// The same as `clone_url`: SSH is not served.
    pub ssh_url: String,
    pub clone_url: Url,
    pub svn_url: Url,
}

impl RepositoryRemotes {
    pub(super) fn new(web: &str, full_name: &str) -> Self {
        let http = format!("{web}/{full_name}.git");
        Self {
            git_url: http.clone().into(),
            ssh_url: http.clone(),
            clone_url: http.into(),
            svn_url: format!("{web}/{full_name}").into(),
        }
    }
}

/// Defines the addresses of a repository's parts, each by what follows the
/// address of the repository.
macro_rules! parts {
    ($($name:ident: $type:ident = $path:literal,)*) => {
        /// Where the parts of a repository are.
        #[derive(Debug, Clone, Object, Serialize, Deserialize)]
        pub struct RepositoryParts {
            $(pub $name: $type,)*
        }

        impl RepositoryParts {
            pub(super) fn new(repository: &str) -> Self {
                Self {
                    $($name: [repository, $path].concat().into(),)*
                }
            }
        }
    };
}

parts! {
    forks_url: Url = "/forks",
    keys_url: UrlTemplate = "/keys{/key_id}",
    collaborators_url: UrlTemplate = "/collaborators{/collaborator}",
    teams_url: Url = "/teams",
    hooks_url: Url = "/hooks",
    issue_events_url: UrlTemplate = "/issues/events{/number}",
    events_url: Url = "/events",
    assignees_url: UrlTemplate = "/assignees{/user}",
    branches_url: UrlTemplate = "/branches{/branch}",
    tags_url: Url = "/tags",
    blobs_url: UrlTemplate = "/git/blobs{/sha}",
    git_tags_url: UrlTemplate = "/git/tags{/sha}",
    git_refs_url: UrlTemplate = "/git/refs{/sha}",
    trees_url: UrlTemplate = "/git/trees{/sha}",
    statuses_url: UrlTemplate = "/statuses/{sha}",
    languages_url: Url = "/languages",
    stargazers_url: Url = "/stargazers",
    contributors_url: Url = "/contributors",
    subscribers_url: Url = "/subscribers",
    subscription_url: Url = "/subscription",
    commits_url: UrlTemplate = "/commits{/sha}",
    git_commits_url: UrlTemplate = "/git/commits{/sha}",
    comments_url: UrlTemplate = "/comments{/number}",
    issue_comment_url: UrlTemplate = "/issues/comments{/number}",
    contents_url: UrlTemplate = "/contents/{+path}",
    compare_url: UrlTemplate = "/compare/{base}...{head}",
    merges_url: Url = "/merges",
    archive_url: UrlTemplate = "/{archive_format}{/ref}",
    downloads_url: Url = "/downloads",
    issues_url: UrlTemplate = "/issues{/number}",
    pulls_url: UrlTemplate = "/pulls{/number}",
    milestones_url: UrlTemplate = "/milestones{/number}",
    notifications_url: UrlTemplate = "/notifications{?since,all,participating}",
    labels_url: UrlTemplate = "/labels{/name}",
    releases_url: UrlTemplate = "/releases{/id}",
    deployments_url: Url = "/deployments",
}
