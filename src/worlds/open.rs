//! Decides which created worlds keep their connections. A SQLite connection holds the whole
//! schema, about two megabytes, so an idle world closes its connections, unless it is one of the
//! most recently used.

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
pub struct OpenWorlds(Arc<Mutex<Uses>>);

#[derive(Default)]
struct Uses {
    /// Each world with its last use, the oldest use first.
    worlds: VecDeque<(Weak<ServedWorld>, Instant)>,
    /// Whether a task closes connections.
    closing: bool,
}

impl Uses {
    /// Removes the worlds whose connections are to be closed.
    fn take_idle(&mut self) -> Vec<Arc<ServedWorld>> {
        let more = self.worlds.len().saturating_sub(OPEN);
        let idle = self.worlds.iter().take(more);
        let idle = idle.take_while(|(_, used)| used.elapsed() >= IDLE).count();
        let removed = self.worlds.drain(..idle);
        removed.filter_map(|(world, _)| world.upgrade()).collect()
    }
}

impl OpenWorlds {
    /// Records a use.
    pub fn record_use(&self, world: &Arc<ServedWorld>) {
        let used = Arc::downgrade(world);
        let mut uses = self.uses();
        uses.worlds.retain(|(other, _)| !other.ptr_eq(&used));
        uses.worlds.push_back((used, Instant::now()));
        if uses.worlds.len() > OPEN && !std::mem::replace(&mut uses.closing, true) {
            tokio::spawn(self.clone().close_idle());
        }
    }

    /// Closes connections until few worlds have any. Requests in flight are not
    /// interrupted.
    async fn close_idle(self) {
        loop {
            tokio::time::sleep(IDLE / 2).await;
            let idle = self.uses().take_idle();
            for world in idle {
                world.app.db.close_idle().await;
            }
            let mut uses = self.uses();
            if uses.worlds.len() <= OPEN {
                uses.closing = false;
                return;
            }
        }
    }

    fn uses(&self) -> MutexGuard<'_, Uses> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
