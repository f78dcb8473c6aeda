//! Resolves the email addresses of commits to accounts. Accounts have only the addresses that the
//! service gives them (`git::ident`).

use std::collections::HashMap;
use std::sync::Arc;

use migration::aggregates::Kind;
use sea_orm::sea_query::Condition;
use sea_orm::{ColumnTrait, DbErr, EntityTrait, QueryFilter};

use crate::urls::Urls;
use contract::shared::user::User;
use git::ident::{Addressee, name_and_email};
use storage::database::{Connection, Database, Transaction};
use storage::entities::account;

/// Accounts per query.
const AT_ONCE: usize = 500;

/// The account that an address names.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum AccountAddress {
    Id(i64),
    /// In lower case.
    Login(String),
}

impl AccountAddress {
    /// Parses the address of an author or committer line.
    fn by(line: &[u8]) -> Option<Self> {
        let (_, address) = name_and_email(line);
        let Addressee { id, login } = Addressee::of(std::str::from_utf8(address).ok()?)?;
        Some(id.map_or_else(|| Self::Login(login.to_lowercase()), Self::Id))
    }
}

/// Whether a line of a commit has this login or e-mail address.
pub fn is_by(line: &[u8], login_or_email: &str) -> bool {
    let (_, address) = name_and_email(line);
    let address = String::from_utf8_lossy(address);
    let login = Addressee::of(&address).map(|addressee| addressee.login);
    let matches = |name: &str| name.eq_ignore_ascii_case(login_or_email);
    matches(&address) || login.is_some_and(matches)
}

/// The accounts behind some addresses.
#[derive(Debug, Default)]
pub struct People {
    accounts: HashMap<AccountAddress, account::Model>,
    /// Whether an address names an account that does not exist yet.
    pub unknown: bool,
}

impl People {
    /// Finds the accounts behind the addresses of author and committer lines. One query
    /// per 500 of them.
    pub async fn of(db: &Database, lines: impl Iterator<Item = &[u8]>) -> Result<Self, DbErr> {
        let addresses = &addresses_of(lines);
        if addresses.is_empty() {
            return Ok(Self::default());
        }
        let find = |reads: Arc<Connection>| async move { find(&reads, addresses).await.map(Some) };
        let aggregates = |rows: &Vec<account::Model>| {
            let rows = rows.iter();
            rows.map(|row| Kind::Account.of(row.id)).collect()
        };
        let rows = db.resolve(find, aggregates).await?.unwrap_or_default();
        Ok(Self::new(addresses, rows))
    }

    /// Same as [`Self::of`] for a request that writes, which caches nothing.
    pub async fn within(
        transaction: &Transaction,
        lines: impl Iterator<Item = &[u8]>,
    ) -> Result<Self, DbErr> {
        let addresses = addresses_of(lines);
        let rows = find(transaction, &addresses).await?;
        Ok(Self::new(&addresses, rows))
    }

    fn new(addresses: &[AccountAddress], rows: Vec<account::Model>) -> Self {
        let by_address = rows.into_iter().flat_map(|row| {
            let login = AccountAddress::Login(row.login_key.clone());
            [(AccountAddress::Id(row.id), row.clone()), (login, row)]
        });
        let accounts: HashMap<AccountAddress, account::Model> = by_address.collect();
        Self {
            unknown: addresses
                .iter()
                .any(|address| !accounts.contains_key(address)),
            accounts,
        }
    }

    /// The account behind a line.
    pub fn account(&self, line: &[u8]) -> Option<&account::Model> {
        self.accounts.get(&AccountAddress::by(line)?)
    }

    /// The account behind a line, as it is shown.
    pub fn user(&self, urls: &Urls, line: &[u8]) -> Option<User> {
        self.account(line).map(|account| urls.user(account))
    }
}

/// The accounts that lines name, without duplicates.
fn addresses_of<'a>(lines: impl Iterator<Item = &'a [u8]>) -> Vec<AccountAddress> {
    let mut addresses: Vec<AccountAddress> = lines.filter_map(AccountAddress::by).collect();
    addresses.sort_unstable();
    addresses.dedup();
    addresses
}

async fn find(
    connection: &Connection,
    addresses: &[AccountAddress],
) -> Result<Vec<account::Model>, DbErr> {
    let mut rows = Vec::new();
    for chunk in addresses.chunks(AT_ONCE) {
        let ids = chunk.iter().filter_map(|address| match address {
            AccountAddress::Id(id) => Some(*id),
            AccountAddress::Login(_) => None,
        });
        let logins = chunk.iter().filter_map(|address| match address {
            AccountAddress::Login(login) => Some(login.as_str()),
            AccountAddress::Id(_) => None,
        });
        let any = Condition::any()
            .add(account::Column::Id.is_in(ids))
            .add(account::Column::LoginKey.is_in(logins));
        let query = account::Entity::find()
            .filter(any)
            .filter(account::Column::Kind.ne(account::AccountKind::Organization));
        rows.extend(query.all(connection).await?);
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_by_its_address_or_the_login_in_it() {
        let line = b"Bob <7+bob@users.noreply.invalid> 1 +0000";
        assert!(is_by(line, "BOB"));
        assert!(is_by(line, "7+bob@users.noreply.invalid"));
        assert!(!is_by(line, "alice"));
        assert!(!is_by(b"Bob <bob@example.org> 1 +0000", "bob"));
    }
}
