//! What a connection gets for which there is no place: 503 in the one shape, at
//! once, without its request being read for what it means.

use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;

use crate::contract::problem::{DOCUMENTATION_ROOT, Problem};

/// How many are told at a time. Beyond that there is only a closed connection.
const TOLD: usize = 1024;

/// How long one may take to listen.
const PATIENCE: Duration = Duration::from_secs(1);

pub struct Refusals {
    places: Arc<Semaphore>,
    answer: Arc<[u8]>,
}

impl Refusals {
    pub fn new() -> Self {
        Self {
            places: Arc::new(Semaphore::new(TOLD)),
            answer: answer().into(),
        }
    }

    pub fn refuse(&self, stream: TcpStream) {
        let Ok(place) = self.places.clone().try_acquire_owned() else {
            return;
        };
        let answer = self.answer.clone();
        tokio::spawn(async move {
            let _ = tokio::time::timeout(PATIENCE, tell(stream, &answer)).await;
            drop(place);
        });
    }
}

/// What the peer has sent must be read before the connection is closed: closing
/// over unread bytes resets it, and the peer may then never see the answer.
async fn tell(mut stream: TcpStream, answer: &[u8]) -> std::io::Result<()> {
    stream.write_all(answer).await?;
    stream.shutdown().await?;
    let mut ignored = [0; 4096];
    while stream.read(&mut ignored).await? > 0 {}
    Ok(())
}

fn answer() -> Vec<u8> {
    let problem = Problem::Unavailable("every connection is taken".into());
    let body = serde_json::to_string(&problem.body(DOCUMENTATION_ROOT)).unwrap_or_default();
    let after = problem.retry_after().unwrap_or(1);
    format!(
        "HTTP/1.1 503 Service Unavailable\r\n\
         content-type: application/json; charset=utf-8\r\n\
         content-length: {}\r\nretry-after: {after}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}
