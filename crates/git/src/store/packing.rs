//! Compression and decompression of objects.

use std::io::Read;

use flate2::read::ZlibDecoder;
use flate2::{Compress, Compression, FlushCompress, Status};

use crate::objects::Object;
use crate::{GitError, LARGEST_OBJECT, Sha};
use storage::entities::git_object::ObjectKind;

/// The buffer for compressed content grows by this many bytes.
const GROWTH: usize = 16 * 1024;

/// An object ready to be stored: named and compressed.
#[derive(Clone, Debug)]
pub struct PackedObject {
    pub sha: Sha,
    pub kind: ObjectKind,
    /// Bytes of the object before compression.
    pub size: i64,
    /// The object that this one is stored as a delta of.
    pub base: Option<Sha>,
    pub compressed: Vec<u8>,
}

/// Names and compresses objects. Reuse one for many objects: its tables are large, and
/// allocating them for each object fragments the memory.
pub struct Packer {
    engine: Compress,
    buffer: Vec<u8>,
}

impl Default for Packer {
    fn default() -> Self {
        Self {
            engine: Compress::new(Compression::fast(), true),
            buffer: Vec::new(),
        }
    }
}

impl Packer {
    /// Uses only the CPU, and no more memory than the object's size.
    pub fn pack(&mut self, object: &Object) -> Result<PackedObject, GitError> {
        let sha = object.sha();
        let size = object.content.len() as u64;
        let limit = crate::largest(object.kind);
        if size > limit {
            return Err(GitError::TooLarge { sha, size, limit });
        }
        Ok(PackedObject {
            sha,
            kind: object.kind,
            size: i64::try_from(size).map_err(|_| damaged(sha))?,
            base: None,
            compressed: self.compress(&object.content).ok_or(damaged(sha))?,
        })
    }

    fn compress(&mut self, content: &[u8]) -> Option<Vec<u8>> {
        self.engine.reset();
        self.buffer.clear();
        loop {
            self.buffer.reserve(GROWTH);
            let rest = content.get(usize::try_from(self.engine.total_in()).ok()?..)?;
            let status = self
                .engine
                .compress_vec(rest, &mut self.buffer, FlushCompress::Finish)
                .ok()?;
            if status == Status::StreamEnd {
                return Some(self.buffer.clone());
            }
        }
    }
}

/// Never decompresses more than the size.
pub(super) fn inflate(sha: Sha, compressed: &[u8], size: u64) -> Result<Vec<u8>, GitError> {
    let mut content = Vec::with_capacity(usize::try_from(size.min(LARGEST_OBJECT)).unwrap_or(0));
    ZlibDecoder::new(compressed)
        .take(size.saturating_add(1))
        .read_to_end(&mut content)
        .map_err(|_| damaged(sha))?;
    match content.len() as u64 == size {
        true => Ok(content),
        false => Err(damaged(sha)),
    }
}

pub(super) fn damaged(sha: Sha) -> GitError {
    GitError::Damaged(sha.to_string())
}
