//! The addresses of a repository and of everything that hangs on it. Most of
//! them are not served: clients expect the names, and some build requests from
//! them. They are shown as fields of the repository itself.

use poem_openapi::Object;
use serde::{Deserialize, Serialize};

use super::super::super::values::{Url, UrlTemplate};

/// Where Git clients find the repository.
#[derive(Debug, Clone, Object, Serialize, Deserialize)]
pub struct RepositoryRemotes {
    pub git_url: Url,
    /// An address of SSH, `git@host:owner/name.git`: not a URL.
    pub ssh_url: String,
    pub clone_url: Url,
    pub svn_url: Url,
}

impl RepositoryRemotes {
    pub(super) fn new(web: &str, full_name: &str) -> Self {
        let host = host_name(web);
        Self {
            git_url: format!("git://{host}/{full_name}.git").into(),
            ssh_url: format!("git@{host}:{full_name}.git"),
            clone_url: format!("{web}/{full_name}.git").into(),
            svn_url: format!("{web}/{full_name}").into(),
        }
    }
}

/// The host of an origin without its port, which belongs to HTTP and to no
/// other way of reaching a repository.
fn host_name(origin: &str) -> &str {
    let host = origin.split_once("://").map_or(origin, |(_, host)| host);
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_port_is_cut_from_a_host() {
        for (origin, host) in [
            ("http://127.0.0.1:8080", "127.0.0.1"),
            ("https://forge.test", "forge.test"),
            ("http://[::1]:8080", "[::1]"),
            ("http://[::1]", "[::1]"),
        ] {
            assert_eq!(host_name(origin), host);
        }
    }
}
