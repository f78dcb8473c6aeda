//! Decides which created worlds keep their connections. A SQLite connection parses and holds
//! the whole schema, about a megabyte, so an idle world closes its connections, unless it is one
//! of the most recently used.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use tokio::time::Instant;

use super::ServedWorld;

/// How many created worlds keep their connections, however long they are idle.
const OPEN: usize = 12;

/// How long the others keep them.
const IDLE: Duration = Duration::from_millis(500);

/// The worlds that may have connections.
#[derive(Clone, Default)]
pub struct OpenWorlds(Arc<Mutex<Uses<ServedWorld>>>);

struct Uses<T> {
    /// Each world with its last use, the oldest use first.
    worlds: VecDeque<(Weak<T>, Instant)>,
    /// Whether a task closes connections.
    closing: bool,
}

impl<T> Default for Uses<T> {
    fn default() -> Self {
        Self {
            worlds: VecDeque::new(),
            closing: false,
        }
    }
}

impl<T> Uses<T> {
    fn record(&mut self, world: &Arc<T>, now: Instant) {
        let used = Arc::downgrade(world);
        self.worlds.retain(|(other, _)| !other.ptr_eq(&used));
        self.worlds.push_back((used, now));
    }

    /// Removes the worlds whose connections are to be closed. A world that a request holds
    /// is in use: closing its connections would only slow down a busy server. Responses that
    /// are still being sent do not count; they open connections again.
    fn take_idle(&mut self, now: Instant) -> Vec<Arc<T>> {
        let unused = |(_, used): &&(Weak<T>, Instant)| now.duration_since(*used) >= IDLE;
        let unused = self.worlds.iter().take_while(unused).count();
        let unused: Vec<_> = self.worlds.drain(..unused).collect();
        let mut idle = Vec::new();
        for (world, used) in unused {
            let Some(world) = world.upgrade() else {
                continue;
            };
            match is_in_use(&world) {
                true => self.record(&world, now),
                false => idle.push((world, used)),
            }
        }
        let closed = (self.worlds.len() + idle.len()).saturating_sub(OPEN);
        for (world, used) in idle.drain(closed.min(idle.len())..).rev() {
            self.worlds.push_front((Arc::downgrade(&world), used));
        }
        idle.into_iter().map(|(world, _)| world).collect()
    }
}

/// Whether a request holds a world. One reference is the caller's, another that of the served
/// worlds.
fn is_in_use<T>(world: &Arc<T>) -> bool {
    Arc::strong_count(world) > 2
}

impl OpenWorlds {
    /// Records a use.
    pub fn record_use(&self, world: &Arc<ServedWorld>) {
        let mut uses = self.uses();
        uses.record(world, Instant::now());
        if uses.worlds.len() > OPEN && !std::mem::replace(&mut uses.closing, true) {
            tokio::spawn(self.clone().close_idle());
        }
    }

    /// Closes connections until few worlds have any. Requests in flight are not
    /// interrupted.
    async fn close_idle(self) {
        loop {
            tokio::time::sleep(IDLE / 2).await;
            let idle = self.uses().take_idle(Instant::now());
            for world in idle {
                // The world may be in use again after the others were closed. Its request has
                // recorded that.
                if is_in_use(&world) {
                    continue;
                }
                world.app.db.close_idle().await;
                if world.has_pending_deliveries() {
                    // They open connections again.
                    self.uses().record(&world, Instant::now());
                }
            }
            let mut uses = self.uses();
            if uses.worlds.len() <= OPEN {
                uses.closing = false;
                return;
            }
        }
    }

    fn uses(&self) -> MutexGuard<'_, Uses<ServedWorld>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Worlds that were used in order, all at one time.
    fn used(count: usize) -> (Uses<usize>, Vec<Arc<usize>>, Instant) {
        let (mut uses, now) = (Uses::default(), Instant::now());
        let worlds: Vec<_> = (0..count).map(Arc::new).collect();
        for world in &worlds {
            uses.record(world, now);
        }
        (uses, worlds, now)
    }

    fn idle(uses: &mut Uses<usize>, now: Instant) -> Vec<usize> {
        uses.take_idle(now).iter().map(|world| **world).collect()
    }

    #[test]
    fn only_the_worlds_that_were_used_last_stay_open() {
        let (mut uses, worlds, now) = used(OPEN + 2);
        assert!(idle(&mut uses, now).is_empty());
        assert_eq!(idle(&mut uses, now + IDLE), [0, 1]);
        uses.record(&worlds[0], now + IDLE);
        assert_eq!(idle(&mut uses, now + IDLE * 2), [2]);
        assert!(idle(&mut uses, now + IDLE * 3).is_empty());
    }

    #[test]
    fn a_world_stays_open_during_a_request_and_for_a_while_after_it() {
        let (mut uses, worlds, now) = used(OPEN + 2);
        let request = worlds[0].clone();
        let end = now + IDLE * 10;
        assert_eq!(idle(&mut uses, end), [1, 2]);
        drop(request);
        uses.record(&worlds[1], end);
        let later = end + IDLE / 2;
        assert_eq!(idle(&mut uses, later), [3], "the request ended just now");
    }

    #[test]
    fn a_removed_world_is_forgotten() {
        let (mut uses, mut worlds, now) = used(OPEN + 1);
        worlds.truncate(1);
        assert!(idle(&mut uses, now + IDLE).is_empty());
        assert_eq!(uses.worlds.len(), 1);
    }
}
