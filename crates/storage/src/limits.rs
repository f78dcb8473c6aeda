//! Rate limits: the hourly request budget of each caller. Limits on created content are in
//! `content`.
//!
//! A budget begins with the first request and lasts an hour. A single process counts in
//! memory: a restart resets the counters, which is acceptable, and a write for every
//! request is not. Processes that share a PostgreSQL database draw shares from a `ledger`.

mod accounts;
/// How much content each account may create.
pub mod content;
mod ledger;
mod subject;
mod written;

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::database::Database;
use accounts::{Account, Accounts};
use contract::lookups::RateBudget;
use contract::values::Timestamp;
use ledger::{Ledger, LedgerShare};
pub use subject::{Subject, subscriber_network};
pub use written::LimitedContent;

/// How long a budget lasts, in seconds.
const WINDOW: i64 = 3600;

/// How far ahead the end of a budget can be: other processes may have clocks that are a
/// little ahead.
const LONGEST_WINDOW: i64 = WINDOW + 60;

/// The most requests that a process draws from a budget at a time.
const LARGEST_SHARE: u64 = 500;

/// How many requests an hour each kind of caller may make.
#[derive(Debug, Clone, Copy)]
pub struct Budgets {
    pub anonymous: u64,
    /// For all anonymous callers on loopback; `None`: no limit.
    pub loopback: Option<u64>,
    pub user: u64,
    pub installation: u64,
    /// Failed logins per address.
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

/// The accounts of all callers; without budgets nothing is limited.
#[derive(Debug)]
pub struct Limits {
    budgets: Option<Budgets>,
    ledger: Option<Ledger>,
    accounts: Mutex<Accounts>,
}

/// The outcome of counting a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Admission {
    Admitted(RateBudget),
    /// The budget is exhausted.
    Refused(RateBudget),
}

impl Limits {
    /// Processes that share a database also share the budgets.
    pub fn new(budgets: Option<Budgets>, db: Option<&Database>) -> Self {
        Self {
            budgets,
            ledger: db.and_then(Ledger::of),
            accounts: Mutex::default(),
        }
    }

    /// Counts a request; `None` without limits. At most one query, and none while this
    /// process has a share of the budget.
    pub async fn admit(&self, subject: Subject, now: Timestamp) -> Option<Admission> {
        let limit = self.limit(subject)?;
        let requested = match self.draw(subject, limit, now) {
            Ok(admission) => return Some(admission),
            Err(requested) => requested,
        };
        let drawn = match &self.ledger {
            Some(ledger) => {
                let name = subject.name();
                let (requested, limit) = (signed(requested), signed(limit));
                // Boxed, because it is rarely needed and would enlarge every request future.
                Box::pin(ledger.take(&name, requested, limit, now.0)).await
            }
            None => Ok(Some(LedgerShare {
                used: signed(limit),
                granted: signed(limit),
                resets_at: now.0 + WINDOW,
            })),
        };
        let grant = drawn.unwrap_or_else(|error| {
            tracing::warn!("cannot count a request: {error}");
            None
        });
        Some(match grant {
            Some(grant) => self.credit(subject, limit, now, grant),
            None => Admission::Admitted(Account::fresh(now).budget(limit)),
        })
    }

    /// Resets the counters of this process.
    pub fn reset(&self) {
        self.accounts().take_all();
    }

    /// Refunds a request: a 304 response does not count.
    pub fn refund(&self, subject: Subject, now: Timestamp) {
        if let Some(account) = self.accounts().current(subject, now) {
            account.share = (account.share + 1).min(account.drawn);
        }
    }

    /// The state of a caller's budget, without counting; `None` without limits.
    pub async fn current_budget(&self, subject: Subject, now: Timestamp) -> Option<RateBudget> {
        let limit = self.limit(subject)?;
        if let Some(ledger) = &self.ledger
            && let Ok(share) = ledger.peek(&subject.name(), now.0).await
        {
            let mut accounts = self.accounts();
            match share {
                Some(share) => accounts.open(subject, now).apply(share),
                None => accounts.remove(subject),
            }
        }
        Some(self.budget_of(subject, limit, now))
    }

    /// The state of a caller's budget, as far as this process knows.
    pub fn cached_budget(&self, subject: Subject, now: Timestamp) -> Option<RateBudget> {
        Some(self.budget_of(subject, self.limit(subject)?, now))
    }

    /// Returns the unused shares of this process at shutdown.
    pub async fn return_shares(&self, now: Timestamp) {
        let Some(ledger) = &self.ledger else { return };
        let accounts = self.accounts().take_all();
        for (subject, account) in accounts {
            if account.share > 0 && account.reset > now.0 {
                let unused = signed(account.share);
                if let Err(error) = ledger
                    .give_back(&subject.name(), account.reset, unused)
                    .await
                {
                    tracing::warn!("cannot return unused shares of budgets: {error}");
                    return;
                }
            }
        }
        if let Err(error) = ledger.delete_expired(now.0).await {
            tracing::warn!("cannot delete expired budgets: {error}");
        }
    }

    /// Admits a request from this process's share, or returns how much to draw.
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
        Err(share(limit, account.drawn))
    }

    /// Books a share, and admits a request from it.
    fn credit(
        &self,
        subject: Subject,
        limit: u64,
        now: Timestamp,
        grant: LedgerShare,
    ) -> Admission {
        let mut accounts = self.accounts();
        let account = accounts.open(subject, now);
        account.apply(grant);
        if account.share == 0 {
            account.empty_until = now.0 + 1;
            return Admission::Refused(account.budget(limit));
        }
        account.share -= 1;
        Admission::Admitted(account.budget(limit))
    }

    fn budget_of(&self, subject: Subject, limit: u64, now: Timestamp) -> RateBudget {
        let account = self.accounts().current(subject, now).copied();
        account.unwrap_or(Account::fresh(now)).budget(limit)
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

/// How much a process draws at a time: a hundredth of the remainder, so that little lies
/// unused in other processes, and single requests at the end.
fn share(limit: u64, drawn: u64) -> u64 {
    (limit.saturating_sub(drawn) / 100).clamp(1, LARGEST_SHARE)
}

fn signed(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests;
