//! All URLs in responses, built on the host and prefix that the caller used.
//! `contract/paging.rs` builds Link headers in the same way.

use crate::node_id;
use contract::call::Call;
use contract::shared::user::{User, UserCore, UserType};
use storage::entities::account;

/// Builds URLs for one caller.
#[derive(Debug, Clone)]
pub struct Urls {
    /// The root URL of the API, without a trailing slash.
    pub api: String,
    /// The root URL of the web pages.
    pub web: String,
}

impl Urls {
    pub fn of(call: &Call) -> Self {
        Self {
            api: format!("{}{}", call.origin, call.prefix),
            web: web_origin(&call.origin),
        }
    }

    pub fn repository(&self, full_name: &str) -> String {
        format!("{}/repos/{full_name}", self.api)
    }

    /// `refs/heads/main` → `…/git/refs/heads/main`, the plural form that clients
    /// use to change a reference.
    pub fn git_ref(&self, full_name: &str, name: &str) -> String {
        let repository = self.repository(full_name);
        format!("{repository}/git/{}", encode_path(name))
    }

    pub fn git_object(&self, full_name: &str, folder: &str, sha: &str) -> String {
        format!("{}/git/{folder}/{sha}", self.repository(full_name))
    }

    pub fn commit_page(&self, full_name: &str, sha: &str) -> String {
        format!("{}/{full_name}/commit/{sha}", self.web)
    }

    /// The page of a file as of a commit; `folder` is `blob` or `raw`. The slashes of the
    /// path are encoded, as GitHub does in lists of changed files.
    pub fn file_page(&self, full_name: &str, folder: &str, commit: &str, path: &[u8]) -> String {
        let (web, path) = (&self.web, encode_segment(path));
        format!("{web}/{full_name}/{folder}/{commit}/{path}")
    }

    /// The URL of a changed file as of a commit.
    pub fn changed_contents(&self, full_name: &str, commit: &str, path: &[u8]) -> String {
        let (repository, path) = (self.repository(full_name), encode_segment(path));
        format!("{repository}/contents/{path}?ref={commit}")
    }

    /// A resource of a repository by its path in the API: `commits/main`.
    pub fn below(&self, full_name: &str, folder: &str, rest: &str) -> String {
        let repository = self.repository(full_name);
        format!("{repository}/{folder}/{}", encode_path(rest))
    }

    /// The contents at a path as of a commit, by any name of the commit.
    pub fn contents(&self, full_name: &str, path: &str, name: &str) -> String {
        let at = self.below(full_name, "contents", path);
        format!("{at}?ref={}", encode_path(name))
    }

    /// A page of a repository by its path: `tree/main/src`.
    pub fn page(&self, full_name: &str, folder: &str, rest: &str) -> String {
        format!("{}/{full_name}/{folder}/{}", self.web, encode_path(rest))
    }

    pub fn pull(&self, full_name: &str, number: i64) -> String {
        format!("{}/pulls/{number}", self.repository(full_name))
    }

    pub fn pull_page(&self, full_name: &str, number: i64) -> String {
        format!("{}/{full_name}/pull/{number}", self.web)
    }

    pub fn issue(&self, full_name: &str, number: i64) -> String {
        format!("{}/issues/{number}", self.repository(full_name))
    }

    pub fn issue_page(&self, full_name: &str, number: i64) -> String {
        format!("{}/{full_name}/issues/{number}", self.web)
    }

    /// A label by its name, which may contain any character.
    pub fn label(&self, full_name: &str, name: &str) -> String {
        let name = encode_segment(name.as_bytes());
        format!("{}/labels/{name}", self.repository(full_name))
    }

    pub fn issue_comment(&self, full_name: &str, id: i64) -> String {
        format!("{}/issues/comments/{id}", self.repository(full_name))
    }

    pub fn review_comment(&self, full_name: &str, id: i64) -> String {
        format!("{}/pulls/comments/{id}", self.repository(full_name))
    }

    /// The API URL of a project. The kind of `owner` decides between `/orgs` and `/users`.
    pub fn project(&self, owner: &account::Model, number: i64) -> String {
        let folder = match owner.kind {
            account::AccountKind::Organization => "orgs",
            account::AccountKind::User | account::AccountKind::Bot => "users",
        };
        format!("{}/{folder}/{}/projectsV2/{number}", self.api, owner.login)
    }

    /// The web page of a project.
    pub fn project_page(&self, owner: &account::Model, number: i64) -> String {
        let folder = match owner.kind {
            account::AccountKind::Organization => "orgs",
            account::AccountKind::User | account::AccountKind::Bot => "users",
        };
        format!("{}/{folder}/{}/projects/{number}", self.web, owner.login)
    }

    /// An account, as embedded in other resources.
    pub fn user(&self, account: &account::Model) -> User {
        let kind = match account.kind {
            account::AccountKind::User if account.mannequin => UserType::Mannequin,
            account::AccountKind::User => UserType::User,
            account::AccountKind::Organization => UserType::Organization,
            account::AccountKind::Bot => UserType::Bot,
        };
        let core = UserCore {
            id: account.id,
            node_id: node_id::account(account),
            login: &account.login,
            kind,
            site_admin: account.site_admin,
        };
        User::new(&self.api, &self.web, core)
    }
}

/// Percent-encodes a path; keeps slashes.
fn encode_path(path: &str) -> String {
    let segments = path
        .split('/')
        .map(|segment| encode_segment(segment.as_bytes()));
    segments.collect::<Vec<_>>().join("/")
}

/// Percent-encodes everything that has a meaning in a URL, slashes too.
fn encode_segment(path: &[u8]) -> String {
    path.iter()
        .map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b'@' => {
                char::from(*byte).to_string()
            }
            _ => format!("%{byte:02X}"),
        })
        .collect()
}

/// The origin of the web pages and of Git: `gh` finds the API of `github.localhost` at
/// `api.github.localhost`.
fn web_origin(origin: &str) -> String {
    let parts = origin.split_once("://");
    let local = parts.and_then(|(scheme, host)| {
        let port = host.strip_prefix("api.github.localhost")?;
        let matches = port.is_empty() || port.starts_with(':');
        matches.then(|| format!("{scheme}://github.localhost{port}"))
    });
    local.unwrap_or_else(|| origin.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_keeps_its_slashes_and_loses_nothing_else() {
        let urls = Urls {
            api: "http://forge.test/api/v3".into(),
            web: "http://forge.test".into(),
        };
        assert_eq!(
            urls.git_ref("acme/gadgets", "refs/heads/feature/é #1"),
            "http://forge.test/api/v3/repos/acme/gadgets/git/refs/heads/feature/%C3%A9%20%231"
        );
    }

    #[test]
    fn the_pages_of_the_host_that_gh_knows_are_beside_its_api() {
        for (origin, web) in [
            ("http://api.github.localhost", "http://github.localhost"),
            (
                "https://api.github.localhost:81",
                "https://github.localhost:81",
            ),
            (
                "http://api.github.localhost.test",
                "http://api.github.localhost.test",
            ),
            ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
        ] {
            assert_eq!(web_origin(origin), web);
        }
    }
}
