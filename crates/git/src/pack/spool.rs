//! An unlinked temporary file that grows at its end and is read anywhere. It lies in the
//! folder that TMPDIR names.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::fs::FileExt;

use flate2::read::ZlibDecoder;

use super::PackError;

/// Bytes that are written at a time.
const BUFFER: usize = 256 * 1024;

pub(super) struct Spool {
    file: File,
    /// Bytes in the file.
    flushed: u64,
    /// Bytes that are not in the file yet.
    buffer: Vec<u8>,
    /// The most bytes that the file may have.
    limit: u64,
}

impl Spool {
    pub(super) fn create(limit: u64) -> Result<Self, PackError> {
        Ok(Self {
            file: tempfile::tempfile().map_err(PackError::Spool)?,
            flushed: 0,
            buffer: Vec::with_capacity(BUFFER),
            limit,
        })
    }

    pub(super) fn end(&self) -> u64 {
        self.flushed + self.buffer.len() as u64
    }

    /// Appends bytes, and returns where they begin.
    pub(super) fn append(&mut self, bytes: &[u8]) -> Result<u64, PackError> {
        let start = self.end();
        if start + bytes.len() as u64 > self.limit {
            return Err(PackError::Limit {
                resource: "size of its objects",
                limit: self.limit,
            });
        }
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() >= BUFFER {
            self.flush()?;
        }
        Ok(start)
    }

    pub(super) fn flush(&mut self) -> Result<(), PackError> {
        self.file
            .write_all(&self.buffer)
            .map_err(PackError::Spool)?;
        self.flushed += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }

    /// Reads bytes that were appended before.
    pub(super) fn read(&self, at: u64, length: u32) -> Result<Vec<u8>, PackError> {
        let mut bytes = vec![0; length as usize];
        let in_file = usize::try_from(self.flushed.saturating_sub(at)).unwrap_or(usize::MAX);
        let (early, late) = bytes.split_at_mut(in_file.min(length as usize));
        self.file
            .read_exact_at(early, at)
            .map_err(PackError::Spool)?;
        let start = at.saturating_sub(self.flushed) as usize;
        let buffered = self.buffer.get(start..start + late.len());
        late.copy_from_slice(buffered.ok_or_else(lost)?);
        Ok(bytes)
    }

    /// Reads and inflates a zlib stream that has been inflated before.
    pub(super) fn inflate(&self, at: u64, length: u32, size: u32) -> Result<Vec<u8>, PackError> {
        let compressed = self.read(at, length)?;
        let mut content = Vec::with_capacity(size as usize);
        ZlibDecoder::new(compressed.as_slice())
            .take(u64::from(size) + 1)
            .read_to_end(&mut content)
            .map_err(PackError::Spool)?;
        match content.len() == size as usize {
            true => Ok(content),
            false => Err(lost()),
        }
    }
}

fn lost() -> PackError {
    PackError::Spool(io::Error::other("the temporary file has changed"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_read_from_the_file_and_the_buffer() {
        let mut spool = Spool::create(1 << 20).unwrap();
        let bytes: Vec<u8> = (0..=255).cycle().take(BUFFER + 1000).collect();
        for piece in bytes.chunks(777) {
            spool.append(piece).unwrap();
        }
        assert_eq!(spool.end(), bytes.len() as u64);
        for (at, length) in [(0, 10), (BUFFER - 100, 1100), (BUFFER + 990, 10), (5, 0)] {
            let read = spool.read(at as u64, length as u32).unwrap();
            assert!(read == bytes[at..at + length], "{at}");
        }
        assert!(spool.read(BUFFER as u64 + 999, 2).is_err());
        assert!(matches!(
            spool.append(&vec![0; 1 << 20]),
            Err(PackError::Limit { .. })
        ));
    }
}
