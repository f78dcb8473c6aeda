//! How fast a client must send a body: with a minimum rate, as `web/server/activity.rs` demands of
//! clients that read.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep_until};

/// How long a client may send nothing, and by how much it may fall behind the minimum rate.
const PAUSE: Duration = Duration::from_secs(30);

/// The minimum rate.
const BYTES_PER_SECOND: u64 = 16 * 1024;

/// The pace of a body. Counts only the time in which the server waits for the client.
#[derive(Default)]
pub struct Pace {
    received: u64,
    waited: Duration,
    waiting: Option<Waiting>,
}

struct Waiting {
    since: Instant,
    deadline: Pin<Box<Sleep>>,
}

impl Pace {
    /// Records bytes that have arrived.
    pub fn arrived(&mut self, bytes: usize) {
        self.received += bytes as u64;
        if let Some(waiting) = self.waiting.take() {
            self.waited += waiting.since.elapsed();
        }
    }

    /// How long the client may send nothing now.
    fn remaining(&self) -> Duration {
        let earned = PAUSE + Duration::from_secs(self.received / BYTES_PER_SECOND);
        earned.saturating_sub(self.waited).min(PAUSE)
    }

    /// Waits until the client is too slow.
    pub fn poll_too_slow(&mut self, context: &mut Context<'_>) -> Poll<io::Error> {
        let remaining = self.remaining();
        let waiting = self.waiting.get_or_insert_with(|| {
            let since = Instant::now();
            let deadline = Box::pin(sleep_until(since + remaining));
            Waiting { since, deadline }
        });
        ready!(waiting.deadline.as_mut().poll(context));
        Poll::Ready(io::ErrorKind::TimedOut.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many pieces a client sends before it is given up, at most 1000.
    fn pieces(bytes: u64, pause: u64) -> usize {
        let pause = Duration::from_secs(pause);
        let mut pace = Pace::default();
        let pieces = (0..1000).take_while(|_| {
            let in_time = pause <= pace.remaining();
            pace.waited += pause;
            pace.received += bytes;
            in_time
        });
        pieces.count()
    }

    #[test]
    fn a_client_that_trickles_is_given_up() {
        assert_eq!(pieces(1, 20), 1);
        assert_eq!(pieces(1, 1), 30);
        assert_eq!(pieces(1 << 30, 31), 0);
        assert_eq!(pieces(BYTES_PER_SECOND / 2, 1), 59);
    }

    #[test]
    fn a_client_that_is_fast_enough_may_take_long() {
        assert_eq!(pieces(BYTES_PER_SECOND, 1), 1000);
        assert_eq!(pieces(20 * BYTES_PER_SECOND, 20), 1000);
    }

    #[tokio::test]
    async fn time_without_waiting_does_not_count() {
        let mut pace = Pace::default();
        pace.arrived(1);
        assert_eq!(pace.waited, Duration::ZERO);
        let waiting = std::future::poll_fn(|context| match pace.poll_too_slow(context) {
            Poll::Ready(_) => Poll::Ready(false),
            Poll::Pending => Poll::Ready(true),
        });
        assert!(waiting.await);
        let since = pace.waiting.as_ref().unwrap().since;
        pace.arrived(1);
        assert!(pace.waiting.is_none() && pace.waited <= since.elapsed());
    }
}
