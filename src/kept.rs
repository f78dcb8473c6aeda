//! What was found out about one state of the database, kept for as long as that
//! state lasts, in a bounded amount of memory.
//!
//! Nothing here goes stale: an entry is only found by one who names the state in
//! which it was learnt, and the first entry of a new state throws those of
//! earlier states away. Whoever puts something in must have asked for the state
//! before and after finding it out, and got the same answer (`database/watch.rs`
//! says why that is enough).

use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::database::State;

/// So many locks, so that requests rarely wait for each other.
const SHARDS: usize = 16;

/// What an entry costs beside its key and its value.
const OVERHEAD: usize = 128;

/// How many bytes may be kept; none means that nothing is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room(pub usize);

impl Default for Room {
    fn default() -> Self {
        Self(32 << 20)
    }
}

/// Values by key, all of one state.
#[derive(Debug)]
pub struct Kept<V> {
    shards: [Mutex<Shard<V>>; SHARDS],
    choice: RandomState,
    room: usize,
}

#[derive(Debug)]
struct Shard<V> {
    state: Option<State>,
    values: HashMap<Box<[u8]>, V>,
    weight: usize,
}

impl<V: Clone> Kept<V> {
    pub fn new(room: Room) -> Self {
        Self {
            shards: std::array::from_fn(|_| {
                Mutex::new(Shard {
                    state: None,
                    values: HashMap::new(),
                    weight: 0,
                })
            }),
            choice: RandomState::new(),
            room: room.0 / SHARDS,
        }
    }

    /// What was learnt under this key in this very state.
    pub fn get(&self, state: State, key: &[u8]) -> Option<V> {
        let shard = self.shard(key);
        (shard.state == Some(state))
            .then(|| shard.values.get(key).cloned())
            .flatten()
    }

    /// Keeps what was learnt in this state, `weight` bytes of it. When there is
    /// no room, what was kept so far goes.
    pub fn put(&self, state: State, key: &[u8], value: V, weight: usize) {
        let weight = weight + key.len() + OVERHEAD;
        if weight > self.room / 4 {
            return;
        }
        let mut shard = self.shard(key);
        let full = shard.weight + weight > self.room;
        let gone = if shard.state != Some(state) || full {
            shard.state = Some(state);
            shard.weight = 0;
            std::mem::take(&mut shard.values)
        } else {
            HashMap::new()
        };
        if shard.values.insert(key.into(), value).is_none() {
            shard.weight += weight;
        }
        drop(shard);
        drop(gone);
    }

    fn shard(&self, key: &[u8]) -> MutexGuard<'_, Shard<V>> {
        let place = usize::try_from(self.choice.hash_one(key)).unwrap_or_default() % SHARDS;
        self.shards[place]
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(number: u8) -> State {
        State::of_test(number)
    }

    #[test]
    fn only_the_state_in_which_it_was_learnt_finds_an_entry() {
        let kept = Kept::new(Room::default());
        kept.put(state(1), b"k", "one", 3);
        assert_eq!(kept.get(state(1), b"k"), Some("one"));
        assert_eq!(kept.get(state(2), b"k"), None);
        kept.put(state(2), b"k", "two", 3);
        assert_eq!(kept.get(state(2), b"k"), Some("two"));
        assert_eq!(kept.get(state(1), b"k"), None);
    }

    #[test]
    fn there_is_never_more_than_there_is_room_for() {
        let kept = Kept::new(Room(SHARDS * 10_000));
        for number in 0..10_000_u32 {
            kept.put(state(1), &number.to_be_bytes(), number, 900);
        }
        for shard in &kept.shards {
            let shard = shard.lock().unwrap();
            assert!(shard.weight <= 10_000, "{}", shard.weight);
            assert!(shard.values.len() <= 10);
        }
        kept.put(state(1), b"huge", 0, 1 << 20);
        assert_eq!(kept.get(state(1), b"huge"), None);
    }

    #[test]
    fn without_room_nothing_is_kept() {
        let kept = Kept::new(Room(0));
        kept.put(state(1), b"k", (), 0);
        assert_eq!(kept.get(state(1), b"k"), None);
    }
}
