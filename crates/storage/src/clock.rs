//! The time. Code gets it from an injected `Clock`, so that tests can control it.

mod controlled;

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use time::OffsetDateTime;

use contract::values::{Day, Timestamp};
pub use controlled::{ClockState, ControlledClock, OutOfRange};

/// The current time, in seconds.
pub trait Clock: Send + Sync {
    fn now(&self) -> Timestamp;

    /// Today, in UTC.
    fn today(&self) -> Day {
        Day(self.now().to_calendar().date())
    }
}

/// The system clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[allow(
        clippy::disallowed_methods,
        reason = "the only place that reads the system time"
    )]
    fn now(&self) -> Timestamp {
        Timestamp(OffsetDateTime::now_utc().unix_timestamp())
    }
}

/// A clock that only moves explicitly. For tests.
#[derive(Debug, Clone)]
pub struct HeldClock(Arc<AtomicI64>);

impl HeldClock {
    pub fn at(time: Timestamp) -> Self {
        Self(Arc::new(AtomicI64::new(time.0)))
    }

    pub fn advance(&self, seconds: i64) {
        self.0.fetch_add(seconds, Ordering::SeqCst);
    }
}

impl Clock for HeldClock {
    fn now(&self) -> Timestamp {
        Timestamp(self.0.load(Ordering::SeqCst))
    }
}
