//! Which made worlds keep their connections. A connection to SQLite holds the whole schema,
//! about a megabyte, so only the worlds that were used last keep theirs.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use super::ServedWorld;

/// How many made worlds keep their connections.
const OPEN: usize = 20;

/// The worlds that were used last, the oldest use first.
#[derive(Default)]
pub struct OpenWorlds(Mutex<VecDeque<Weak<ServedWorld>>>);

impl OpenWorlds {
    /// Notes a use, and closes the idle connections of the world that was used longest ago
    /// if there are too many. Requests that it still answers are not disturbed.
    pub fn note(&self, world: &Arc<ServedWorld>) {
        let Some(oldest) = self.replace_oldest(world) else {
            return;
        };
        tokio::spawn(async move { oldest.app.db.close_idle().await });
    }

    fn replace_oldest(&self, world: &Arc<ServedWorld>) -> Option<Arc<ServedWorld>> {
        let used = Arc::downgrade(world);
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|known| !known.ptr_eq(&used));
        open.push_back(used);
        match open.len() > OPEN {
            true => open.pop_front()?.upgrade(),
            false => None,
        }
    }
}
