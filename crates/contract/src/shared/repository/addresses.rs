//! The URLs of a repository and its resources. Most of them are not served: clients expect the
//! properties, and some build requests from them. They are flattened into the repository.

use contract_macros::schema;
use poem_openapi::Object;
use serde::{Deserialize, Serialize};

use super::super::super::values::{Url, UrlTemplate};

/// The URLs for Git clients.
#[schema]
pub struct RepositoryRemotes {
    /// The same as `clone_url`: the server does not support the `git://` protocol.
    pub git_url: Url,
    /// The same as `clone_url`: the server does not support SSH.
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

/// Defines the URLs of a repository's resources, each by its path below the repository.
macro_rules! parts {
    ($($(#[$($attribute:tt)*])* $name:ident: $type:ident = $path:literal,)*) => {
        /// The URLs of a repository's resources.
        #[derive(Debug, Clone, Object, Serialize, Deserialize)]
        pub struct RepositoryParts {
            $($(#[$($attribute)*])* pub $name: $type,)*
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
    /// The API URL of the repository's forks.
    forks_url: Url = "/forks",
    /// The API URL template of a deploy key.
    keys_url: UrlTemplate = "/keys{/key_id}",
    /// The API URL template of a collaborator.
    collaborators_url: UrlTemplate = "/collaborators{/collaborator}",
    /// The API URL of the teams with access to the repository.
    teams_url: Url = "/teams",
    /// The API URL of the repository's webhooks.
    hooks_url: Url = "/hooks",
    /// The API URL template of an issue event.
    issue_events_url: UrlTemplate = "/issues/events{/number}",
    /// The API URL of the repository's events.
    events_url: Url = "/events",
    /// The API URL template of an assignee.
    assignees_url: UrlTemplate = "/assignees{/user}",
    /// The API URL template of a branch.
    branches_url: UrlTemplate = "/branches{/branch}",
    /// The API URL of the repository's tags.
    tags_url: Url = "/tags",
    /// The API URL template of a Git blob.
    blobs_url: UrlTemplate = "/git/blobs{/sha}",
    /// The API URL template of an annotated Git tag.
    git_tags_url: UrlTemplate = "/git/tags{/sha}",
    /// The API URL template of a Git reference.
    git_refs_url: UrlTemplate = "/git/refs{/sha}",
    /// The API URL template of a Git tree.
    trees_url: UrlTemplate = "/git/trees{/sha}",
    /// The API URL template of the statuses of a commit.
    statuses_url: UrlTemplate = "/statuses/{sha}",
    /// The API URL of the repository's languages.
    languages_url: Url = "/languages",
    /// The API URL of the users who have starred the repository.
    stargazers_url: Url = "/stargazers",
    /// The API URL of the repository's contributors.
    contributors_url: Url = "/contributors",
    /// The API URL of the users who watch the repository.
    subscribers_url: Url = "/subscribers",
    /// The API URL of the caller's subscription to the repository.
    subscription_url: Url = "/subscription",
    /// The API URL template of a commit.
    commits_url: UrlTemplate = "/commits{/sha}",
    /// The API URL template of a Git commit.
    git_commits_url: UrlTemplate = "/git/commits{/sha}",
    /// The API URL template of a commit comment.
    comments_url: UrlTemplate = "/comments{/number}",
    /// The API URL template of a comment on an issue.
    issue_comment_url: UrlTemplate = "/issues/comments{/number}",
    /// The API URL template of the content at a path.
    contents_url: UrlTemplate = "/contents/{+path}",
    compare_url: UrlTemplate = "/compare/{base}...{head}",
    merges_url: Url = "/merges",
    archive_url: UrlTemplate = "/{archive_format}{/ref}",
    /// The API URL of the repository's downloads.
    downloads_url: Url = "/downloads",
    /// The API URL template of an issue.
    issues_url: UrlTemplate = "/issues{/number}",
    /// The API URL template of a pull request.
    pulls_url: UrlTemplate = "/pulls{/number}",
    /// The API URL template of a milestone.
    milestones_url: UrlTemplate = "/milestones{/number}",
    /// The API URL template of the caller's notifications for the repository.
    notifications_url: UrlTemplate = "/notifications{?since,all,participating}",
    /// The API URL template of a label.
    labels_url: UrlTemplate = "/labels{/name}",
    /// The API URL template of a release.
    releases_url: UrlTemplate = "/releases{/id}",
    /// The API URL of the repository's deployments.
    deployments_url: Url = "/deployments",
}
