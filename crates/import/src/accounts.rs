//! The accounts that the imported data names. A world file names neither bots nor deleted
//! users, so that they become users of a similar name.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use serde_json::{Value, json};

use crate::ImportError;
use crate::address::is_login;
use crate::answers::GivenAccount;
use crate::left_out::LeftOut;
use crate::list::Api;
use crate::text::{id, optional, record, time};

/// The user that stands for deleted accounts, as on GitHub.
const GHOST: &str = "ghost";

/// For how many accounts the import asks for the name.
const MAX_NAMES: usize = 2_000;

const MAX_LOGIN: usize = 39;

#[derive(Debug, Default)]
pub struct WorldAccounts {
    /// By the login in the world, in lower case.
    named: BTreeMap<String, NamedAccount>,
    /// The login in the world, by that of the server in lower case.
    logins: HashMap<String, String>,
    ids: HashSet<i64>,
}

#[derive(Debug)]
struct NamedAccount {
    login: String,
    id: Option<i64>,
    kind: WorldAccountKind,
    site_admin: bool,
    /// The login of the server, if the world has it too.
    original: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WorldAccountKind {
    User,
    Mannequin,
    Organization,
}

impl WorldAccounts {
    /// The login in the world of the author of something.
    pub fn user(&mut self, account: Option<&GivenAccount>, left_out: &mut LeftOut) -> String {
        let Some(account) = account else {
            return self.ghost();
        };
        let login = self.account(account, left_out);
        let key = login.to_lowercase();
        match self.named.get(&key).map(|named| named.kind) {
            Some(WorldAccountKind::Organization) => {
                left_out.add(
                    "an organization as an author",
                    "only users are authors; the user ghost stands for it",
                );
                self.ghost()
            }
            _ => login,
        }
    }

    /// The login in the world of an account.
    pub fn account(&mut self, account: &GivenAccount, left_out: &mut LeftOut) -> String {
        let key = account.login.to_lowercase();
        if let Some(login) = self.logins.get(&key) {
            return login.clone();
        }
        let login = match is_login(&account.login) && !self.named.contains_key(&key) {
            true => account.login.clone(),
            false => self.renamed(account, left_out),
        };
        let kind = match account.kind.as_str() {
            "Organization" => WorldAccountKind::Organization,
            "Mannequin" => WorldAccountKind::Mannequin,
            _ => WorldAccountKind::User,
        };
        let named = NamedAccount {
            login: login.clone(),
            id: id(account.id).filter(|id| self.ids.insert(*id)),
            kind,
            site_admin: account.site_admin,
            original: login == account.login,
        };
        self.named.insert(login.to_lowercase(), named);
        self.logins.insert(key, login.clone());
        login
    }

    /// Whether this is an organization that the import has met.
    pub fn is_organization(&self, login: &str) -> bool {
        let named = self.named.get(&login.to_lowercase());
        named.is_some_and(|named| named.kind == WorldAccountKind::Organization)
    }

    /// Whether a user has this id.
    pub fn is_user_id(&self, id: i64) -> bool {
        let is_user = |named: &&NamedAccount| named.kind != WorldAccountKind::Organization;
        self.named
            .values()
            .filter(is_user)
            .any(|named| named.id == Some(id))
    }

    /// The organizations that are not among these.
    pub fn other_organizations(&self, known: &BTreeSet<String>) -> Vec<Value> {
        let organizations = self.named.iter().filter(|(key, named)| {
            named.kind == WorldAccountKind::Organization && !known.contains(*key)
        });
        let items =
            organizations.map(|(_, named)| record(json!({"id": named.id, "login": named.login})));
        items.collect()
    }

    fn ghost(&mut self) -> String {
        self.named
            .entry(GHOST.to_owned())
            .or_insert_with(|| NamedAccount {
                login: GHOST.to_owned(),
                id: None,
                kind: WorldAccountKind::User,
                site_admin: false,
                original: false,
            });
        GHOST.to_owned()
    }

    /// A login that a world can have, made of one that it cannot: `dependabot[bot]` becomes
    /// `dependabot-bot`.
    fn renamed(&self, account: &GivenAccount, left_out: &mut LeftOut) -> String {
        let parts = account.login.split(|c: char| !c.is_ascii_alphanumeric());
        let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
        let mut login: String = parts.join("-").chars().take(MAX_LOGIN).collect();
        login.truncate(login.trim_end_matches('-').len());
        let taken =
            |login: &str| login.is_empty() || self.named.contains_key(&login.to_lowercase());
        if taken(&login) {
            login = format!("user-{}", account.id.unsigned_abs());
        }
        let mut number = 2;
        while taken(&login) {
            login = format!("user-{}-{number}", account.id.unsigned_abs());
            number += 1;
        }
        let shown: String = account
            .login
            .chars()
            .filter(|c| !c.is_control())
            .take(60)
            .collect();
        left_out.add(
            format!("the login {shown}"),
            format!("a world file has no such logins; the user {login} stands for it"),
        );
        login
    }

    /// The users, with the names that the server tells.
    pub async fn users(
        &self,
        api: &Api,
        left_out: &mut LeftOut,
    ) -> Result<Vec<Value>, ImportError> {
        let mut users = Vec::new();
        let is_user = |named: &&NamedAccount| named.kind != WorldAccountKind::Organization;
        for (index, named) in self.named.values().filter(is_user).enumerate() {
            let mut details = None;
            if named.original && index < MAX_NAMES {
                let answer = api.one::<GivenAccount>(&["users", &named.login]).await?;
                details = answer
                    .map_err(|refusal| left_out.refused("names of users", &refusal))
                    .ok();
            } else if named.original {
                left_out.add("names of users", format!("the import asks for {MAX_NAMES}"));
            }
            users.push(user(named, details));
        }
        Ok(users)
    }
}

fn user(named: &NamedAccount, details: Option<GivenAccount>) -> Value {
    let details = details.filter(|details| details.login.eq_ignore_ascii_case(&named.login));
    let created_at = details
        .as_ref()
        .and_then(|details| time(&details.created_at));
    let name = details.and_then(|details| optional(&details.name));
    let name: Option<String> = name.map(|name| name.chars().take(255).collect());
    let name = name.filter(|name| !name.trim().is_empty());
    record(json!({
        "id": named.id,
        "login": named.login,
        "name": name,
        "site_admin": named.site_admin.then_some(true),
        "mannequin": (named.kind == WorldAccountKind::Mannequin).then_some(true),
        "created_at": created_at,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn account(id: i64, login: &str, kind: &str) -> GivenAccount {
        serde_json::from_value(json!({"id": id, "login": login, "type": kind})).unwrap()
    }

    #[test]
    fn an_account_without_a_login_of_a_world_gets_one() {
        let (mut accounts, mut left_out) = (WorldAccounts::default(), LeftOut::default());
        let mut login = |account: &GivenAccount| accounts.user(Some(account), &mut left_out);
        assert_eq!(
            login(&account(1, "dependabot[bot]", "Bot")),
            "dependabot-bot"
        );
        assert_eq!(login(&account(2, "dependabot-bot", "User")), "user-2");
        assert_eq!(login(&account(3, "mona_corp", "User")), "mona-corp");
        assert_eq!(login(&account(4, "../../x", "User")), "x");
        assert_eq!(login(&account(5, "[]", "User")), "user-5");
        assert_eq!(
            login(&account(1, "Dependabot[bot]", "Bot")),
            "dependabot-bot"
        );
        assert_eq!(login(&account(9, "acme", "Organization")), "ghost");
        assert_eq!(accounts.user(None, &mut left_out), "ghost");
        assert_eq!(left_out.lines().count(), 6);
    }

    #[test]
    fn an_id_belongs_to_one_account() {
        let (mut accounts, mut left_out) = (WorldAccounts::default(), LeftOut::default());
        accounts.account(&account(1, "a", "User"), &mut left_out);
        accounts.account(&account(1, "b", "User"), &mut left_out);
        let ids: Vec<_> = accounts.named.values().map(|named| named.id).collect();
        assert_eq!(ids, [Some(1), None]);
    }
}
