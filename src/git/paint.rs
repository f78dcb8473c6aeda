//! The walk that finds common ancestors of two commits where no shorter way is
//! known: Git's own, with Git's order, so that it finds them in Git's order.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use sea_orm::{ConnectionTrait, DbErr};

use super::walk::Window;

const ONE: u8 = 1;
const OTHER: u8 = 2;
const BOTH: u8 = ONE | OTHER;
/// Below a common ancestor: still to be painted, no candidate any more.
const STALE: u8 = 4;
const CANDIDATE: u8 = 8;

/// Paints ancestors from both sides, newest first, until all that is left is
/// below what was found.
pub(super) struct Paint {
    colours: HashMap<i64, u8>,
    /// By date, then by turn; Git breaks ties so.
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

    /// The common ancestors that are below no other one found, latest date first.
    /// One of them may still be an ancestor of another.
    pub(super) async fn run(
        mut self,
        connection: &impl ConnectionTrait,
        window: &mut Window,
    ) -> Result<Vec<i64>, DbErr> {
        for (start, colour) in self.starts.into_iter().zip([ONE, OTHER]) {
            let date = window.get(connection, start).await?.committed_at;
            self.paint(start, date, colour);
        }
        let mut found: Vec<(i64, i64)> = Vec::new();
        while self.any_live() {
            let Some((date, _, id)) = self.queue.pop() else {
                break;
            };
            let colour = self.colour(id);
            let mut below = colour & (BOTH | STALE);
            if below == BOTH {
                if colour & CANDIDATE == 0 {
                    self.colours.insert(id, colour | CANDIDATE);
                    found.push((date, id));
                }
                below |= STALE;
            }
            for parent in window.get(connection, id).await?.parents {
                let date = window.get(connection, parent).await?.committed_at;
                self.paint(parent, date, below);
            }
        }
        found.retain(|(_, id)| self.colour(*id) & STALE == 0);
        found.sort_by_key(|(date, _)| Reverse(*date));
        Ok(found.into_iter().map(|(_, id)| id).collect())
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
