//! Rate limits: the hourly budget of requests that each caller has. How much
//! they may create is in `content`.
//!
//! A budget begins with the first request and lasts an hour. A process that is
//! alone takes all of it at once and counts in memory: losing that at a restart
//! is kind to callers, and writing it at each request is not. Processes on one
//! PostgreSQL take shares of it from a `ledger`.

mod accounts;
/// How much content each account may create.
pub mod content;
mod ledger;
mod subject;

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::contract::lookups::RateBudget;
use crate::contract::values::Timestamp;
use crate::database::Database;
use accounts::{Account, Accounts};
use ledger::{Grant, Ledger};
pub use subject::{Subject, household};

/// How long a budget lasts, in seconds.
const WINDOW: i64 = 3600;

/// Requests that a process takes of a budget at a time.
const LARGEST_SHARE: u64 = 500;

/// How many requests an hour each kind of caller may make.
#[derive(Debug, Clone, Copy)]
pub struct Budgets {
    pub anonymous: u64,
    /// For all who call from this machine without a credential; `None`: no limit.
    pub loopback: Option<u64>,
    pub user: u64,
    pub installation: u64,
    /// For each address: how many credentials that are none.
    pub failed_logins: u64,
}

impl Default for Budgets {
    fn default() -> Self {
        Self {
            anonymous: 60,
            loopback: None,
            user: 5000,
            installation: 5000,
            failed_logins: 1000,
        }
    }
}

/// The accounts of all callers; `None` of budgets means that nothing is limited.
#[derive(Debug)]
pub struct Limits {
    budgets: Option<Budgets>,
    ledger: Option<Ledger>,
    accounts: Mutex<Accounts>,
}

/// What a request found when it asked to be counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Admission {
    Admitted(RateBudget),
    /// The budget is used up.
    Refused(RateBudget),
}

impl Limits {
    /// With a database that other processes may share, budgets are shared too.
    pub fn new(budgets: Option<Budgets>, db: Option<&Database>) -> Self {
        Self {
            budgets,
            ledger: db.and_then(Ledger::of),
            accounts: Mutex::default(),
        }
    }

    /// Counts a request; `None` when the server runs without limits. At most one
    /// query, and none as long as this process has a share of the budget.
    pub async fn admit(&self, subject: Subject, now: Timestamp) -> Option<Admission> {
        let limit = self.limit(subject)?;
        let wanted = match self.draw(subject, limit, now) {
            Ok(admission) => return Some(admission),
            Err(wanted) => wanted,
        };
        let asked = match &self.ledger {
            Some(ledger) => {
                let name = subject.name();
                let (wanted, limit) = (signed(wanted), signed(limit));
                // In a box: rarely needed, and large in every request otherwise.
                Box::pin(ledger.take(&name, wanted, limit, now.0, WINDOW)).await
            }
            None => Ok(Some(Grant {
                used: signed(limit),
                granted: signed(limit),
                resets_at: now.0 + WINDOW,
            })),
        };
        let grant = asked.unwrap_or_else(|error| {
            tracing::warn!("a request is not counted: {error}");
            None
        });
        Some(match grant {
            Some(grant) => self.credit(subject, limit, now, grant),
            None => Admission::Admitted(Account::fresh(now).budget(limit)),
        })
    }

    /// Gives a request back: one that was answered with 304 does not count.
    pub fn refund(&self, subject: Subject, now: Timestamp) {
        if let Some(account) = self.accounts().current(subject, now) {
            account.share = (account.share + 1).min(account.taken);
        }
    }

    /// The standing of a caller, without counting; `None` without limits.
    pub async fn standing(&self, subject: Subject, now: Timestamp) -> Option<RateBudget> {
        let limit = self.limit(subject)?;
        if let Some(ledger) = &self.ledger
            && let Ok(found) = ledger.look(&subject.name(), now.0).await
        {
            let mut accounts = self.accounts();
            match found {
                Some(found) => accounts.open(subject, now).learn(found),
                None => accounts.forget(subject),
            }
        }
        Some(self.recall(subject, limit, now))
    }

    /// The standing of a caller, as far as this process knows.
    pub fn last_standing(&self, subject: Subject, now: Timestamp) -> Option<RateBudget> {
        Some(self.recall(subject, self.limit(subject)?, now))
    }

    /// Gives back the shares that this process has not used, when it ends.
    pub async fn settle(&self, now: Timestamp) {
        let Some(ledger) = &self.ledger else { return };
        let accounts = self.accounts().take_all();
        for (subject, account) in accounts {
            if account.share > 0 && account.reset > now.0 {
                let unused = signed(account.share);
                if let Err(error) = ledger
                    .give_back(&subject.name(), account.reset, unused)
                    .await
                {
                    tracing::warn!("shares of budgets are lost: {error}");
                    return;
                }
            }
        }
        if let Err(error) = ledger.forget(now.0).await {
            tracing::warn!("old budgets are kept: {error}");
        }
    }

    /// Admits from the share of this process, or says how much to ask for.
    fn draw(&self, subject: Subject, limit: u64, now: Timestamp) -> Result<Admission, u64> {
        let mut accounts = self.accounts();
        let Some(account) = accounts.current(subject, now) else {
            return Err(share(limit, 0));
        };
        if account.share > 0 {
            account.share -= 1;
            return Ok(Admission::Admitted(account.budget(limit)));
        }
        if self.ledger.is_none() || account.empty_until > now.0 {
            return Ok(Admission::Refused(account.budget(limit)));
        }
        Err(share(limit, account.taken))
    }

    /// Books a share, and admits a request from it.
    fn credit(&self, subject: Subject, limit: u64, now: Timestamp, grant: Grant) -> Admission {
        let mut accounts = self.accounts();
        let account = accounts.open(subject, now);
        account.learn(grant);
        if account.share == 0 {
            account.empty_until = now.0 + 1;
            return Admission::Refused(account.budget(limit));
        }
        account.share -= 1;
        Admission::Admitted(account.budget(limit))
    }

    fn recall(&self, subject: Subject, limit: u64, now: Timestamp) -> RateBudget {
        let known = self.accounts().current(subject, now).copied();
        known.unwrap_or(Account::fresh(now)).budget(limit)
    }

    fn accounts(&self) -> MutexGuard<'_, Accounts> {
        self.accounts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn limit(&self, subject: Subject) -> Option<u64> {
        let budgets = self.budgets?;
        Some(match subject {
            Subject::Address(_) => budgets.anonymous,
            Subject::Loopback => return budgets.loopback,
            Subject::FailedLogins(_) => budgets.failed_logins,
            Subject::User(_) => budgets.user,
            Subject::Installation(_) => budgets.installation,
        })
    }
}

/// How much of a budget a process takes at a time: a hundredth of what is left,
/// so that little of it lies unused in other processes, and one by one at the end.
fn share(limit: u64, taken: u64) -> u64 {
    (limit.saturating_sub(taken) / 100).clamp(1, LARGEST_SHARE)
}

fn signed(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOON: Timestamp = Timestamp(1_773_144_000);

    fn limits(anonymous: u64) -> Limits {
        Limits::new(
            Some(Budgets {
                anonymous,
                ..Budgets::default()
            }),
            None,
        )
    }

    #[tokio::test]
    async fn a_budget_runs_out_and_comes_back_after_an_hour() {
        let limits = limits(2);
        let subject = Subject::Address(None);
        assert!(matches!(
            limits.admit(subject, NOON).await,
            Some(Admission::Admitted(_))
        ));
        assert!(matches!(
            limits.admit(subject, NOON).await,
            Some(Admission::Admitted(_))
        ));
        let Some(Admission::Refused(budget)) =
            limits.admit(subject, Timestamp(NOON.0 + 3599)).await
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
            limits.admit(subject, later).await,
            Some(Admission::Admitted(_))
        ));
    }

    #[tokio::test]
    async fn each_caller_has_a_budget_of_its_own() {
        let limits = limits(1);
        limits.admit(Subject::Address(None), NOON).await;
        assert!(matches!(
            limits.admit(Subject::User(1), NOON).await,
            Some(Admission::Admitted(RateBudget {
                used: 1,
                limit: 5000,
                ..
            }))
        ));
    }

    #[tokio::test]
    async fn a_refund_and_a_look_cost_nothing() {
        let limits = limits(5);
        let subject = Subject::Address(None);
        limits.admit(subject, NOON).await;
        limits.refund(subject, NOON);
        assert_eq!(
            limits
                .last_standing(subject, NOON)
                .map(|budget| budget.used),
            Some(0)
        );
    }

    #[tokio::test]
    async fn without_budgets_nothing_is_limited() {
        assert_eq!(
            Limits::new(None, None).admit(Subject::User(1), NOON).await,
            None
        );
    }

    #[test]
    fn a_share_is_a_hundredth_and_one_at_the_end() {
        assert_eq!(share(5000, 0), 50);
        assert_eq!(share(5000, 4000), 10);
        assert_eq!(share(5000, 4950), 1);
        assert_eq!(share(60, 0), 1);
        assert_eq!(share(10_000_000, 0), 500);
    }
}
