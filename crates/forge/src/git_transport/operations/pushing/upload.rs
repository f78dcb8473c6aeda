//! Reads the packets before the pack of a push.

use std::io;

use tokio::io::{AsyncRead, AsyncReadExt};

use super::unreadable;
use contract::problem::Problem;
use contract::reply::Outcome;
use git::transport::push::RefCommand;
use git::transport::{BadRequest, packet};
use storage::heavy::{self, Held};

/// The most references of one push, and the bytes of their commands.
const MOST_COMMANDS: usize = 10_000;
const MOST_BYTES: usize = 8 * 1024 * 1024;

/// Reads lines up to the first flush packet; empty if nothing was sent. Holds memory for them and
/// for what they are parsed to.
pub(super) async fn lines(upload: &mut (impl AsyncRead + Unpin)) -> Outcome<(Vec<Vec<u8>>, Held)> {
    let mut lines = Vec::new();
    let mut bytes = 0;
    let mut held = heavy::hold(0).await?;
    loop {
        let mut head = [0; 4];
        let first_byte = upload.read(&mut head[..1]).await;
        if first_byte.map_err(|error| unread(&error))? == 0 && lines.is_empty() {
            return Ok((lines, held));
        }
        let read = upload.read_exact(&mut head[1..]).await;
        read.map_err(|error| unread(&error))?;
        let Some(length) = packet::payload(head).map_err(unreadable)? else {
            return Ok((lines, held));
        };
        held.grow(2 * (length + size_of::<RefCommand>())).await?;
        let mut line = vec![0; length];
        let read = upload.read_exact(&mut line).await;
        read.map_err(|error| unread(&error))?;
        bytes += length;
        if lines.len() == MOST_COMMANDS || bytes > MOST_BYTES {
            let message = format!("a push changes at most {MOST_COMMANDS} references");
            return Err(unreadable(BadRequest(message)));
        }
        lines.push(line);
    }
}

/// The error for a body that cannot be read.
pub(super) fn unread(error: &io::Error) -> Problem {
    match error.kind() {
        io::ErrorKind::TimedOut => Problem::RequestTimeout,
        io::ErrorKind::FileTooLarge => Problem::TooLarge,
        _ => Problem::BadRequest("the remote end hung up unexpectedly".into()),
    }
}
