//! The clock of a world that the control API can freeze, set and move. It belongs to this
//! process: others that share its database keep the time of the system.

use std::fmt;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::{Clock, SystemClock};
use crate::contract::values::Timestamp;

/// The first and the last second of the years that an answer can show.
const FIRST: i64 = 0;
const LAST: i64 = 253_402_300_799;

/// The value of `frozen` while the clock goes.
const GOING: i64 = i64::MIN;

/// A clock ahead of or behind another one, or standing still. Reading it takes no lock.
pub struct ControlledClock {
    /// The time that it goes by.
    base: Arc<dyn Clock>,
    /// How many seconds it is ahead of the base while it goes.
    offset: AtomicI64,
    /// Where it stands still, or `GOING`.
    frozen: AtomicI64,
    /// Held by whoever changes it.
    changing: Mutex<()>,
}

/// What a clock shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClockState {
    pub now: Timestamp,
    pub frozen: bool,
    /// How many seconds it is ahead of the time that it goes by.
    pub offset: i64,
}

/// A time that no answer could show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutOfRange;

impl ControlledClock {
    /// A clock that shows the time of another one, until it is told otherwise.
    pub fn over(base: Arc<dyn Clock>) -> Self {
        Self {
            base,
            offset: AtomicI64::new(0),
            frozen: AtomicI64::new(GOING),
            changing: Mutex::new(()),
        }
    }

    pub fn state(&self) -> ClockState {
        let _changing = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        self.shown()
    }

    /// Changes the clock. `wanted` returns the time to show and whether to stand still, from
    /// the time that it shows and whether it stands still now.
    pub fn change(
        &self,
        wanted: impl FnOnce(ClockState) -> (Option<i64>, bool),
    ) -> Result<ClockState, OutOfRange> {
        let _changing = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        let before = self.shown();
        let (now, frozen) = wanted(before);
        let now = now
            .filter(|now| (FIRST..=LAST).contains(now))
            .ok_or(OutOfRange)?;
        // In this order a reader sees the time before or after, and nothing else.
        if frozen {
            self.frozen.store(now, Ordering::SeqCst);
        }
        if !frozen || !before.frozen {
            self.offset.store(now - self.base.now().0, Ordering::SeqCst);
        }
        if !frozen {
            self.frozen.store(GOING, Ordering::SeqCst);
        }
        Ok(self.shown())
    }

    /// Shows the time of the base again.
    pub fn release(&self) -> ClockState {
        let _changing = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        self.offset.store(0, Ordering::SeqCst);
        self.frozen.store(GOING, Ordering::SeqCst);
        self.shown()
    }

    fn shown(&self) -> ClockState {
        let now = self.now();
        ClockState {
            now,
            frozen: self.frozen.load(Ordering::SeqCst) != GOING,
            offset: now.0 - self.base.now().0,
        }
    }
}

impl Clock for ControlledClock {
    fn now(&self) -> Timestamp {
        match self.frozen.load(Ordering::SeqCst) {
            GOING => Timestamp((self.base.now().0 + self.offset.load(Ordering::SeqCst)).min(LAST)),
            moment => Timestamp(moment),
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
            .field(&self.shown())
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
