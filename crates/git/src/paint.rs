//! Git's own walk for common ancestors, for cases without a shortcut. Keeps Git's order, so
//! that ties resolve as in Git.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use sea_orm::DbErr;

use super::walk::CommitCache;
use storage::database::Connection;

const ONE: u8 = 1;
const OTHER: u8 = 2;
const BOTH: u8 = ONE | OTHER;
/// Below a common ancestor: still to be painted, but not a candidate.
const STALE: u8 = 4;
const CANDIDATE: u8 = 8;

/// Paints ancestors from both sides, newest first, until only ancestors of the results are
/// left.
pub(super) struct Paint {
    colours: HashMap<i64, u8>,
    /// By date, then by insertion order, which is how Git breaks ties.
    queue: BinaryHeap<(i64, Reverse<u64>, i64)>,
    turn: u64,
    starts: [i64; 2],
}

impl Paint {
    pub(super) fn new(one: i64, other: i64) -> Self {
        Self {
            colours: HashMap::new(),
            queue: BinaryHeap::new(),
            turn: 0,
            starts: [one, other],
        }
    }

    /// The common ancestors that are below no other result, latest date first. One of them
    /// may still be an ancestor of another.
    pub(super) async fn run(
        mut self,
        connection: &Connection,
        cache: &mut CommitCache,
    ) -> Result<Vec<i64>, DbErr> {
        for (start, colour) in self.starts.into_iter().zip([ONE, OTHER]) {
            let date = cache.get(connection, start).await?.committed_at;
            self.paint(start, date, colour);
        }
        let mut candidates: Vec<(i64, i64)> = Vec::new();
        while self.any_live() {
            let Some((date, _, id)) = self.queue.pop() else {
                break;
            };
            let colour = self.colour(id);
            let mut below = colour & (BOTH | STALE);
            if below == BOTH {
                if colour & CANDIDATE == 0 {
                    self.colours.insert(id, colour | CANDIDATE);
                    candidates.push((date, id));
                }
                below |= STALE;
            }
            for parent in cache.get(connection, id).await?.parents {
                let date = cache.get(connection, parent).await?.committed_at;
                self.paint(parent, date, below);
            }
        }
        candidates.retain(|(_, id)| self.colour(*id) & STALE == 0);
        candidates.sort_by_key(|(date, _)| Reverse(*date));
        Ok(candidates.into_iter().map(|(_, id)| id).collect())
    }

    fn any_live(&self) -> bool {
        self.queue
            .iter()
            .any(|(_, _, id)| self.colour(*id) & STALE == 0)
    }

    fn colour(&self, id: i64) -> u8 {
        self.colours.get(&id).copied().unwrap_or(0)
    }

    fn paint(&mut self, id: i64, date: i64, colour: u8) {
        let before = self.colour(id);
        if before & colour == colour {
            return;
        }
        self.colours.insert(id, before | colour);
        self.queue.push((date, Reverse(self.turn), id));
        self.turn += 1;
    }
}
