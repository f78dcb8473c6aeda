//! A response that is spooled before it is sent: in memory while it is short, and in an unlinked
//! temporary file beyond that. So it shows one consistent state, and while a slow client reads
//! it, it holds no database connection and only one piece in memory.

use std::io::{self, SeekFrom};

use bytes::Bytes;
use http_body_util::combinators::BoxBody;
use tokio::fs::File;
use tokio::io::{AsyncReadExt, AsyncSeekExt, AsyncWriteExt};
use tokio::sync::mpsc;

use super::sending::{self, Piece};

/// Bytes in memory.
const MEMORY: usize = 1024 * 1024;

/// Bytes that are read from the file at a time.
const PIECE: usize = 64 * 1024;

#[derive(Default)]
pub struct ResponseSpool {
    /// The bytes after those in the file.
    pub memory: Vec<u8>,
    file: Option<File>,
}

/// A complete response.
pub enum SpooledResponse {
    Short(Vec<u8>),
    Long(BoxBody<Bytes, io::Error>),
}

impl ResponseSpool {
    /// Moves the bytes to the file if there are too many. Call this after adding some.
    pub async fn spill(&mut self) -> io::Result<()> {
        match self.memory.len() < MEMORY {
            true => Ok(()),
            false => self.flush().await,
        }
    }

    async fn flush(&mut self) -> io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            None => {
                let file = tokio::task::spawn_blocking(tempfile::tempfile).await??;
                self.file.insert(File::from_std(file))
            }
        };
        file.write_all(&self.memory).await?;
        self.memory.clear();
        Ok(())
    }

    pub async fn finish(mut self) -> io::Result<SpooledResponse> {
        if self.file.is_none() {
            return Ok(SpooledResponse::Short(self.memory));
        }
        self.flush().await?;
        let Some(mut file) = self.file else {
            return Ok(SpooledResponse::Short(Vec::new()));
        };
        file.flush().await?;
        file.seek(SeekFrom::Start(0)).await?;
        Ok(SpooledResponse::Long(sending::streamed(|sender| {
            read(file, sender)
        })))
    }
}

async fn read(mut file: File, sender: mpsc::Sender<Piece>) {
    loop {
        let mut piece = Vec::with_capacity(PIECE);
        let read = file.read_buf(&mut piece).await;
        let piece = match read {
            Ok(0) => return,
            Ok(_) => Ok(piece.into()),
            Err(error) => Err(error),
        };
        let failed = piece.is_err();
        if sender.send(piece).await.is_err() || failed {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt;

    use super::*;

    #[tokio::test]
    async fn what_is_long_comes_back_from_a_file() {
        let mut outgoing = ResponseSpool::default();
        let mut expected = Vec::new();
        for number in 0..400_000_u32 {
            outgoing.memory.extend(number.to_be_bytes());
            expected.extend(number.to_be_bytes());
            outgoing.spill().await.unwrap();
            assert!(outgoing.memory.len() < MEMORY);
        }
        let Ok(SpooledResponse::Long(body)) = outgoing.finish().await else {
            panic!("it is short");
        };
        assert!(body.collect().await.unwrap().to_bytes() == expected);
        let mut outgoing = ResponseSpool::default();
        outgoing.memory.extend(b"0000");
        let response = outgoing.finish().await.unwrap();
        assert!(matches!(response, SpooledResponse::Short(bytes) if bytes == b"0000"));
    }
}
