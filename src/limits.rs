//! Rate limits: the hourly budget of requests that each caller has. How much
//! they may create is in `content`.
//!
//! A budget begins with the first request and lasts an hour. Accounts are kept
//! in memory: losing them at a restart is kind to callers, and writing them at
//! each request is not.

/// How much content each account may create.
pub mod content;

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

use crate::contract::caller::Caller;
use crate::contract::lookups::RateBudget;
use crate::contract::values::Timestamp;

/// How long a budget lasts, in seconds.
const WINDOW: i64 = 3600;

/// How many accounts are kept before those whose hour is over are dropped.
const CROWD: usize = 100_000;

/// Whose budget a request draws on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Subject {
    Address(Option<IpAddr>),
    User(i64),
    Installation(i64),
}

impl Subject {
    /// Apps that sign their requests themselves are not limited.
    pub fn of(caller: &Caller, address: Option<IpAddr>) -> Option<Self> {
        match caller {
            Caller::App { .. } => None,
            Caller::Installation { installation, .. } => Some(Self::Installation(*installation)),
            caller => Some(
                caller
                    .user()
                    .map_or(Self::Address(address.map(household)), |user| {
                        Self::User(user.id)
                    }),
            ),
        }
    }
}

/// The smallest network that one subscriber has: of IPv6 that is a /64, in which
/// nobody runs out of addresses.
fn household(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(ip) => IpAddr::V6((ip.to_bits() & !u128::from(u64::MAX)).into()),
        v4 => v4,
    }
}

impl std::fmt::Display for Subject {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Address(Some(address)) => write!(
                f,
                "{address}. (But here's the good news: Authenticated requests get a higher rate \
                 limit. Check out the documentation for more details.)"
            ),
            Self::Address(None) => f.write_str("this address"),
            Self::User(id) => write!(f, "user ID {id}"),
            Self::Installation(id) => write!(f, "installation ID {id}"),
        }
    }
}

/// How many requests an hour each kind of caller may make.
#[derive(Debug, Clone, Copy)]
pub struct Budgets {
    pub anonymous: u64,
    pub user: u64,
    pub installation: u64,
}

impl Default for Budgets {
    fn default() -> Self {
        Self {
            anonymous: 60,
            user: 5000,
            installation: 5000,
        }
    }
}

/// The accounts of all callers; `None` of budgets means that nothing is limited.
#[derive(Debug)]
pub struct Limits {
    budgets: Option<Budgets>,
    accounts: Mutex<HashMap<Subject, Account>>,
}

#[derive(Debug, Clone, Copy)]
struct Account {
    used: u64,
    reset: i64,
}

/// What a request found when it asked to be counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Admission {
    Admitted(RateBudget),
    /// The budget is used up.
    Refused(RateBudget),
}

impl Limits {
    pub fn new(budgets: Option<Budgets>) -> Self {
        Self {
            budgets,
            accounts: Mutex::default(),
        }
    }

    /// Counts a request; `None` when the server runs without limits.
    pub fn admit(&self, subject: Subject, now: Timestamp) -> Option<Admission> {
        let limit = self.limit(subject)?;
        let mut accounts = self.accounts.lock().unwrap_or_else(PoisonError::into_inner);
        if accounts.len() >= CROWD {
            accounts.retain(|_, account| account.reset > now.0);
        }
        let account = accounts.entry(subject).or_insert(Account::fresh(now));
        if account.reset <= now.0 {
            *account = Account::fresh(now);
        }
        if account.used >= limit {
            return Some(Admission::Refused(account.budget(limit)));
        }
        account.used += 1;
        Some(Admission::Admitted(account.budget(limit)))
    }

    /// Gives a request back: one that was answered with 304 does not count.
    pub fn refund(&self, subject: Subject) {
        let mut accounts = self.accounts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(account) = accounts.get_mut(&subject) {
            account.used = account.used.saturating_sub(1);
        }
    }

    /// The standing of a caller, without counting; `None` without limits.
    pub fn standing(&self, subject: Subject, now: Timestamp) -> Option<RateBudget> {
        let limit = self.limit(subject)?;
        let accounts = self.accounts.lock().unwrap_or_else(PoisonError::into_inner);
        let account = accounts
            .get(&subject)
            .filter(|account| account.reset > now.0);
        Some(
            account
                .copied()
                .unwrap_or(Account::fresh(now))
                .budget(limit),
        )
    }

    fn limit(&self, subject: Subject) -> Option<u64> {
        let budgets = self.budgets?;
        Some(match subject {
            Subject::Address(_) => budgets.anonymous,
            Subject::User(_) => budgets.user,
            Subject::Installation(_) => budgets.installation,
        })
    }
}

impl Account {
    fn fresh(now: Timestamp) -> Self {
        Self {
            used: 0,
            reset: now.0 + WINDOW,
        }
    }

    fn budget(self, limit: u64) -> RateBudget {
        RateBudget {
            limit,
            used: self.used,
            remaining: limit.saturating_sub(self.used),
            reset: self.reset,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOON: Timestamp = Timestamp(1_773_144_000);

    fn limits(anonymous: u64) -> Limits {
        Limits::new(Some(Budgets {
            anonymous,
            ..Budgets::default()
        }))
    }

    #[test]
    fn a_budget_runs_out_and_comes_back_after_an_hour() {
        let limits = limits(2);
        let subject = Subject::Address(None);
        assert!(matches!(
            limits.admit(subject, NOON),
            Some(Admission::Admitted(_))
        ));
        assert!(matches!(
            limits.admit(subject, NOON),
            Some(Admission::Admitted(_))
        ));
        let Some(Admission::Refused(budget)) = limits.admit(subject, Timestamp(NOON.0 + 3599))
        else {
            unreachable!("the third request is over the budget")
        };
        assert_eq!(
            budget,
            RateBudget {
                limit: 2,
                used: 2,
                remaining: 0,
                reset: NOON.0 + 3600
            }
        );
        let later = Timestamp(NOON.0 + 3600);
        assert!(matches!(
            limits.admit(subject, later),
            Some(Admission::Admitted(_))
        ));
    }

    #[test]
    fn each_caller_has_a_budget_of_its_own() {
        let limits = limits(1);
        limits.admit(Subject::Address(None), NOON);
        assert!(matches!(
            limits.admit(Subject::User(1), NOON),
            Some(Admission::Admitted(RateBudget {
                used: 1,
                limit: 5000,
                ..
            }))
        ));
    }

    #[test]
    fn a_household_has_one_budget_however_many_addresses_it_has() {
        let subject = |text: &str| Subject::of(&Caller::Anonymous, text.parse().ok());
        assert_eq!(subject("2001:db8:1:2::1"), subject("2001:db8:1:2:3:4:5:6"));
        assert_ne!(subject("2001:db8:1:2::1"), subject("2001:db8:1:3::1"));
        assert_eq!(subject("10.0.0.1"), subject("::ffff:10.0.0.1"));
        assert_ne!(subject("10.0.0.1"), subject("10.0.0.2"));
    }

    #[test]
    fn a_refund_and_a_look_cost_nothing() {
        let limits = limits(5);
        let subject = Subject::Address(None);
        limits.admit(subject, NOON);
        limits.refund(subject);
        assert_eq!(
            limits.standing(subject, NOON).map(|budget| budget.used),
            Some(0)
        );
    }

    #[test]
    fn without_budgets_nothing_is_limited() {
        assert_eq!(Limits::new(None).admit(Subject::User(1), NOON), None);
    }
}
