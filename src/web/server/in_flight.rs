//! The total bytes of unsent responses.

use std::sync::atomic::{AtomicUsize, Ordering};

/// The largest small response in bytes.
const SMALL: usize = 64 * 1024;

/// A bounded counter. Large responses may use half of it, so that slow readers of large
/// responses leave room for small ones.
pub struct InFlight {
    unsent: AtomicUsize,
    most: usize,
}

impl InFlight {
    pub fn new(most: usize) -> Self {
        Self {
            unsent: AtomicUsize::new(0),
            most,
        }
    }

    pub fn has_room(&self) -> bool {
        self.unsent.load(Ordering::Relaxed) < self.most
    }

    /// Adds a response if there is room. The only one always has room.
    pub fn try_add(&self, bytes: usize) -> bool {
        let most = match bytes > SMALL {
            true => self.most / 2,
            false => self.most,
        };
        let add = |unsent: usize| (unsent == 0 || unsent + bytes <= most).then_some(unsent + bytes);
        let (set, get) = (Ordering::Relaxed, Ordering::Relaxed);
        self.unsent.fetch_update(set, get, add).is_ok()
    }

    pub fn add(&self, bytes: usize) {
        self.unsent.fetch_add(bytes, Ordering::Relaxed);
    }

    pub fn remove(&self, bytes: usize) {
        self.unsent.fetch_sub(bytes, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_answers_leave_room_for_small_ones() {
        let in_flight = InFlight::new(16 * SMALL);
        assert!(in_flight.try_add(8 * SMALL));
        assert!(!in_flight.try_add(SMALL + 1));
        for _ in 0..8 {
            assert!(in_flight.has_room());
            assert!(in_flight.try_add(SMALL));
        }
        assert!(!in_flight.has_room());
        assert!(!in_flight.try_add(1));
        in_flight.remove(8 * SMALL);
        assert!(in_flight.try_add(1));
    }

    #[test]
    fn an_answer_that_is_alone_has_room_whatever_its_size() {
        let in_flight = InFlight::new(SMALL);
        assert!(in_flight.try_add(100 * SMALL));
        assert!(!in_flight.try_add(1));
        in_flight.remove(100 * SMALL);
        assert!(in_flight.try_add(1));
    }
}
