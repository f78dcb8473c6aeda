//! Content limits: how much an account may create in a minute and in an hour (Spec, Limits:
//! "creating review comments and replies too quickly"), and how often it may repeat the
//! same content. Counts are in memory, and content written by other processes is read from
//! the database. Unlike the hourly budgets these windows slide, so an account cannot create
//! twice as much around the end of an hour.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};

use contract::problem::{Limit, Problem};
use contract::values::Timestamp;

const MINUTE: i64 = 60;
const HOUR: i64 = 3600;

/// Above this number, accounts that were inactive for an hour are dropped.
const MAX_ACCOUNTS: usize = 10_000;

/// Limits on the content that an account creates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ContentBudget {
    pub minute: usize,
    pub hour: usize,
    /// How often the same text may be written in the same place within a minute.
    pub repetitions: u64,
}

/// How often an account may repeat the same content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RepetitionLimit {
    pub most: u64,
    /// In seconds.
    pub window: i64,
}

impl Default for ContentBudget {
    fn default() -> Self {
        Self {
            minute: 80,
            hour: 500,
            repetitions: 3,
        }
    }
}

impl ContentBudget {
    fn windows(self) -> [(usize, i64); 2] {
        [(self.minute, MINUTE), (self.hour, HOUR)]
    }
}

/// The content of an account in the database. For each window that is full: when the oldest
/// item that counts was created.
#[derive(Debug, Clone, Copy, Default)]
pub struct StoredContent(pub(super) [Option<i64>; 2]);

/// The recent content of every account; without a budget nothing is limited.
#[derive(Debug)]
pub struct ContentLimits {
    budget: Option<ContentBudget>,
    created: Mutex<HashMap<i64, VecDeque<i64>>>,
}

impl ContentLimits {
    pub fn new(budget: Option<ContentBudget>) -> Self {
        Self {
            budget,
            created: Mutex::default(),
        }
    }

    /// Resets the counters.
    pub fn reset(&self) {
        let mut created = self.created.lock().unwrap_or_else(PoisonError::into_inner);
        created.clear();
    }

    /// How many items each window admits, and its length in seconds; `None` without limits.
    pub(super) fn windows(&self) -> Option<[(usize, i64); 2]> {
        self.budget.map(ContentBudget::windows)
    }

    /// The repetition limit; `None` without limits.
    pub fn repetition(&self) -> Option<RepetitionLimit> {
        self.budget.map(|budget| RepetitionLimit {
            most: budget.repetitions,
            window: MINUTE,
        })
    }

    /// Counts one created item, or returns when to retry.
    pub fn admit(
        &self,
        account: i64,
        stored: StoredContent,
        now: Timestamp,
    ) -> Result<(), Problem> {
        self.admit_together(account, 1, stored, now)
    }

    /// Counts several items that one request creates. They are admitted if there is room for
    /// one; later requests then wait longer.
    pub fn admit_together(
        &self,
        account: i64,
        items: usize,
        stored: StoredContent,
        now: Timestamp,
    ) -> Result<(), Problem> {
        let Some(budget) = self.budget else {
            return Ok(());
        };
        let now = now.0;
        let mut created = self.created.lock().unwrap_or_else(PoisonError::into_inner);
        if created.len() >= MAX_ACCOUNTS {
            created.retain(|_, times| times.back().is_some_and(|last| *last > now - HOUR));
        }
        let times = created.entry(account).or_default();
        // Later times are from before the clock was turned back.
        while times.back().is_some_and(|last| *last > now) {
            times.pop_back();
        }
        while times.front().is_some_and(|first| *first <= now - HOUR) {
            times.pop_front();
        }
        let waits = budget.windows().into_iter().zip(stored.0);
        let waits = waits.filter_map(|((most, window), stored)| {
            if most == 0 {
                return Some(window);
            }
            let local = times.len().checked_sub(most).map(|oldest| times[oldest]);
            let expires = local.max(stored)? + window;
            (expires > now).then(|| expires - now)
        });
        match waits.max() {
            Some(wait) => Err(Problem::limited(Limit::Secondary {
                retry_after: wait.unsigned_abs(),
            })),
            None => {
                times.extend(std::iter::repeat_n(now, items));
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: StoredContent = StoredContent([None, None]);

    fn limits(minute: usize, hour: usize) -> ContentLimits {
        ContentLimits::new(Some(ContentBudget {
            minute,
            hour,
            ..ContentBudget::default()
        }))
    }

    fn retry_after(outcome: Result<(), Problem>) -> Option<u64> {
        outcome.err().and_then(|problem| problem.retry_after())
    }

    #[test]
    fn a_minute_has_room_again_when_its_first_thing_is_a_minute_old() {
        let limits = limits(2, 100);
        assert_eq!(retry_after(limits.admit(1, NONE, Timestamp(1000))), None);
        assert_eq!(retry_after(limits.admit(1, NONE, Timestamp(1030))), None);
        assert_eq!(
            retry_after(limits.admit(1, NONE, Timestamp(1040))),
            Some(20)
        );
        assert_eq!(retry_after(limits.admit(1, NONE, Timestamp(1059))), Some(1));
        assert_eq!(retry_after(limits.admit(1, NONE, Timestamp(1060))), None);
        assert_eq!(
            retry_after(limits.admit(1, NONE, Timestamp(1060))),
            Some(30)
        );
    }

    #[test]
    fn an_hour_is_counted_beside_the_minutes() {
        let limits = limits(10, 3);
        for time in [0, 100, 200] {
            assert_eq!(retry_after(limits.admit(1, NONE, Timestamp(time))), None);
        }
        assert_eq!(
            retry_after(limits.admit(1, NONE, Timestamp(600))),
            Some(3000)
        );
        assert_eq!(retry_after(limits.admit(1, NONE, Timestamp(3600))), None);
    }

    #[test]
    fn what_is_refused_does_not_count_and_others_are_not_held_up() {
        let limits = limits(1, 100);
        assert_eq!(retry_after(limits.admit(1, NONE, Timestamp(0))), None);
        for time in 1..60 {
            assert!(limits.admit(1, NONE, Timestamp(time)).is_err());
        }
        assert_eq!(retry_after(limits.admit(2, NONE, Timestamp(30))), None);
        assert_eq!(retry_after(limits.admit(1, NONE, Timestamp(60))), None);
    }

    #[test]
    fn what_was_created_before_the_clock_was_turned_back_does_not_count() {
        let limits = limits(1, 1);
        assert_eq!(retry_after(limits.admit(1, NONE, Timestamp(5000))), None);
        assert_eq!(retry_after(limits.admit(1, NONE, Timestamp(1000))), None);
        let refused = limits.admit(1, NONE, Timestamp(1001));
        assert_eq!(retry_after(refused), Some(3599));
    }

    #[test]
    fn what_other_processes_have_stored_counts() {
        let limits = limits(1, 2);
        let full = StoredContent([Some(990), Some(400)]);
        assert_eq!(
            retry_after(limits.admit(1, full, Timestamp(1000))),
            Some(3000)
        );
        let minute = StoredContent([Some(990), None]);
        assert_eq!(
            retry_after(limits.admit(1, minute, Timestamp(1000))),
            Some(50)
        );
        assert_eq!(retry_after(limits.admit(1, minute, Timestamp(1050))), None);
    }

    #[test]
    fn without_a_budget_nothing_is_limited() {
        let limits = ContentLimits::new(None);
        assert!((0..1000).all(|_| limits.admit(1, NONE, Timestamp(0)).is_ok()));
        assert_eq!(limits.repetition(), None);
    }
}
