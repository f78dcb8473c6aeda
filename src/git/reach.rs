//! What each commit reaches, in a form that is asked in a few steps: the history
//! is cut into chains, each a line from parent to child, and a commit's table
//! says for each chain how far up it reaches. Whether it contains another commit
//! is one look into that table. Who writes the tables is `graph`.
//!
//! A table is a tree of sixteen branches, by the digits of the chain's number,
//! and shares with the tables of the commit's parents all that is the same: a
//! merge writes a path for each chain that is news to one of its parents, and a
//! commit that is no merge usually writes nothing. (H. V. Jagadish, "A
//! compression technique to materialize transitive closure", 1990, for the
//! chains; J. R. Driscoll et al., "Making data structures persistent", 1989, for
//! the sharing.)
//!
//! Nothing here waits for the database: what was not read yet is named, the
//! caller reads it and asks again (`pages`). No question needs more than
//! [`LEVELS`] rounds.

mod page;
mod pages;

use std::collections::BTreeSet;

use page::{FANOUT, TableNode};
pub(super) use page::{LEVELS, Page};
pub(super) use pages::Pages;

/// Where a node of a table stands: the commit with which it was written, and its
/// place among what was written with it. Never 0, which means nowhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct NodeAddress(u64);

impl NodeAddress {
    const INDEX_BITS: u32 = 20;

    /// As kept in `git_commit.reach`.
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

/// A place in the history: a chain, and the how-many-eth commit of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct ChainPosition {
    pub chain: i64,
    pub position: i64,
}

/// Why a question has no answer yet.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum NotYet {
    /// The pages of these commits have to be read first.
    Unread(BTreeSet<i64>),
    /// The database holds what is never written, or more than can be.
    Damaged,
}

/// How far up a chain the table at `root` reaches.
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
    look.finish(found(at))
}

/// The highest commit of each chain that two tables have in common, except for
/// what the tables share. That was written with a commit that both contain, and
/// is below it, so that it holds no best common ancestor.
pub(super) fn common(
    pages: &Pages,
    one: Option<NodeAddress>,
    other: Option<NodeAddress>,
) -> Result<Vec<ChainPosition>, NotYet> {
    let mut look = Look::new(pages);
    let mut places = Vec::new();
    let start = [one, other].map(|root| root.map_or(0, |root| root.0));
    let mut pending = vec![(start, LEVELS, 0)];
    while let Some(([a, b], level, chain)) = pending.pop() {
        if a == 0 || b == 0 || (level > 0 && a == b) {
            continue;
        }
        if level == 0 {
            let position = found(a.min(b)).unwrap_or_default();
            places.push(ChainPosition { chain, position });
            continue;
        }
        let slots = [look.node(a).slots, look.node(b).slots];
        for (digit, pair) in (0_i64..).zip(slots[0].into_iter().zip(slots[1])) {
            pending.push(([pair.0, pair.1], level - 1, chain << 4 | digit));
        }
    }
    look.finish(places)
}

/// A table on its way: what its parents reach, written with one commit.
pub(super) struct ReachDraft<'a> {
    look: Look<'a>,
    commit: i64,
    page: Page,
    root: u64,
    full: bool,
}

impl<'a> ReachDraft<'a> {
    /// An empty table, to be written with the commit of this row id.
    pub(super) fn new(pages: &'a Pages, commit: i64) -> Self {
        Self {
            look: Look::new(pages),
            commit,
            page: Page::default(),
            root: 0,
            full: false,
        }
    }

    /// Adds all that another table reaches.
    pub(super) fn merge(&mut self, other: Option<NodeAddress>) {
        let other = other.map_or(0, |root| root.0);
        self.root = self.merged(self.root, other, LEVELS);
    }

    /// Adds a chain up to a position.
    pub(super) fn put(&mut self, place: ChainPosition) {
        self.root = self.with(self.root, place, LEVELS);
    }

    /// The root of the table, and the nodes that are new in it.
    pub(super) fn finish(self) -> Result<(Option<NodeAddress>, Page), NotYet> {
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

    fn with(&mut self, at: u64, place: ChainPosition, level: u8) -> u64 {
        if level == 0 {
            let value = u64::try_from(place.position + 1).unwrap_or(0);
            return at.max(value);
        }
        let mut slots = self.node(at).slots;
        let slot = digit(place.chain, level - 1);
        let below = self.with(slots[slot], place, level - 1);
        if below == slots[slot] {
            return at;
        }
        slots[slot] = below;
        self.write(at, level - 1, slots)
    }

    fn node(&mut self, at: u64) -> TableNode {
        match self.own(at) {
            Some(index) => self.page.nodes[index],
            None => self.look.node(at),
        }
    }

    /// The place of a node among those written here.
    fn own(&self, at: u64) -> Option<usize> {
        let here = NodeAddress(at);
        (here.commit() == self.commit).then(|| here.index())
    }

    /// Writes a node in place of that at `at`. One that is new is nobody else's
    /// and is changed; any other stays as it is.
    fn write(&mut self, at: u64, level: u8, slots: [u64; FANOUT]) -> u64 {
        let node = TableNode { level, slots };
        if let Some(index) = self.own(at) {
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

/// A look at what was read, which remembers what was not.
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

    /// The node at an address. An empty one stands for nowhere, and for what has
    /// to be read before the answer counts.
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

/// The branch of a table at a level that leads to a chain.
fn digit(chain: i64, level: u8) -> usize {
    usize::try_from(chain >> (4 * u32::from(level)) & 15).unwrap_or(0)
}

/// The position that the last level holds; nothing is held as 0.
fn found(value: u64) -> Option<i64> {
    i64::try_from(value)
        .ok()
        .filter(|held| *held > 0)
        .map(|held| held - 1)
}

#[cfg(test)]
mod tests;
