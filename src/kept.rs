//! What was found out from the database, kept for as long as it holds, in a
//! bounded amount of memory.
//!
//! Nothing here goes stale: an entry is only found at a moment that confirms it
//! (`database/watch.rs` says why that is enough). What an entry rests on counts
//! as read by whoever finds it.

use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::database::{Learnt, Moment, footprint};

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

/// Values by key.
#[derive(Debug)]
pub struct Kept<V> {
    shards: [Mutex<Shard<V>>; SHARDS],
    choice: RandomState,
    room: usize,
}

#[derive(Debug)]
struct Shard<V> {
    values: HashMap<Box<[u8]>, Entry<V>>,
    weight: usize,
}

#[derive(Debug)]
struct Entry<V> {
    value: V,
    weight: usize,
    learnt: Learnt,
}

impl<V: Clone> Kept<V> {
    pub fn new(room: Room) -> Self {
        Self {
            shards: std::array::from_fn(|_| {
                Mutex::new(Shard {
                    values: HashMap::new(),
                    weight: 0,
                })
            }),
            choice: RandomState::new(),
            room: room.0 / SHARDS,
        }
    }

    /// What was learnt under this key, if it still holds.
    pub fn get(&self, moment: &Moment, key: &[u8]) -> Option<V> {
        let shard = self.shard(key);
        let entry = shard.values.get(key)?;
        if !moment.confirms(&entry.learnt) {
            return None;
        }
        footprint::note_read(entry.learnt.read());
        Some(entry.value.clone())
    }

    /// Keeps what was learnt, `weight` bytes of it. When there is no room, what
    /// was kept so far goes.
    pub fn put(&self, learnt: Learnt, key: &[u8], value: V, weight: usize) {
        let weight = weight + key.len() + OVERHEAD;
        if weight > self.room / 4 {
            return;
        }
        let mut shard = self.shard(key);
        let mut gone = HashMap::new();
        if shard.weight + weight > self.room {
            shard.weight = 0;
            gone = std::mem::take(&mut shard.values);
        }
        let entry = Entry {
            value,
            weight,
            learnt,
        };
        let earlier = shard.values.insert(key.into(), entry);
        shard.weight += weight;
        shard.weight -= earlier.as_ref().map_or(0, |entry| entry.weight);
        drop(shard);
        drop((gone, earlier));
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

    #[test]
    fn only_what_still_holds_is_found() {
        let kept = Kept::new(Room::default());
        let (before, after) = (Moment::of_test(0), Moment::of_test(1));
        kept.put(Learnt::of_test(0), b"k", "one", 3);
        assert_eq!(kept.get(&before, b"k"), Some("one"));
        assert_eq!(kept.get(&after, b"k"), None);
        kept.put(Learnt::of_test(1), b"k", "two", 3);
        assert_eq!(kept.get(&after, b"k"), Some("two"));
    }

    #[test]
    fn there_is_never_more_than_there_is_room_for() {
        let kept = Kept::new(Room(SHARDS * 10_000));
        let learnt = Learnt::of_test(1);
        for number in 0..10_000_u32 {
            kept.put(learnt, &number.to_be_bytes(), number, 900);
            kept.put(learnt, b"again", number, 900);
        }
        for shard in &kept.shards {
            let shard = shard.lock().unwrap();
            let held: usize = shard.values.values().map(|entry| entry.weight).sum();
            assert_eq!(shard.weight, held);
            assert!(held <= 10_000, "{held}");
        }
        kept.put(learnt, b"huge", 0, 1 << 20);
        assert_eq!(kept.get(&Moment::of_test(1), b"huge"), None);
    }

    #[test]
    fn without_room_nothing_is_kept() {
        let kept = Kept::new(Room(0));
        kept.put(Learnt::of_test(1), b"k", (), 0);
        assert_eq!(kept.get(&Moment::of_test(1), b"k"), None);
    }
}
