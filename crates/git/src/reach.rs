//! Reachability tables. The history is split into chains, each a path from parent to child.
//! The table of a commit stores, for each chain, the highest position that the commit
//! reaches. So an ancestry test is one lookup. `graph` writes the tables.
//!
//! A table is a persistent radix tree with fanout 16, keyed by the chain number. It shares
//! all unchanged nodes with the tables of the commit's parents: a merge writes a path for
//! each chain that is new to one of its parents, and a commit with one parent usually
//! writes nothing. (H. V. Jagadish, "A compression technique to materialize transitive
//! closure", 1990, for the chains; J. R. Driscoll et al., "Making data structures
//! persistent", 1989, for the sharing.)
//!
//! Nothing here waits for the database: a query returns the pages that it lacks, and the
//! caller reads them and asks again (`pages`). No query needs more than [`LEVELS`] rounds.

mod count;
mod page;
mod pages;

use std::collections::BTreeSet;

pub(super) use count::count;
use page::{FANOUT, TableNode};
pub(super) use page::{LEVELS, TablePage};
pub(super) use pages::Pages;

/// The address of a tree node: the commit that it was written with, and its index in that
/// commit's page. 0 is the null address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct NodeAddress(u64);

impl NodeAddress {
    const INDEX_BITS: u32 = 20;

    /// Parses `git_commit.reach`.
    pub(super) fn stored(value: Option<i64>) -> Option<Self> {
        value.and_then(|value| u64::try_from(value).ok()).map(Self)
    }

    pub(super) fn to_store(self) -> Option<i64> {
        i64::try_from(self.0).ok()
    }

    fn new(commit: i64, index: usize) -> Option<Self> {
        let commit = u64::try_from(commit).ok().filter(|id| *id < 1 << 43)?;
        let index = u64::try_from(index).ok()?;
        let fits = index < 1 << Self::INDEX_BITS;
        fits.then_some(Self(commit << Self::INDEX_BITS | index))
    }

    fn commit(self) -> i64 {
        i64::try_from(self.0 >> Self::INDEX_BITS).unwrap_or(i64::MAX)
    }

    fn index(self) -> usize {
        usize::try_from(self.0 & ((1 << Self::INDEX_BITS) - 1)).unwrap_or(usize::MAX)
    }
}

/// A position in the history: a chain, and an index on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct ChainPosition {
    pub chain: i64,
    pub position: i64,
}

/// Why a query has no result yet.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum NotYet {
    /// The pages of these commits must be read first.
    Unread(BTreeSet<i64>),
    /// The stored tables are corrupt.
    Damaged,
}

/// The highest position of a chain that the table at `root` reaches.
pub(super) fn position(
    pages: &Pages,
    root: Option<NodeAddress>,
    chain: i64,
) -> Result<Option<i64>, NotYet> {
    let mut look = Look::new(pages);
    let mut at = root.map_or(0, |root| root.0);
    for level in (0..LEVELS).rev() {
        let node = look.node(at);
        at = node.slots[digit(chain, level)];
    }
    look.finish(decode_position(at))
}

/// The highest common commit of each chain in two tables, except for shared subtrees. A
/// shared subtree was written with a commit that both contain and lies below it, so it has
/// no best common ancestor.
pub(super) fn common(
    pages: &Pages,
    one: Option<NodeAddress>,
    other: Option<NodeAddress>,
) -> Result<Vec<ChainPosition>, NotYet> {
    let mut look = Look::new(pages);
    let mut positions = Vec::new();
    let start = [one, other].map(|root| root.map_or(0, |root| root.0));
    let mut pending = vec![(start, LEVELS, 0)];
    while let Some(([a, b], level, chain)) = pending.pop() {
        if a == 0 || b == 0 || (level > 0 && a == b) {
            continue;
        }
        if level == 0 {
            let position = decode_position(a.min(b)).unwrap_or_default();
            positions.push(ChainPosition { chain, position });
            continue;
        }
        let slots = [look.node(a).slots, look.node(b).slots];
        for (digit, pair) in (0_i64..).zip(slots[0].into_iter().zip(slots[1])) {
            pending.push(([pair.0, pair.1], level - 1, chain << 4 | digit));
        }
    }
    look.finish(positions)
}

/// A new table that is written with one commit.
pub(super) struct TableBuilder<'a> {
    look: Look<'a>,
    commit: i64,
    page: TablePage,
    root: u64,
    full: bool,
}

impl<'a> TableBuilder<'a> {
    /// An empty table for the commit with this row id.
    pub(super) fn new(pages: &'a Pages, commit: i64) -> Self {
        Self {
            look: Look::new(pages),
            commit,
            page: TablePage::default(),
            root: 0,
            full: false,
        }
    }

    /// Adds everything that another table reaches.
    pub(super) fn merge(&mut self, other: Option<NodeAddress>) {
        let other = other.map_or(0, |root| root.0);
        self.root = self.merged(self.root, other, LEVELS);
    }

    /// Adds a chain up to a position.
    pub(super) fn put(&mut self, position: ChainPosition) {
        self.root = self.with(self.root, position, LEVELS);
    }

    /// The root of the table, and its new nodes.
    pub(super) fn finish(self) -> Result<(Option<NodeAddress>, TablePage), NotYet> {
        if self.full {
            return Err(NotYet::Damaged);
        }
        let root = (self.root != 0).then_some(NodeAddress(self.root));
        self.look.finish((root, self.page))
    }

    fn merged(&mut self, a: u64, b: u64, level: u8) -> u64 {
        if a == b || b == 0 {
            return a;
        }
        if a == 0 {
            return b;
        }
        if level == 0 {
            return a.max(b);
        }
        let (one, other) = (self.node(a), self.node(b));
        let mut slots = one.slots;
        for (slot, theirs) in slots.iter_mut().zip(other.slots) {
            *slot = self.merged(*slot, theirs, level - 1);
        }
        if slots == one.slots {
            a
        } else if slots == other.slots {
            b
        } else {
            self.write(a, level - 1, slots)
        }
    }

    fn with(&mut self, at: u64, position: ChainPosition, level: u8) -> u64 {
        if level == 0 {
            let value = u64::try_from(position.position + 1).unwrap_or(0);
            return at.max(value);
        }
        let mut slots = self.node(at).slots;
        let slot = digit(position.chain, level - 1);
        let below = self.with(slots[slot], position, level - 1);
        if below == slots[slot] {
            return at;
        }
        slots[slot] = below;
        self.write(at, level - 1, slots)
    }

    fn node(&mut self, at: u64) -> TableNode {
        match self.own_index(at) {
            Some(index) => self.page.nodes[index],
            None => self.look.node(at),
        }
    }

    /// The index of a node of this page.
    fn own_index(&self, at: u64) -> Option<usize> {
        let address = NodeAddress(at);
        (address.commit() == self.commit).then(|| address.index())
    }

    /// Writes a node in place of the one at `at`. A node of this page is changed in place;
    /// others are shared and stay as they are.
    fn write(&mut self, at: u64, level: u8, slots: [u64; FANOUT]) -> u64 {
        let node = TableNode { level, slots };
        if let Some(index) = self.own_index(at) {
            self.page.nodes[index] = node;
            return at;
        }
        let Some(address) = NodeAddress::new(self.commit, self.page.nodes.len()) else {
            self.full = true;
            return at;
        };
        self.page.nodes.push(node);
        address.0
    }
}

/// A lookup that records missing pages.
struct Look<'a> {
    pages: &'a Pages,
    unread: BTreeSet<i64>,
    damaged: bool,
}

impl<'a> Look<'a> {
    fn new(pages: &'a Pages) -> Self {
        Self {
            pages,
            unread: BTreeSet::new(),
            damaged: false,
        }
    }

    /// The node at an address. Returns an empty node for the null address, and for a page
    /// that is missing.
    fn node(&mut self, at: u64) -> TableNode {
        let address = NodeAddress(at);
        if at == 0 {
            return TableNode::default();
        }
        let Some(page) = self.pages.get(address.commit()) else {
            self.unread.insert(address.commit());
            return TableNode::default();
        };
        match page.nodes.get(address.index()) {
            Some(node) => *node,
            None => {
                self.damaged = true;
                TableNode::default()
            }
        }
    }

    fn finish<T>(self, answer: T) -> Result<T, NotYet> {
        if self.damaged {
            return Err(NotYet::Damaged);
        }
        if !self.unread.is_empty() {
            return Err(NotYet::Unread(self.unread));
        }
        Ok(answer)
    }
}

/// The branch of a node at a level that leads to a chain.
fn digit(chain: i64, level: u8) -> usize {
    usize::try_from(chain >> (4 * u32::from(level)) & 15).unwrap_or(0)
}

/// Decodes a position; 0 means none.
fn decode_position(value: u64) -> Option<i64> {
    i64::try_from(value)
        .ok()
        .filter(|value| *value > 0)
        .map(|value| value - 1)
}

#[cfg(test)]
mod tests;
