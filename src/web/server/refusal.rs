//! Refuses a connection when no slot is free: sends 503 immediately, without parsing the
//! request.

use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;

use crate::contract::problem::{DOCUMENTATION_ROOT, Problem};

/// The most concurrent refusals. Further connections are just closed.
const MAX_REFUSALS: usize = 1024;

/// The time limit of a refusal.
const TIMEOUT: Duration = Duration::from_secs(1);

pub struct Refusals {
    permits: Arc<Semaphore>,
    answer: Arc<[u8]>,
}

impl Refusals {
    pub fn new() -> Self {
        Self {
            permits: Arc::new(Semaphore::new(MAX_REFUSALS)),
            answer: answer().into(),
        }
    }

    pub fn refuse(&self, stream: TcpStream) {
        let Ok(permit) = self.permits.clone().try_acquire_owned() else {
            return;
        };
        let answer = self.answer.clone();
        tokio::spawn(async move {
            let _ = tokio::time::timeout(TIMEOUT, send_refusal(stream, &answer)).await;
            drop(permit);
        });
    }
}

/// Drains the request first: closing a connection with unread bytes resets it, and the
/// client may lose the response.
async fn send_refusal(mut stream: TcpStream, answer: &[u8]) -> std::io::Result<()> {
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
