//! Sends a pack: a header, an entry for each object, and a checksum. Objects are stored in
//! the form of pack entries, so they are copied without recompression; only a delta whose
//! base is not sent is made whole.

use std::collections::{HashMap, HashSet};

use bytes::Bytes;
use sea_orm::ConnectionTrait;
use sha1::{Digest, Sha1};

use super::entry;
use crate::entities::git_object::{self, Kind};
use crate::git::objects::Object;
use crate::git::store::{self, Packer};
use crate::git::{GitError, Sha};
use crate::heavy;

/// Names per query for sizes.
const NAMES: usize = 500;

/// Bytes of objects per piece before compression, unless a single one is larger.
const BYTES: i64 = 4 * 1024 * 1024;

/// A pack of stored objects, given out piece by piece. Holds one piece in memory, and about
/// 60 bytes for each name.
pub struct PackStream {
    repository_id: i64,
    names: Vec<Sha>,
    /// The same; a delta is sent as it is if its base is among them.
    sent: HashSet<Sha>,
    /// Names whose batches are made.
    taken: usize,
    /// Batches to come, the next one last.
    batches: Vec<Vec<Sha>>,
    hasher: Sha1,
    next: Next,
}

enum Next {
    Header,
    Entries,
    Nothing,
}

impl PackStream {
    /// A pack of these objects, in this order. Names that come twice are sent once.
    pub fn new(repository_id: i64, names: Vec<Sha>) -> Self {
        Self {
            repository_id,
            sent: HashSet::with_capacity(names.len()),
            names,
            taken: 0,
            batches: Vec::new(),
            hasher: Sha1::new(),
            next: Next::Header,
        }
    }

    /// The next piece, or None after the last one. Fails if an object is not stored; then
    /// the pack is incomplete, and the client must be told. The connection may be another
    /// one each time: objects do not change.
    pub async fn next(
        &mut self,
        connection: &impl ConnectionTrait,
    ) -> Result<Option<Bytes>, GitError> {
        let piece = match self.next {
            Next::Header => self.header()?,
            Next::Entries => match self.next_batch(connection).await? {
                Some(batch) => self.entries(connection, &batch).await?,
                None => {
                    self.next = Next::Nothing;
                    let checksum = self.hasher.finalize_reset();
                    return Ok(Some(Bytes::copy_from_slice(&checksum)));
                }
            },
            Next::Nothing => return Ok(None),
        };
        self.hasher.update(&piece);
        Ok(Some(piece.into()))
    }

    fn header(&mut self) -> Result<Vec<u8>, GitError> {
        self.next = Next::Entries;
        let sent = &mut self.sent;
        self.names.retain(|name| sent.insert(*name));
        let count = u32::try_from(self.names.len())
            .map_err(|_| GitError::Repository("a pack holds at most 2³² objects".to_owned()))?;
        Ok([b"PACK\0\0\0\x02", &count.to_be_bytes()[..]].concat())
    }

    async fn next_batch(
        &mut self,
        connection: &impl ConnectionTrait,
    ) -> Result<Option<Vec<Sha>>, GitError> {
        if let Some(batch) = self.batches.pop() {
            return Ok(Some(batch));
        }
        let names = &self.names[self.taken..];
        let names = &names[..names.len().min(NAMES)];
        self.taken += names.len();
        let heads = store::heads(connection, self.repository_id, names).await?;
        let sizes = names.iter().map(|name| {
            let head = heads.get(name);
            (*name, head.map_or(0, |head| head.size))
        });
        self.batches = store::batches(sizes, BYTES);
        self.batches.reverse();
        Ok(self.batches.pop())
    }

    async fn entries(
        &self,
        connection: &impl ConnectionTrait,
        batch: &[Sha],
    ) -> Result<Vec<u8>, GitError> {
        let rows = store::rows(connection, self.repository_id, batch).await?;
        let mut whole = self.whole(connection, &rows).await?;
        let bytes = rows.iter().map(|row| row.content.len() + entry::LONGEST);
        let mut piece = Vec::with_capacity(bytes.sum());
        let rows: HashMap<&str, &git_object::Model> =
            rows.iter().map(|row| (&row.sha[..], row)).collect();
        let empty = Object {
            kind: Kind::Tree,
            content: Vec::new(),
        };
        for name in batch {
            if let Some(object) = whole.remove(name) {
                self.write_whole(&mut piece, &object)?;
            } else if let Some(row) = rows.get(&name.to_string()[..]) {
                entry::write_row(&mut piece, row)?;
            } else if *name == Sha::EMPTY_TREE {
                // It exists without being stored, as in Git.
                self.write_whole(&mut piece, &empty)?;
            } else {
                return Err(GitError::Missing(*name));
            }
        }
        Ok(piece)
    }

    /// The objects among the rows that are deltas of objects that are not sent.
    async fn whole(
        &self,
        connection: &impl ConnectionTrait,
        rows: &[git_object::Model],
    ) -> Result<HashMap<Sha, Object>, GitError> {
        let mut names = Vec::new();
        for row in rows {
            if let Some(base) = &row.base_sha
                && !self.sent.contains(&Sha::stored(base)?)
            {
                names.push(Sha::stored(&row.sha)?);
            }
        }
        let chains = store::load_many_packed(connection, self.repository_id, &names).await?;
        let unpack = move || {
            let objects = chains
                .iter()
                .map(|chain| Ok((chain.sha, store::unpack(chain.sha, chain)?)));
            objects.collect()
        };
        if names.is_empty() {
            return unpack();
        }
        let done = heavy::compute(unpack).await;
        done.map_err(|error| GitError::Repository(error.to_string()))?
    }

    fn write_whole(&self, piece: &mut Vec<u8>, object: &Object) -> Result<(), GitError> {
        let packed = Packer::default().pack(object)?;
        let size = packed.size.unsigned_abs();
        entry::write(piece, packed.kind, size, &packed.compressed);
        Ok(())
    }
}
