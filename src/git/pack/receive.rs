//! Receives a pack: feeds the parser, then resolves its deltas, with bases of the
//! repository where the pack is thin.

use sea_orm::ConnectionTrait;
use tokio::io::{AsyncRead, AsyncReadExt};

use super::index::ReceivedPack;
use super::parser::Parser;
use super::resolver::Resolver;
use super::{PackError, PackLimits};
use crate::git::store;
use crate::heavy;

/// Bytes that are parsed at a time.
const PIECE: usize = 128 * 1024;

/// Names of bases per query for their sizes.
const NAMES: usize = 1000;

/// Bytes of bases per query, unless a single one is larger.
const BYTES: i64 = 4 * 1024 * 1024;

/// Reads a pack to the end of the input, and checks it: its form, the form of each object
/// (as `git fsck`), and the limits. Bases of a thin pack are read from the repository.
pub async fn receive(
    mut input: impl AsyncRead + Unpin,
    limits: PackLimits,
    connection: &impl ConnectionTrait,
    repository_id: i64,
) -> Result<ReceivedPack, PackError> {
    let mut parser = heavy::compute(move || Parser::new(limits)).await??;
    loop {
        let piece = next_piece(&mut input).await?;
        let last = piece.len() < PIECE;
        parser = heavy::compute(move || {
            parser.push(&piece)?;
            Ok::<_, PackError>(parser)
        })
        .await??;
        if last {
            break;
        }
    }
    parser.finish()?;
    let resolver = heavy::compute(move || {
        let mut resolver = Resolver::new(parser, limits);
        resolver.resolve().map(|()| resolver)
    })
    .await??;
    let resolver = add_bases(resolver, connection, repository_id).await?;
    heavy::compute(move || resolver.finish()).await?
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
    connection: &impl ConnectionTrait,
    repository_id: i64,
) -> Result<Resolver, PackError> {
    for names in resolver.unresolved_bases().chunks(NAMES) {
        let heads = store::heads(connection, repository_id, names).await?;
        let sizes = names.iter().filter_map(|name| {
            let head = heads.get(name)?;
            Some((*name, head.size))
        });
        for batch in store::batches(sizes, BYTES) {
            let bases = store::load_many(connection, repository_id, &batch).await?;
            resolver = heavy::compute(move || {
                resolver.add_bases(bases)?;
                Ok::<_, PackError>(resolver)
            })
            .await??;
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
