//! Every address that an answer names, built on the host and prefix that the
//! caller used. Link headers are in `contract/paging.rs`, on the same ground.

use crate::contract::call::Call;
use crate::contract::shared::user::{User, UserCore, UserType};
use crate::entities::account;
use crate::node_id;

/// Builds addresses for one caller.
#[derive(Debug, Clone)]
pub struct Urls {
    /// The root of the API as the caller reaches it, without a slash at its end.
    pub api: String,
    /// The host without the API's prefix, for addresses meant for people.
    pub web: String,
}

impl Urls {
    pub fn of(call: &Call) -> Self {
        Self {
            api: format!("{}{}", call.origin, call.prefix),
            web: call.origin.to_string(),
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

    pub fn pull(&self, full_name: &str, number: i64) -> String {
        format!("{}/pulls/{number}", self.repository(full_name))
    }

    pub fn pull_page(&self, full_name: &str, number: i64) -> String {
        format!("{}/{full_name}/pull/{number}", self.web)
    }

    pub fn review_comment(&self, full_name: &str, id: i64) -> String {
        format!("{}/pulls/comments/{id}", self.repository(full_name))
    }

    /// The project itself. `owner` decides whether it is under `/orgs` or `/users`.
    pub fn project(&self, owner: &account::Model, number: i64) -> String {
        let folder = match owner.kind {
            account::Kind::Organization => "orgs",
            account::Kind::User | account::Kind::Bot => "users",
        };
        format!("{}/{folder}/{}/projectsV2/{number}", self.api, owner.login)
    }

    /// The project for people.
    pub fn project_page(&self, owner: &account::Model, number: i64) -> String {
        let folder = match owner.kind {
            account::Kind::Organization => "orgs",
            account::Kind::User | account::Kind::Bot => "users",
        };
        format!("{}/{folder}/{}/projects/{number}", self.web, owner.login)
    }

    /// An account as other resources show it.
    pub fn user(&self, account: &account::Model) -> User {
        let kind = match account.kind {
            account::Kind::User if account.mannequin => UserType::Mannequin,
            account::Kind::User => UserType::User,
            account::Kind::Organization => UserType::Organization,
            account::Kind::Bot => UserType::Bot,
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

/// Encodes what may not stand in a path as it is; slashes stay.
fn encode_path(path: &str) -> String {
    path.bytes()
        .map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' | b'@' => {
                char::from(byte).to_string()
            }
            _ => format!("%{byte:02X}"),
        })
        .collect()
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
}
