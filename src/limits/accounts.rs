//! What this process knows of each budget. Anybody can come from a new address, so
//! there is a bound to how many addresses are remembered: beyond it all of them
//! begin anew. Users and installations are as many as the database has.

use std::collections::HashMap;

use super::ledger::Grant;
use super::{Subject, WINDOW};
use crate::contract::lookups::RateBudget;
use crate::contract::values::Timestamp;

/// How many accounts are kept before those are dropped whose hour is over, and
/// those of addresses.
const CROWD: usize = 100_000;

#[derive(Debug)]
pub struct Accounts {
    kept: HashMap<Subject, Account>,
    /// How many there may be before they are looked through; then twice as many as
    /// were left, so that looking through them stays cheap.
    room: usize,
}

impl Default for Accounts {
    fn default() -> Self {
        Self {
            kept: HashMap::new(),
            room: CROWD,
        }
    }
}

impl Accounts {
    /// An account whose hour is not over.
    pub fn current(&mut self, subject: Subject, now: Timestamp) -> Option<&mut Account> {
        self.kept
            .get_mut(&subject)
            .filter(|account| account.reset > now.0)
    }

    /// The same, or one that begins now.
    pub fn open(&mut self, subject: Subject, now: Timestamp) -> &mut Account {
        if self.kept.len() >= self.room && !self.kept.contains_key(&subject) {
            self.make_room(now);
        }
        let account = self.kept.entry(subject).or_insert(Account::fresh(now));
        if account.reset <= now.0 {
            *account = Account::fresh(now);
        }
        account
    }

    pub fn forget(&mut self, subject: Subject) {
        self.kept.remove(&subject);
    }

    pub fn take_all(&mut self) -> Vec<(Subject, Account)> {
        self.kept.drain().collect()
    }

    fn make_room(&mut self, now: Timestamp) {
        self.kept
            .retain(|subject, account| account.reset > now.0 && subject.is_known());
        self.room = CROWD.max(2 * self.kept.len());
    }
}

/// What this process knows of a budget.
#[derive(Debug, Clone, Copy)]
pub struct Account {
    /// What was taken of it, by this process and others.
    pub taken: u64,
    /// How much of that this process has not used yet.
    pub share: u64,
    pub reset: i64,
    /// Until then nobody is asked again whether something is left.
    pub empty_until: i64,
}

impl Account {
    pub fn fresh(now: Timestamp) -> Self {
        Self {
            taken: 0,
            share: 0,
            reset: now.0 + WINDOW,
            empty_until: 0,
        }
    }

    /// Answers may come in another order than they were given.
    pub fn learn(&mut self, grant: Grant) {
        if self.reset != grant.resets_at {
            (self.taken, self.share, self.reset) = (0, 0, grant.resets_at);
        }
        self.taken = self.taken.max(grant.used.unsigned_abs());
        self.share += grant.granted.unsigned_abs();
    }

    pub fn budget(self, limit: u64) -> RateBudget {
        let used = self.taken.saturating_sub(self.share);
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
        accounts.open(Subject::User(1), NOON).taken = 7;
        for number in 0..3 * CROWD {
            accounts.open(address(number), NOON);
            assert!(accounts.kept.len() <= CROWD);
        }
        let user = accounts.current(Subject::User(1), NOON);
        assert_eq!(user.map(|account| account.taken), Some(7));
    }

    #[test]
    fn more_users_than_a_crowd_keep_their_accounts_for_an_hour() {
        let mut accounts = Accounts::default();
        for id in 0..2 * CROWD as i64 {
            accounts.open(Subject::User(id), NOON);
        }
        assert_eq!(accounts.kept.len(), 2 * CROWD);
        let later = Timestamp(NOON.0 + WINDOW);
        for number in 0..=accounts.room {
            accounts.open(address(number), later);
        }
        assert!(accounts.kept.len() <= CROWD);
    }
}
