//! The budgets that this process knows. Anonymous callers can use arbitrarily many
//! addresses, so their number is bounded: beyond it, the budgets of all addresses are
//! reset. Users and installations are bounded by the database.

use std::collections::HashMap;

use super::ledger::LedgerShare;
use super::{LONGEST_WINDOW, Subject, WINDOW};
use contract::lookups::RateBudget;
use contract::values::Timestamp;

/// Above this number, expired accounts and accounts of addresses are dropped.
const MAX_ACCOUNTS: usize = 100_000;

#[derive(Debug)]
pub struct Accounts {
    accounts: HashMap<Subject, Account>,
    /// The number of accounts that triggers the next cleanup: twice what the last one left,
    /// so that cleanup stays amortized.
    cleanup_threshold: usize,
}

impl Default for Accounts {
    fn default() -> Self {
        Self {
            accounts: HashMap::new(),
            cleanup_threshold: MAX_ACCOUNTS,
        }
    }
}

impl Accounts {
    /// An account whose hour has not ended.
    pub fn current(&mut self, subject: Subject, now: Timestamp) -> Option<&mut Account> {
        self.accounts
            .get_mut(&subject)
            .filter(|account| account.is_current(now))
    }

    /// The current account, or a new one.
    pub fn open(&mut self, subject: Subject, now: Timestamp) -> &mut Account {
        if self.accounts.len() >= self.cleanup_threshold && !self.accounts.contains_key(&subject) {
            self.make_room(now);
        }
        let account = self.accounts.entry(subject).or_insert(Account::fresh(now));
        if !account.is_current(now) {
            *account = Account::fresh(now);
        }
        account
    }

    pub fn remove(&mut self, subject: Subject) {
        self.accounts.remove(&subject);
    }

    pub fn take_all(&mut self) -> Vec<(Subject, Account)> {
        self.accounts.drain().collect()
    }

    fn make_room(&mut self, now: Timestamp) {
        self.accounts
            .retain(|subject, account| account.is_current(now) && subject.is_known());
        self.cleanup_threshold = MAX_ACCOUNTS.max(2 * self.accounts.len());
    }
}

/// The state of a budget.
#[derive(Debug, Clone, Copy)]
pub struct Account {
    /// Requests drawn by this process and others.
    pub drawn: u64,
    /// The part of it that this process has not used yet.
    pub share: u64,
    pub reset: i64,
    /// The ledger is not queried again until then.
    pub empty_until: i64,
}

impl Account {
    pub fn fresh(now: Timestamp) -> Self {
        Self {
            drawn: 0,
            share: 0,
            reset: now.0 + WINDOW,
            empty_until: 0,
        }
    }

    /// Whether its hour has not ended. An account that ends too far ahead was created before
    /// the clock was turned back.
    fn is_current(&self, now: Timestamp) -> bool {
        (now.0 + 1..=now.0 + LONGEST_WINDOW).contains(&self.reset)
    }

    /// Ledger responses may arrive out of order.
    pub fn apply(&mut self, grant: LedgerShare) {
        if self.reset != grant.resets_at {
            (self.drawn, self.share, self.reset) = (0, 0, grant.resets_at);
        }
        self.drawn = self.drawn.max(grant.used.unsigned_abs());
        self.share += grant.granted.unsigned_abs();
    }

    pub fn budget(self, limit: u64) -> RateBudget {
        let used = self.drawn.saturating_sub(self.share);
        RateBudget {
            limit,
            used,
            remaining: limit.saturating_sub(used),
            reset: self.reset,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOON: Timestamp = Timestamp(1_773_144_000);

    fn address(number: usize) -> Subject {
        let bits = u32::try_from(number).unwrap();
        Subject::Address(Some(std::net::Ipv4Addr::from_bits(bits).into()))
    }

    #[test]
    fn a_crowd_of_addresses_takes_no_more_memory_and_costs_no_user_its_account() {
        let mut accounts = Accounts::default();
        accounts.open(Subject::User(1), NOON).drawn = 7;
        for number in 0..3 * MAX_ACCOUNTS {
            accounts.open(address(number), NOON);
            assert!(accounts.accounts.len() <= MAX_ACCOUNTS);
        }
        let user = accounts.current(Subject::User(1), NOON);
        assert_eq!(user.map(|account| account.drawn), Some(7));
    }

    #[test]
    fn a_clock_that_is_turned_back_begins_a_new_hour() {
        let mut accounts = Accounts::default();
        accounts.open(Subject::User(1), NOON).drawn = 7;
        let before = |seconds| Timestamp(NOON.0 - seconds);
        assert!(accounts.current(Subject::User(1), before(30)).is_some());
        assert!(accounts.current(Subject::User(1), before(3600)).is_none());
        let account = *accounts.open(Subject::User(1), before(3600));
        assert_eq!((account.drawn, account.reset), (0, NOON.0));
    }

    #[test]
    fn more_users_than_a_crowd_keep_their_accounts_for_an_hour() {
        let mut accounts = Accounts::default();
        for id in 0..2 * MAX_ACCOUNTS as i64 {
            accounts.open(Subject::User(id), NOON);
        }
        assert_eq!(accounts.accounts.len(), 2 * MAX_ACCOUNTS);
        let later = Timestamp(NOON.0 + WINDOW);
        for number in 0..=accounts.cleanup_threshold {
            accounts.open(address(number), later);
        }
        assert!(accounts.accounts.len() <= MAX_ACCOUNTS);
    }
}
