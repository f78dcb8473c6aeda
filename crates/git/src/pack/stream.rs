//! Sends a pack: a header, an entry for each object, and a checksum. Objects are stored in
//! the form of pack entries, so they are copied without recompression; only a delta whose
//! base is not sent is made whole.

use std::collections::HashSet;

use bytes::Bytes;
use sha1::{Digest, Sha1};

use super::{ObjectNames, entry};
use crate::objects::Object;
use crate::store::{self, Packer, StoredEntry};
use crate::{GitError, Sha};
use storage::database::Connection;
use storage::entities::git_object::ObjectKind;
use storage::heavy;

/// Objects per piece, and the bytes of each; a larger one is a piece of its own.
const OBJECTS: usize = 200;
const LONGEST: u32 = 32 * 1024;

/// Bytes before compression of objects that are made whole in one go, unless a single one is
/// larger.
const BYTES: i64 = 4 * 1024 * 1024;

/// A pack of stored objects, given out piece by piece. Holds one piece in memory, and 20
/// bytes for each name.
pub struct PackStream {
    repository_id: i64,
    /// In their order, so that neighbours in the pack are neighbours in the database.
    names: ObjectNames,
    /// Names that were looked up.
    looked_up: usize,
    /// Names of large objects, each sent next as a piece of its own.
    large: Vec<Sha>,
    hasher: Sha1,
    next: Next,
}

enum Next {
    Header,
    Entries,
    Nothing,
}

impl PackStream {
    /// A pack of these objects.
    pub fn new(repository_id: i64, names: ObjectNames) -> Self {
        Self {
            repository_id,
            names,
            looked_up: 0,
            large: Vec::new(),
            hasher: Sha1::new(),
            next: Next::Header,
        }
    }

    /// The next piece, or None after the last one. Fails if an object is not stored; then
    /// the pack is incomplete, and the client must get an error. The connection may be another
    /// one each time: objects do not change.
    pub async fn next(&mut self, connection: &Connection) -> Result<Option<Bytes>, GitError> {
        let piece = match self.next {
            Next::Header => self.header()?,
            Next::Entries if self.large.is_empty() && self.looked_up == self.names.len() => {
                self.next = Next::Nothing;
                let checksum = self.hasher.finalize_reset();
                return Ok(Some(Bytes::copy_from_slice(&checksum)));
            }
            Next::Entries => self.entries(connection).await?,
            Next::Nothing => return Ok(None),
        };
        self.hasher.update(&piece);
        Ok(Some(piece.into()))
    }

    fn header(&mut self) -> Result<Vec<u8>, GitError> {
        self.next = Next::Entries;
        let count = u32::try_from(self.names.len())
            .map_err(|_| GitError::Repository("a pack holds at most 2³² objects".to_owned()))?;
        Ok([b"PACK\0\0\0\x02", &count.to_be_bytes()[..]].concat())
    }

    async fn entries(&mut self, connection: &Connection) -> Result<Vec<u8>, GitError> {
        let (names, longest) = match self.large.pop() {
            Some(large) => (vec![large], u32::MAX),
            None => {
                let names = &self.names[self.looked_up..];
                let names = &names[..names.len().min(OBJECTS)];
                self.looked_up += names.len();
                (names.to_vec(), LONGEST)
            }
        };
        let entries = store::entries(connection, self.repository_id, &names, longest).await?;
        let bytes = entries.iter().filter_map(|entry| entry.content.as_ref());
        let bytes = bytes.map(|content| content.len() + entry::LONGEST);
        let mut piece = Vec::with_capacity(bytes.sum());
        if entries.len() < names.len() {
            self.write_absent(&mut piece, &names, &entries)?;
        }
        let mut whole = Vec::new();
        for entry in entries {
            match entry.base {
                _ if entry.content.is_none() => self.large.push(entry.sha),
                Some(base) if !self.names.contains(base) => {
                    whole.push((entry.sha, i64::try_from(entry.size).unwrap_or(i64::MAX)));
                }
                _ => entry::write_stored(&mut piece, &entry)?,
            }
        }
        for batch in store::batches(whole.into_iter(), BYTES) {
            piece.append(&mut self.made_whole(connection, &batch).await?);
        }
        Ok(piece)
    }

    /// The empty tree exists without being stored, as in Git. Fails for anything else.
    fn write_absent(
        &self,
        piece: &mut Vec<u8>,
        names: &[Sha],
        present: &[StoredEntry],
    ) -> Result<(), GitError> {
        let present: HashSet<Sha> = present.iter().map(|entry| entry.sha).collect();
        for name in names.iter().filter(|name| !present.contains(name)) {
            if *name != Sha::EMPTY_TREE {
                return Err(GitError::Missing(*name));
            }
            let empty = Object {
                kind: ObjectKind::Tree,
                content: Vec::new(),
            };
            write_whole(piece, &mut Packer::default(), &empty)?;
        }
        Ok(())
    }

    /// Entries of objects that are stored as deltas of objects that are not sent.
    async fn made_whole(
        &self,
        connection: &Connection,
        names: &[Sha],
    ) -> Result<Vec<u8>, GitError> {
        let chains = store::load_many_packed(connection, self.repository_id, names).await?;
        let write = move || {
            let mut piece = Vec::new();
            let mut packer = Packer::default();
            for chain in &chains {
                let object = store::unpack(chain.sha, chain)?;
                write_whole(&mut piece, &mut packer, &object)?;
            }
            Ok(piece)
        };
        heavy::compute(write).await?
    }
}

fn write_whole(piece: &mut Vec<u8>, packer: &mut Packer, object: &Object) -> Result<(), GitError> {
    let packed = packer.pack(object)?;
    let size = packed.size.unsigned_abs();
    entry::write(piece, packed.kind, size, &packed.compressed);
    Ok(())
}
