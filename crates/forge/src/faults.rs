//! Injected faults: rules of the control API that define which requests fail, how often and how.
//! `web/edge/faults.rs` injects the faults; this module selects the requests.

mod matching;

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

pub use crate::faults::matching::{Condition, RequestFacts};
use contract::control::faults::FaultEffect;
use contract::values::Timestamp;
use storage::entropy::Entropy;

/// The most rules of a world.
pub const MOST_RULES: usize = 100;

/// The value of `last_used` before the first use.
const NEVER: i64 = i64::MIN;

/// The fault that a request gets.
#[derive(Debug, Clone)]
pub struct InjectedFault {
    pub effect: FaultEffect,
    /// The status of the response, if the effect has one.
    pub status: Option<u16>,
    /// The message of the response, if it differs from GitHub's.
    pub message: Option<String>,
    pub retry_after: Option<u64>,
    /// The number of seconds until the budget resets.
    pub reset_after: Option<i64>,
    pub latency: Duration,
    /// Whether the request is processed before the fault.
    pub after: bool,
}

/// How often a rule is used.
#[derive(Debug, Clone, Copy)]
pub struct Frequency {
    pub probability: f64,
    /// The number of requests that pass before its first use.
    pub skip: i64,
    /// The most times that it is used.
    pub times: Option<i64>,
}

/// A rule, and how often it was used.
#[derive(Debug)]
pub struct FaultRule {
    pub id: i64,
    pub condition: Condition,
    pub frequency: Frequency,
    pub fault: InjectedFault,
    pub created_at: Timestamp,
    matched: AtomicI64,
    used: AtomicI64,
    last_used: AtomicI64,
}

impl FaultRule {
    /// The number of matching requests.
    pub fn matched(&self) -> i64 {
        self.matched.load(Ordering::SeqCst)
    }

    pub fn used(&self) -> i64 {
        self.used.load(Ordering::SeqCst)
    }

    pub fn last_used_at(&self) -> Option<Timestamp> {
        match self.last_used.load(Ordering::SeqCst) {
            NEVER => None,
            time => Some(Timestamp(time)),
        }
    }

    /// Whether it is used for a matching request.
    fn applies_now(&self, entropy: &dyn Entropy, now: Timestamp) -> bool {
        let before = self.matched.fetch_add(1, Ordering::SeqCst);
        if before < self.frequency.skip || !happens(self.frequency.probability, entropy) {
            return false;
        }
        let most = self.frequency.times.unwrap_or(i64::MAX);
        let below = |used: i64| (used < most).then_some(used + 1);
        let counted = self
            .used
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, below);
        if counted.is_ok() {
            self.last_used.store(now.0, Ordering::SeqCst);
        }
        counted.is_ok()
    }
}

/// A random decision from the injected entropy.
fn happens(probability: f64, entropy: &dyn Entropy) -> bool {
    if probability >= 1.0 {
        return true;
    }
    let mut bytes = [0; 4];
    entropy.fill(&mut bytes);
    f64::from(u32::from_le_bytes(bytes)) < probability * (f64::from(u32::MAX) + 1.0)
}

/// The rules of a world, in order of creation.
#[derive(Debug, Default)]
pub struct Faults {
    rules: RwLock<Vec<Arc<FaultRule>>>,
    last_id: AtomicI64,
}

/// A world cannot have more rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooMany;

impl Faults {
    pub fn add(
        &self,
        condition: Condition,
        frequency: Frequency,
        fault: InjectedFault,
        now: Timestamp,
    ) -> Result<Arc<FaultRule>, TooMany> {
        let mut rules = self.rules.write().unwrap_or_else(PoisonError::into_inner);
        if rules.len() >= MOST_RULES {
            return Err(TooMany);
        }
        let rule = Arc::new(FaultRule {
            id: self.last_id.fetch_add(1, Ordering::SeqCst) + 1,
            condition,
            frequency,
            fault,
            created_at: now,
            matched: AtomicI64::new(0),
            used: AtomicI64::new(0),
            last_used: AtomicI64::new(NEVER),
        });
        rules.push(rule.clone());
        Ok(rule)
    }

    /// Every rule, in order of creation.
    pub fn all(&self) -> Vec<Arc<FaultRule>> {
        let rules = self.rules.read().unwrap_or_else(PoisonError::into_inner);
        rules.clone()
    }

    pub fn get(&self, id: i64) -> Option<Arc<FaultRule>> {
        self.all().into_iter().find(|rule| rule.id == id)
    }

    /// Returns false if there was none.
    pub fn remove(&self, id: i64) -> bool {
        let mut rules = self.rules.write().unwrap_or_else(PoisonError::into_inner);
        let before = rules.len();
        rules.retain(|rule| rule.id != id);
        rules.len() < before
    }

    pub fn clear(&self) {
        let mut rules = self.rules.write().unwrap_or_else(PoisonError::into_inner);
        rules.clear();
    }

    pub fn is_empty(&self) -> bool {
        let rules = self.rules.read().unwrap_or_else(PoisonError::into_inner);
        rules.is_empty()
    }

    /// The first rule that applies to a request.
    pub fn select(
        &self,
        request: &RequestFacts<'_>,
        entropy: &dyn Entropy,
        now: Timestamp,
    ) -> Option<Arc<FaultRule>> {
        let rules = self.all();
        let applies_now = |rule: &Arc<FaultRule>| {
            rule.condition.applies(request) && rule.applies_now(entropy, now)
        };
        rules.into_iter().find(applies_now)
    }
}

#[cfg(test)]
mod tests {
    use poem::http::Method;

    use super::*;
    use storage::entropy::SeededEntropy;

    const NOW: Timestamp = Timestamp(1_773_144_000);

    const ONCE: Frequency = Frequency {
        probability: 1.0,
        skip: 0,
        times: Some(1),
    };

    fn fault() -> InjectedFault {
        InjectedFault {
            effect: FaultEffect::Drop,
            status: None,
            message: None,
            retry_after: None,
            reset_after: None,
            latency: Duration::ZERO,
            after: false,
        }
    }

    fn struck(faults: &Faults, times: usize) -> Vec<Option<i64>> {
        let entropy = SeededEntropy::new(7);
        let request = RequestFacts {
            method: &Method::GET,
            path: "/user",
            operation: None,
            caller: None,
        };
        (0..times)
            .map(|_| faults.select(&request, &entropy, NOW).map(|rule| rule.id))
            .collect()
    }

    #[test]
    fn rules_are_used_in_order_after_the_requests_that_they_skip() {
        let faults = Faults::default();
        let skipping = Frequency {
            skip: 2,
            times: Some(2),
            ..ONCE
        };
        for frequency in [skipping, ONCE] {
            let added = faults.add(Condition::default(), frequency, fault(), NOW);
            assert!(added.is_ok());
        }
        let expected = [Some(2), None, Some(1), Some(1), None];
        assert_eq!(struck(&faults, 5), expected);
        let first = faults.get(1).unwrap();
        assert_eq!((first.matched(), first.used()), (5, 2));
        assert_eq!(first.last_used_at(), Some(NOW));
    }

    #[test]
    fn a_rule_of_a_third_is_used_for_about_a_third() {
        let faults = Faults::default();
        let third = Frequency {
            probability: 1.0 / 3.0,
            skip: 0,
            times: None,
        };
        let added = faults.add(Condition::default(), third, fault(), NOW);
        assert!(added.is_ok());
        let used = struck(&faults, 3000).into_iter().flatten().count();
        assert!((900..1100).contains(&used), "{used}");
    }

    #[test]
    fn a_world_has_a_bounded_number_of_rules_and_never_repeats_an_id() {
        let faults = Faults::default();
        for _ in 0..MOST_RULES {
            let added = faults.add(Condition::default(), ONCE, fault(), NOW);
            assert!(added.is_ok());
        }
        let added = faults.add(Condition::default(), ONCE, fault(), NOW);
        assert_eq!(added.err(), Some(TooMany));
        assert!(faults.remove(100) && !faults.remove(100));
        let added = faults.add(Condition::default(), ONCE, fault(), NOW);
        assert_eq!(added.map(|rule| rule.id), Ok(101));
        faults.clear();
        assert!(faults.is_empty());
    }
}
