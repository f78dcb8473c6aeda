//! Receives a pack: feeds the parser, then resolves its deltas, with bases of the
//! repository where the pack is thin.

use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncReadExt};

use super::index::ReceivedPack;
use super::modules;
use super::parser::Parser;
use super::resolver::Resolver;
use super::{PackError, PackLimits};
use crate::store;
use storage::database::Connection;
use storage::heavy::{self, Held};

/// Bytes that are parsed at a time.
const PIECE: usize = 128 * 1024;

/// The memory of a parser of its own: its buffers, and a commit or a tag that is not complete.
const FIXED: usize = 2 * 1024 * 1024;

/// Names of bases per query for their sizes.
const NAMES: usize = 1000;

/// Bytes of bases per query, unless a single one is larger.
const BYTES: i64 = 4 * 1024 * 1024;

/// Reads a pack to the end of the input, and checks it: its form, the form of each object
/// (as `git fsck`), and the limits. Bases of a thin pack are read from the repository.
pub async fn receive(
    mut input: impl AsyncRead + Unpin,
    limits: PackLimits,
    connection: &Connection,
    repository_id: i64,
) -> Result<ReceivedPack, PackError> {
    let mut memory = PackMemory::reserve(FIXED).await?;
    let mut parser = heavy::compute(move || Parser::new(limits)).await??;
    loop {
        let piece = next_piece(&mut input).await?;
        let last = piece.len() < PIECE;
        parser = parse(parser, piece, &mut memory).await?;
        if last {
            break;
        }
    }
    parser.finish()?;
    let resolver = heavy::compute(move || Resolver::new(parser, limits)).await??;
    // Given back first: who holds nothing may get more than others leave.
    drop(memory);
    let mut memory = PackMemory::reserve(FIXED + resolver.memory()).await?;
    let resolver = resolve(resolver).await?;
    let resolver = add_bases(resolver, connection, repository_id, &memory).await?;
    let pack = heavy::compute(move || resolver.finish()).await??;
    let pack = modules::check(pack, connection, repository_id).await?;
    memory.shrink(FIXED + pack.memory());
    Ok(pack.held_by(memory.held))
}

/// The memory that a pack takes.
struct PackMemory {
    held: Held,
    bytes: usize,
}

impl PackMemory {
    async fn reserve(bytes: usize) -> Result<Self, PackError> {
        let held = heavy::hold(bytes).await.map_err(PackError::Refused)?;
        Ok(Self { held, bytes })
    }

    /// Makes it as large as this, if it is smaller.
    async fn grow(&mut self, bytes: usize) -> Result<(), PackError> {
        let more = bytes.saturating_sub(self.bytes);
        if more > 0 {
            self.held.grow(more).await?;
            self.bytes += more;
        }
        Ok(())
    }

    /// Makes it as small as this.
    fn shrink(&mut self, bytes: usize) {
        self.held.shrink(self.bytes.saturating_sub(bytes));
        self.bytes = self.bytes.min(bytes);
    }
}

/// Parses a piece, with a permit for each turn. Stops with its request.
async fn parse(
    mut parser: Parser,
    piece: Vec<u8>,
    memory: &mut PackMemory,
) -> Result<Parser, PackError> {
    let piece = Arc::new(piece);
    let mut taken = 0;
    while taken < piece.len() {
        let piece = Arc::clone(&piece);
        let turn = move || {
            let used = parser.push(&piece[taken..])?;
            Ok::<_, PackError>((parser, used))
        };
        let used;
        (parser, used) = heavy::compute(turn).await??;
        taken += used;
        memory.grow(FIXED + parser.memory()).await?;
    }
    Ok(parser)
}

/// Resolves the deltas whose bases are known, with a permit for each turn. Stops with its request.
async fn resolve(mut resolver: Resolver) -> Result<Resolver, PackError> {
    loop {
        let turn = move || {
            let done = resolver.resolve()?;
            Ok::<_, PackError>((resolver, done))
        };
        let done;
        (resolver, done) = heavy::compute(turn).await??;
        if done {
            return Ok(resolver);
        }
    }
}

/// The next bytes; fewer than [`PIECE`] only at the end of the input.
async fn next_piece(input: &mut (impl AsyncRead + Unpin)) -> Result<Vec<u8>, PackError> {
    let mut piece = Vec::with_capacity(PIECE);
    let mut rest = input.take(PIECE as u64);
    while piece.len() < PIECE {
        let read = rest.read_buf(&mut piece).await.map_err(PackError::Input)?;
        if read == 0 {
            break;
        }
    }
    Ok(piece)
}

/// Loads the bases that a thin pack lacks, a few megabytes at a time.
async fn add_bases(
    mut resolver: Resolver,
    connection: &Connection,
    repository_id: i64,
    memory: &PackMemory,
) -> Result<Resolver, PackError> {
    for names in resolver.unresolved_bases().chunks(NAMES) {
        let heads = store::heads(connection, repository_id, names).await?;
        let sizes = names.iter().filter_map(|name| {
            let head = heads.get(name)?;
            Some((*name, head.size))
        });
        for batch in store::batches(sizes, BYTES) {
            let bytes: i64 = batch.iter().map(|name| heads[name].size).sum();
            resolver.spend(bytes.unsigned_abs())?;
            // Also in compressed form, as they are stored and as they are kept.
            let room = usize::try_from(bytes).unwrap_or_default().saturating_mul(3);
            let _room = memory.held.further(room).await?;
            let bases = store::load_many_packed(connection, repository_id, &batch).await?;
            resolver = heavy::compute(move || {
                resolver.add_bases(&bases)?;
                Ok::<_, PackError>(resolver)
            })
            .await??;
            resolver = resolve(resolver).await?;
        }
    }
    Ok(resolver)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn pieces_are_full_until_the_end() {
        let bytes = vec![7; PIECE + 5];
        let mut input = &bytes[..];
        assert_eq!(next_piece(&mut input).await.unwrap().len(), PIECE);
        assert_eq!(next_piece(&mut input).await.unwrap().len(), 5);
        assert_eq!(next_piece(&mut input).await.unwrap().len(), 0);
    }
}
