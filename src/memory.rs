//! What was found out from the database, remembered for as long as it holds, in
//! a bounded amount of memory.
//!
//! Nothing here goes stale: what is remembered is only found at a moment that
//! confirms it (`database/watch.rs` says why that is enough). Whatever it rests
//! on counts as read by whoever finds it, so that what is made of it can be
//! remembered too.

mod renewals;

use std::any::Any;
use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use renewals::Renewals;
pub use renewals::{Renewal, Turn};

use crate::database::{Database, Learnt, Moment, footprint};

/// So many locks, so that requests rarely wait for each other.
const SHARDS: usize = 16;

/// What an entry costs beside its key and its value.
const OVERHEAD: usize = 160;

/// How many bytes may be remembered; none means that nothing is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room(pub usize);

impl Default for Room {
    fn default() -> Self {
        Self(32 << 20)
    }
}

/// What can be remembered.
pub trait Memorable: Send + Sync + 'static {
    /// What the texts and lists in it take, roughly.
    fn weight(&self) -> usize;
}

/// The name of something that is remembered: of which kind, and which one.
#[derive(Debug)]
pub struct Key(Vec<u8>);

impl Key {
    pub fn of(kind: &'static str) -> Self {
        let mut key = Vec::with_capacity(128);
        key.extend_from_slice(kind.as_bytes());
        key.push(0);
        Self(key)
    }

    #[must_use]
    pub fn number(mut self, number: i64) -> Self {
        self.0.extend_from_slice(&number.to_be_bytes());
        self
    }

    /// A text without a NUL, or the last one.
    #[must_use]
    pub fn text(mut self, text: &str) -> Self {
        self.0.extend_from_slice(text.as_bytes());
        self.0.push(0);
        self
    }
}

/// The memory of a process.
pub struct Memory {
    db: Database,
    shards: [Mutex<Shard>; SHARDS],
    choice: RandomState,
    /// Bytes that each shard may hold.
    room: usize,
    renewals: Renewals,
}

/// A value that is remembered, whatever it is.
type Held = Arc<dyn Any + Send + Sync>;

#[derive(Default)]
struct Shard {
    entries: HashMap<Vec<u8>, Entry>,
    weight: usize,
}

struct Entry {
    value: Held,
    weight: usize,
    learnt: Learnt,
}

impl Memory {
    pub fn new(db: Database, room: Room) -> Self {
        Self {
            db,
            shards: std::array::from_fn(|_| Mutex::default()),
            choice: RandomState::new(),
            room: room.0 / SHARDS,
            renewals: Renewals::default(),
        }
    }

    /// What is remembered under a key, or else is found out now.
    ///
    /// Finding out is begun only then, and lives in a box: it would make every
    /// request a large value that is moved from hand to hand.
    pub async fn recall<T: Memorable, E, Finding>(
        &self,
        key: Key,
        find: impl FnOnce() -> Finding,
    ) -> Result<Arc<T>, E>
    where
        Finding: Future<Output = Result<T, E>>,
    {
        let since = self.moment().await;
        if let Some(known) = since.as_ref().and_then(|moment| self.get(moment, &key)) {
            return Ok(known);
        }
        let (found, read) = Box::pin(footprint::of(find())).await;
        let found = Arc::new(found?);
        if let Some(since) = since
            && let Some(learnt) = self.db.watch().learnt(&since, read).await
        {
            self.put(learnt, key, found.clone());
        }
        Ok(found)
    }

    /// The moment of the work under way: not before it began, nor before its last
    /// change. None: nothing is remembered.
    pub async fn moment(&self) -> Option<Moment> {
        if self.room == 0 {
            return None;
        }
        match footprint::moment() {
            Some(moment) => Some(moment),
            None => self.fresh_moment().await,
        }
    }

    async fn fresh_moment(&self) -> Option<Moment> {
        let moment = self.db.watch().moment().await;
        footprint::note_moment(moment.clone());
        moment
    }

    /// Waits for one's turn to find out again what was remembered and holds no
    /// longer. None for what was never remembered, because it may never be.
    pub async fn renewal<T: Memorable>(&self, key: &Key) -> Option<Renewal<T>> {
        if !self.shard(&key.0).entries.contains_key(&key.0) {
            return None;
        }
        Some(self.renewals.turn(key).await)
    }

    /// This moment instead of an earlier one, if what the work under way has read
    /// since then is still so.
    pub async fn renewed(&self, since: &Moment) -> Option<Moment> {
        let now = self.fresh_moment().await?;
        now.confirms(&since.learnt(footprint::so_far()))
            .then_some(now)
    }

    /// What the work under way may be remembered by, if it began with that moment
    /// and rests on nothing that has changed since or could still be undone.
    pub async fn learnt(&self, since: &Moment) -> Option<Learnt> {
        if footprint::unfinished().is_some() {
            return None;
        }
        self.db.watch().learnt(since, footprint::so_far()).await
    }

    /// What is remembered under this key, if it still holds.
    pub fn get<T: Memorable>(&self, moment: &Moment, key: &Key) -> Option<Arc<T>> {
        let shard = self.shard(&key.0);
        let entry = shard.entries.get(&key.0)?;
        if !moment.confirms(&entry.learnt) {
            return None;
        }
        footprint::note_read(entry.learnt.read());
        entry.value.clone().downcast().ok()
    }

    /// Remembers a value. When there is no room, what was remembered so far goes.
    pub fn put<T: Memorable>(&self, learnt: Learnt, key: Key, value: Arc<T>) {
        let weight = value.weight() + size_of::<T>() + key.0.len() + OVERHEAD;
        if weight > self.room / 4 {
            return;
        }
        let mut shard = self.shard(&key.0);
        let mut gone = HashMap::new();
        if shard.weight + weight > self.room {
            shard.weight = 0;
            gone = std::mem::take(&mut shard.entries);
        }
        let entry = Entry {
            value,
            weight,
            learnt,
        };
        let earlier = shard.entries.insert(key.0, entry);
        shard.weight += weight;
        shard.weight -= earlier.as_ref().map_or(0, |entry| entry.weight);
        drop(shard);
        drop((gone, earlier));
    }

    fn shard(&self, key: &[u8]) -> MutexGuard<'_, Shard> {
        let place = usize::try_from(self.choice.hash_one(key)).unwrap_or_default() % SHARDS;
        self.shards[place]
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::database::Options;

    impl Memorable for &'static str {
        fn weight(&self) -> usize {
            900
        }
    }

    async fn memory(room: usize) -> (tempfile::TempDir, Memory) {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite://{}/test.db", folder.path().display());
        let db = Database::connect(&url, Options::default()).await.unwrap();
        (folder, Memory::new(db, Room(room)))
    }

    fn get(memory: &Memory, step: u64, name: &str) -> Option<&'static str> {
        let key = Key::of("test").text(name);
        let found = memory.get::<&'static str>(&Moment::of_test(step), &key);
        found.map(|value| *value)
    }

    fn put(memory: &Memory, step: u64, name: &str, value: &'static str) {
        let key = Key::of("test").text(name);
        memory.put(Learnt::of_test(step), key, Arc::new(value));
    }

    #[tokio::test]
    async fn only_what_still_holds_is_found() {
        let (_folder, memory) = memory(1 << 20).await;
        put(&memory, 0, "k", "one");
        assert_eq!(get(&memory, 0, "k"), Some("one"));
        assert_eq!(get(&memory, 1, "k"), None);
        put(&memory, 1, "k", "two");
        assert_eq!(get(&memory, 1, "k"), Some("two"));
        assert_eq!(get(&memory, 1, "other"), None);
    }

    #[tokio::test]
    async fn there_is_never_more_than_there_is_room_for() {
        let (_folder, memory) = memory(SHARDS * 10_000).await;
        for number in 0..5_000 {
            put(&memory, 1, &number.to_string(), "value");
            put(&memory, 1, "again", "value");
        }
        for shard in &memory.shards {
            let shard = shard.lock().unwrap();
            let held: usize = shard.entries.values().map(|entry| entry.weight).sum();
            assert_eq!(shard.weight, held);
            assert!(held <= 10_000, "{held}");
        }
    }

    #[tokio::test]
    async fn without_room_nothing_is_remembered() {
        let (_folder, memory) = memory(0).await;
        put(&memory, 1, "k", "one");
        assert_eq!(get(&memory, 1, "k"), None);
    }
}
