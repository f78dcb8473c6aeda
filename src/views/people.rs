//! Who is behind the e-mail addresses of commits. Accounts have no addresses but those
//! that the service gives them: `login@users.noreply…` and `id+login@users.noreply…`.

use std::collections::HashMap;

use migration::aggregates::Kind;
use sea_orm::sea_query::Condition;
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter};

use crate::contract::shared::user::User;
use crate::database::{Database, Reads};
use crate::entities::account;
use crate::git::ident;
use crate::urls::Urls;

/// The domain of the addresses of accounts; it cannot exist (RFC 2606).
const DOMAIN: &str = "users.noreply.invalid";

/// How the domain of such an address begins, on any host.
const DOMAINS: &str = "users.noreply.";

/// Accounts that are looked for together.
const AT_ONCE: usize = 500;

/// The address that the service gives to an account.
pub fn address_of(account: &account::Model) -> String {
    format!("{}+{}@{DOMAIN}", account.id, account.login)
}

/// What an address says of its account.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Named {
    Id(i64),
    /// In lower case.
    Login(String),
}

impl Named {
    fn by(address: &str) -> Option<Self> {
        let (name, domain) = address.rsplit_once('@')?;
        if !domain.to_lowercase().starts_with(DOMAINS) || name.is_empty() {
            return None;
        }
        let id = name.split_once('+').and_then(|(id, _)| id.parse().ok());
        Some(id.map_or_else(|| Self::Login(name.to_lowercase()), Self::Id))
    }
}

/// Whether a line of a commit has this login or e-mail address.
pub fn is_by(line: &[u8], wanted: &str) -> bool {
    let (_, address) = ident::name_and_email(line);
    let address = String::from_utf8_lossy(address);
    if address.eq_ignore_ascii_case(wanted) {
        return true;
    }
    let login = address.rsplit_once('@').map(|(name, _)| name);
    let login = login.filter(|_| Named::by(&address).is_some());
    let login = login.map(|name| name.split_once('+').map_or(name, |(_, login)| login));
    login.is_some_and(|login| login.eq_ignore_ascii_case(wanted))
}

/// The accounts behind some addresses.
#[derive(Debug, Default)]
pub struct People {
    accounts: HashMap<Named, account::Model>,
    /// Whether an address names an account that does not exist, and may come to.
    pub unknown: bool,
}

impl People {
    /// Finds the accounts behind the addresses of author and committer lines. One query
    /// per 500 of them.
    pub async fn of(db: &Database, lines: impl Iterator<Item = &[u8]>) -> Result<Self, DbErr> {
        let mut named: Vec<Named> = lines.filter_map(named_by).collect();
        named.sort_unstable();
        named.dedup();
        if named.is_empty() {
            return Ok(Self::default());
        }
        let named = &named;
        let find = |reads: Reads| async move { find(&reads, named).await.map(Some) };
        let belongs = |rows: &Vec<account::Model>| {
            let rows = rows.iter();
            rows.map(|row| Kind::Account.of(row.id)).collect()
        };
        let rows = db.resolve(find, belongs).await?.unwrap_or_default();
        let rows = rows.into_iter();
        let known = rows.flat_map(|row| {
            let login = Named::Login(row.login_key.clone());
            [(Named::Id(row.id), row.clone()), (login, row)]
        });
        let accounts: HashMap<Named, account::Model> = known.collect();
        Ok(Self {
            unknown: named.iter().any(|named| !accounts.contains_key(named)),
            accounts,
        })
    }

    /// The account behind a line.
    pub fn user(&self, urls: &Urls, line: &[u8]) -> Option<User> {
        let account = self.accounts.get(&named_by(line)?)?;
        Some(urls.user(account))
    }
}

fn named_by(line: &[u8]) -> Option<Named> {
    let (_, address) = ident::name_and_email(line);
    Named::by(std::str::from_utf8(address).ok()?)
}

async fn find(
    connection: &impl ConnectionTrait,
    named: &[Named],
) -> Result<Vec<account::Model>, DbErr> {
    let mut rows = Vec::new();
    for some in named.chunks(AT_ONCE) {
        let ids = some.iter().filter_map(|named| match named {
            Named::Id(id) => Some(*id),
            Named::Login(_) => None,
        });
        let logins = some.iter().filter_map(|named| match named {
            Named::Login(login) => Some(login.as_str()),
            Named::Id(_) => None,
        });
        let any = Condition::any()
            .add(account::Column::Id.is_in(ids))
            .add(account::Column::LoginKey.is_in(logins));
        let query = account::Entity::find()
            .filter(any)
            .filter(account::Column::Kind.ne(account::Kind::Organization));
        rows.extend(query.all(connection).await?);
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_of_the_service_name_accounts() {
        let login = |name: &str| Some(Named::Login(name.to_owned()));
        assert_eq!(Named::by("Bob@users.noreply.invalid"), login("bob"));
        assert_eq!(
            Named::by("7+bob@users.noreply.github.com"),
            Some(Named::Id(7))
        );
        assert_eq!(Named::by("x+y@users.noreply.invalid"), login("x+y"));
        for other in ["bob@example.org", "@users.noreply.invalid", "bob", ""] {
            assert_eq!(Named::by(other), None, "{other}");
        }
    }

    #[test]
    fn a_line_is_by_its_address_or_the_login_in_it() {
        let line = b"Bob <7+bob@users.noreply.invalid> 1 +0000";
        assert!(is_by(line, "BOB"));
        assert!(is_by(line, "7+bob@users.noreply.invalid"));
        assert!(!is_by(line, "alice"));
        assert!(!is_by(b"Bob <bob@example.org> 1 +0000", "bob"));
    }
}
