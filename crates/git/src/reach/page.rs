//! The nodes that were written with one commit, and their encoding.
//!
//! A node is its level, a bitmap of its branches, and the branches. A branch is a position
//! on the last level; elsewhere it is the distance in commits to the next node's page and
//! the index there. All numbers are LEB128, so a branch takes a few bytes.

use super::NodeAddress;

/// Branches of a node.
pub(super) const FANOUT: usize = 16;

/// Levels of a table: enough for 16⁸, four billion chains. Upper levels with one branch are
/// cheap.
pub(crate) const LEVELS: u8 = 8;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct TableNode {
    /// 0 if the branches are positions.
    pub level: u8,
    /// Addresses, or positions plus one; 0 for an empty slot.
    pub slots: [u64; FANOUT],
}

/// The nodes that were written with one commit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct TablePage {
    pub(super) nodes: Vec<TableNode>,
}

impl TablePage {
    pub(crate) fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    pub(crate) fn encode(&self, commit: i64) -> Vec<u8> {
        let mut bytes = Vec::new();
        for node in &self.nodes {
            let present = (0..FANOUT).filter(|slot| node.slots[*slot] != 0);
            let bits = present.fold(0_u16, |bits, slot| bits | 1 << slot);
            bytes.push(node.level);
            bytes.extend(bits.to_le_bytes());
            for value in node.slots.into_iter().filter(|value| *value != 0) {
                if node.level == 0 {
                    push(&mut bytes, value);
                } else {
                    let address = NodeAddress(value);
                    let ago = commit.saturating_sub(address.commit());
                    push(&mut bytes, u64::try_from(ago).unwrap_or(0));
                    push(&mut bytes, address.index() as u64);
                }
            }
        }
        bytes
    }

    /// Decodes a page; None if the bytes are not a page of that commit.
    pub(crate) fn decode(commit: i64, mut bytes: &[u8]) -> Option<Self> {
        let mut nodes = Vec::new();
        while let Some((level, rest)) = bytes.split_first() {
            let (bits, rest) = rest.split_first_chunk()?;
            let bits = u16::from_le_bytes(*bits);
            bytes = rest;
            let mut slots = [0; FANOUT];
            for (slot, value) in slots.iter_mut().enumerate() {
                if bits & (1 << slot) == 0 {
                    continue;
                }
                *value = take(&mut bytes)?;
                if *level > 0 {
                    let from = commit.checked_sub_unsigned(*value)?;
                    let index = usize::try_from(take(&mut bytes)?).ok()?;
                    *value = NodeAddress::new(from, index)?.0;
                }
            }
            let level = *level;
            nodes.push(TableNode { level, slots });
        }
        Some(Self { nodes })
    }
}

fn push(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

fn take(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}
