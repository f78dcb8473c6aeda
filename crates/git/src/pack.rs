//! The pack format (<https://git-scm.com/docs/gitformat-pack>): many objects in one stream
//! of bytes, as `git push`, `git fetch` and `git clone` transfer them.
//!
//! To receive a pack:
//!
//! 1. [`receive()`] reads it, checks every object, and keeps it in a temporary file. Thin
//!    packs may have deltas whose bases are stored in the repository. Nothing is written to
//!    the database. Its memory is a fixed amount (a cache of delta bases, and the largest
//!    object a few times) and about 150 bytes per object.
//! 2. [`ReceivedPack::kind_of`] tells whether the pack has an object, for new references.
//! 3. [`ReceivedPack::connected`] finds an object that is referenced but missing.
//! 4. [`ReceivedPack::store`] writes the objects and the commit graph, in the caller's
//!    transaction.
//!
//! The caller needs no permit for heavy work: [`receive()`] acquires one for each piece that
//! it computes, and holds none while it waits for the sender.
//!
//! To send a pack, [`PackStream`] gives it out piece by piece, in bounded memory.

mod connectivity;
pub(super) mod entry;
mod error;
mod facts;
mod index;
mod modules;
mod names;
mod parser;
mod reachable;
mod reader;
mod receive;
mod resolver;
mod spool;
mod store;
mod stream;
#[cfg(test)]
mod tests;

pub use error::PackError;
pub use index::ReceivedPack;
pub use names::ObjectNames;
pub(super) use reader::PackReader;
pub use receive::receive;
pub use store::{PackBatch, PackWriter, StoredPack};
pub use stream::PackStream;

/// Limits on the resources that a received pack may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackLimits {
    /// Bytes of the pack.
    pub pack_bytes: u64,
    /// Objects of the pack; also the limit of objects that they reference.
    pub objects: u32,
    /// Bytes that are inflated and made of deltas: whatever the length of the pack, for each byte
    /// of it, and in total.
    pub inflated_base: u64,
    pub inflated_factor: u64,
    pub inflated_bytes: u64,
    /// Bytes of the temporary file: the pack, and every object in compressed form.
    pub spool_bytes: u64,
    /// Deltas between an object and its whole base. Git's own limit is 4095.
    pub chain_depth: u16,
}

impl Default for PackLimits {
    /// For packs from clients.
    fn default() -> Self {
        Self {
            pack_bytes: 2 << 30,
            objects: 2_000_000,
            inflated_base: 512 << 20,
            inflated_factor: 256,
            inflated_bytes: 32 << 30,
            spool_bytes: 8 << 30,
            chain_depth: 4095,
        }
    }
}

impl PackLimits {
    /// Checks the bytes that were inflated after so many bytes of the pack.
    fn check_inflated(&self, inflated: u64, sent: u64) -> Result<(), PackError> {
        let earned = sent.saturating_mul(self.inflated_factor);
        let limit = self.inflated_base.saturating_add(earned);
        let limit = limit.min(self.inflated_bytes);
        match inflated > limit {
            true => Err(PackError::Limit {
                resource: "size of its objects before compression",
                limit,
            }),
            false => Ok(()),
        }
    }
}
