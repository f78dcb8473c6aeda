//! The clock of a world that the control API can freeze, set and move. It belongs to this
//! process: others that share its database keep the time of the system.

use std::fmt;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::{Clock, SystemClock};
use contract::values::Timestamp;

/// The first and the last second that a response can show.
const FIRST: i64 = 0;
const LAST: i64 = 253_402_300_799;

/// The value of `frozen` while the clock runs.
const RUNNING: i64 = i64::MIN;

/// A clock ahead of or behind another one, or frozen. Reading it takes no lock.
pub struct ControlledClock {
    /// The clock that it follows.
    base: Arc<dyn Clock>,
    /// How many seconds it is ahead of the base while it runs.
    offset: AtomicI64,
    /// The frozen time, or `RUNNING`.
    frozen: AtomicI64,
    /// Locked while the clock is changed.
    changing: Mutex<()>,
}

/// The state of a clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClockState {
    pub now: Timestamp,
    pub frozen: bool,
    /// How many seconds it is ahead of its base.
    pub offset: i64,
}

/// A time that no response could show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutOfRange;

impl ControlledClock {
    /// A clock that shows the time of another one until it is changed.
    pub fn over(base: Arc<dyn Clock>) -> Self {
        Self {
            base,
            offset: AtomicI64::new(0),
            frozen: AtomicI64::new(RUNNING),
            changing: Mutex::new(()),
        }
    }

    pub fn state(&self) -> ClockState {
        let _changing = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        self.current_state()
    }

    /// Changes the clock. `next` computes the time to show and whether to freeze it, from the
    /// current state.
    pub fn change(
        &self,
        next: impl FnOnce(ClockState) -> (Option<i64>, bool),
    ) -> Result<ClockState, OutOfRange> {
        let _changing = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        let before = self.current_state();
        let (now, frozen) = next(before);
        let now = now
            .filter(|now| (FIRST..=LAST).contains(now))
            .ok_or(OutOfRange)?;
        // In this order a concurrent reader sees either the old or the new time.
        if frozen {
            self.frozen.store(now, Ordering::SeqCst);
        }
        if !frozen || !before.frozen {
            self.offset.store(now - self.base.now().0, Ordering::SeqCst);
        }
        if !frozen {
            self.frozen.store(RUNNING, Ordering::SeqCst);
        }
        Ok(self.current_state())
    }

    /// Shows the time of the base again.
    pub fn release(&self) -> ClockState {
        let _changing = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        self.offset.store(0, Ordering::SeqCst);
        self.frozen.store(RUNNING, Ordering::SeqCst);
        self.current_state()
    }

    fn current_state(&self) -> ClockState {
        let now = self.now();
        ClockState {
            now,
            frozen: self.frozen.load(Ordering::SeqCst) != RUNNING,
            offset: now.0 - self.base.now().0,
        }
    }
}

impl Clock for ControlledClock {
    fn now(&self) -> Timestamp {
        match self.frozen.load(Ordering::SeqCst) {
            RUNNING => {
                Timestamp((self.base.now().0 + self.offset.load(Ordering::SeqCst)).min(LAST))
            }
            time => Timestamp(time),
        }
    }
}

impl Default for ControlledClock {
    fn default() -> Self {
        Self::over(Arc::new(SystemClock))
    }
}

impl fmt::Debug for ControlledClock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ControlledClock")
            .field(&self.current_state())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::super::HeldClock;
    use super::*;

    const NOON: i64 = 1_773_144_000;

    fn clocks() -> (HeldClock, ControlledClock) {
        let base = HeldClock::at(Timestamp(NOON));
        (base.clone(), ControlledClock::over(Arc::new(base)))
    }

    #[test]
    fn a_clock_that_nobody_changed_shows_the_time_of_its_base() {
        let (base, clock) = clocks();
        base.advance(5);
        assert_eq!(clock.now(), Timestamp(NOON + 5));
        let state = clock.state();
        assert_eq!((state.frozen, state.offset), (false, 0));
    }

    #[test]
    fn a_frozen_clock_leaps_and_goes_on_from_where_it_stood() {
        let (base, clock) = clocks();
        let frozen = clock.change(|state| (Some(state.now.0), true)).unwrap();
        assert!(frozen.frozen);
        base.advance(60);
        assert_eq!(clock.now(), Timestamp(NOON));
        clock
            .change(|state| (Some(state.now.0 + 10), state.frozen))
            .unwrap();
        base.advance(1);
        assert_eq!(clock.now(), Timestamp(NOON + 10));
        let going = clock.change(|state| (Some(state.now.0), false)).unwrap();
        assert_eq!((going.frozen, going.offset), (false, -51));
        base.advance(1);
        assert_eq!(clock.now(), Timestamp(NOON + 11));
    }

    #[test]
    fn a_released_clock_shows_the_time_of_its_base_again() {
        let (base, clock) = clocks();
        clock.change(|_| (Some(0), true)).unwrap();
        base.advance(7);
        let state = clock.release();
        assert_eq!(
            (state.now, state.frozen, state.offset),
            (Timestamp(NOON + 7), false, 0)
        );
    }

    #[test]
    fn no_clock_leaves_the_years_that_can_be_shown() {
        let (base, clock) = clocks();
        for now in [Some(-1), Some(LAST + 1), None] {
            assert_eq!(clock.change(|_| (now, false)), Err(OutOfRange), "{now:?}");
        }
        assert_eq!(clock.now(), Timestamp(NOON));
        clock.change(|_| (Some(LAST), false)).unwrap();
        base.advance(3600);
        assert_eq!(clock.now(), Timestamp(LAST));
    }
}
