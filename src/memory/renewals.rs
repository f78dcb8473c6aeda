//! Finding out again what was remembered and holds no longer: one does it for all
//! who want it. Without that, all who want a long answer make it again after each
//! change.
//!
//! Why an answer may be given to others, although it may hold no longer when they
//! get it: whoever made it began after they came, so all of it was read while they
//! were waiting. Had they been alone they could have got the same.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::{Mutex as Turns, OwnedMutexGuard};

use super::{Held, Key, Memorable};

/// Beyond so many, renewals that are over are forgotten.
const MOST: usize = 256;

/// All that are under way.
#[derive(Default)]
pub struct Renewals(Mutex<HashMap<Vec<u8>, Weak<Renewing>>>);

#[derive(Default)]
struct Renewing {
    begun: AtomicU64,
    last: Arc<Turns<Last>>,
}

/// The last that has ended, and what came of it.
#[derive(Default)]
struct Last {
    ended: u64,
    found: Option<Held>,
}

/// What comes of waiting for a turn.
pub enum Renewal<T> {
    /// Somebody has found it meanwhile.
    Found(Arc<T>),
    Mine(Turn),
}

/// One's own turn to find it out; it ends when this is dropped.
pub struct Turn {
    number: u64,
    last: OwnedMutexGuard<Last>,
    _renewing: Arc<Renewing>,
}

impl Renewals {
    pub async fn turn<T: Memorable>(&self, key: &Key) -> Renewal<T> {
        let renewing = self.of(key);
        let earlier = renewing.begun.load(Ordering::SeqCst);
        let last = renewing.last.clone().lock_owned().await;
        let found = last.found.clone().filter(|_| last.ended > earlier);
        match found.and_then(|found| found.downcast().ok()) {
            Some(found) => Renewal::Found(found),
            None => Renewal::Mine(Turn {
                number: renewing.begun.fetch_add(1, Ordering::SeqCst) + 1,
                last,
                _renewing: renewing,
            }),
        }
    }

    fn of(&self, key: &Key) -> Arc<Renewing> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= MOST {
            all.retain(|_, renewing| renewing.strong_count() > 0);
        }
        if let Some(renewing) = all.get(&key.0).and_then(Weak::upgrade) {
            return renewing;
        }
        let renewing = Arc::default();
        all.insert(key.0.clone(), Arc::downgrade(&renewing));
        renewing
    }
}

impl Turn {
    /// Gives what was found to those who wait. All of it must have been read since
    /// the turn began.
    pub fn share<T: Memorable>(mut self, found: Arc<T>) {
        self.last.ended = self.number;
        self.last.found = Some(found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn waiting(renewals: &Arc<Renewals>) -> tokio::task::JoinHandle<Option<&'static str>> {
        let renewals = renewals.clone();
        let waiting = tokio::spawn(async move {
            match renewals.turn::<&'static str>(&Key::of("test")).await {
                Renewal::Found(found) => Some(*found),
                Renewal::Mine(_) => None,
            }
        });
        tokio::task::yield_now().await;
        waiting
    }

    async fn mine(renewals: &Renewals) -> Turn {
        match renewals.turn::<&'static str>(&Key::of("test")).await {
            Renewal::Found(found) => panic!("{found} was found before anybody asked"),
            Renewal::Mine(turn) => turn,
        }
    }

    #[tokio::test]
    async fn what_was_found_goes_to_those_who_came_before_it_was_begun() {
        let renewals = Arc::new(Renewals::default());
        let first = mine(&renewals).await;
        let second = tokio::spawn({
            let renewals = renewals.clone();
            async move { mine(&renewals).await.share(Arc::new("second")) }
        });
        tokio::task::yield_now().await;
        let third = waiting(&renewals).await;
        first.share(Arc::new("first"));
        second.await.unwrap();
        assert_eq!(third.await.unwrap(), Some("second"));
    }

    #[tokio::test]
    async fn who_came_later_finds_out_alone() {
        let renewals = Arc::new(Renewals::default());
        let first = mine(&renewals).await;
        let late = waiting(&renewals).await;
        first.share(Arc::new("first"));
        assert_eq!(late.await.unwrap(), None);
    }

    #[tokio::test]
    async fn a_turn_that_comes_to_nothing_is_the_next_ones() {
        let renewals = Arc::new(Renewals::default());
        let first = mine(&renewals).await;
        let (second, third) = (waiting(&renewals).await, waiting(&renewals).await);
        drop(first);
        assert_eq!((second.await.unwrap(), third.await.unwrap()), (None, None));
    }
}
