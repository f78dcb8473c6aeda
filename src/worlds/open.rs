//! Which made worlds keep their connections. A connection to SQLite holds the whole schema,
//! about two megabytes, so a world that was not used for a while gives its connections up,
//! unless few others were used later.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use tokio::time::Instant;

use super::ServedWorld;

/// How many made worlds keep their connections, however long they are not used.
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
        let taken = self.worlds.drain(..idle);
        taken.filter_map(|(world, _)| world.upgrade()).collect()
    }
}

impl OpenWorlds {
    /// Notes a use.
    pub fn note(&self, world: &Arc<ServedWorld>) {
        let used = Arc::downgrade(world);
        let mut uses = self.uses();
        uses.worlds.retain(|(known, _)| !known.ptr_eq(&used));
        uses.worlds.push_back((used, Instant::now()));
        if uses.worlds.len() > OPEN && !std::mem::replace(&mut uses.closing, true) {
            tokio::spawn(self.clone().close_idle());
        }
    }

    /// Closes connections until few worlds have any. Requests that they still answer are not
    /// disturbed.
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
