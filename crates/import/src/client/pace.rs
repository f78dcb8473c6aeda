//! The time, waiting and chance: injected, so that no test waits.

use std::time::Duration;

use async_trait::async_trait;

#[async_trait]
pub trait ClientPace: Send + Sync {
    /// Seconds since 1970.
    fn now(&self) -> i64;

    async fn wait(&self, time: Duration);

    /// A number from 0 to 1.
    fn chance(&self) -> f64;
}

/// How often a request is sent before the import gives up.
pub const ATTEMPTS: u32 = 6;

const FIRST: Duration = Duration::from_secs(1);

/// How long to wait after the attempt with this number, the first being 1: twice as long as
/// before, and up to half more, so that clients do not come back together.
pub fn back_off(attempt: u32, chance: f64) -> Duration {
    let wait = FIRST * 2u32.saturating_pow(attempt.saturating_sub(1).min(5));
    wait.mul_f64(1.0 + chance.clamp(0.0, 1.0) / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_and_are_bounded() {
        let waits = [1, 2, 3, 6, 1_000].map(|attempt| back_off(attempt, 0.0).as_secs());
        assert_eq!(waits, [1, 2, 4, 32, 32]);
        assert_eq!(back_off(2, 1.0), Duration::from_secs(3));
    }
}
