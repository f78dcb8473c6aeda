//! Refuses a connection when no slot is free: sends 503 immediately, without parsing the
//! request.

use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;

use super::Tls;
use contract::problem::{DOCUMENTATION_ROOT, Problem};

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
            answer: answer(
                "503 Service Unavailable",
                &Problem::Unavailable("every connection slot is in use".into()),
            )
            .into(),
        }
    }

    pub fn refuse(&self, stream: TcpStream, tls: Option<Tls>) {
        let Ok(permit) = self.permits.clone().try_acquire_owned() else {
            return;
        };
        let answer = self.answer.clone();
        tokio::spawn(async move {
            let refusal = async {
                match tls {
                    Some(tls) => send(tls.accept_to_refuse(stream).await?, &answer).await,
                    None => send(stream, &answer).await,
                }
            };
            let _ = tokio::time::timeout(TIMEOUT, refusal).await;
            drop(permit);
        });
    }
}

/// Rejects plain HTTP on a TLS port.
pub async fn refuse_without_tls(stream: TcpStream) {
    let problem = Problem::BadRequest("This port serves HTTPS, not HTTP".into());
    let answer = answer("400 Bad Request", &problem);
    let _ = tokio::time::timeout(TIMEOUT, send(stream, &answer)).await;
}

/// Drains the request: closing a connection with unread bytes resets it, and the client may
/// lose the response.
async fn send<S>(mut stream: S, answer: &[u8]) -> std::io::Result<()>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    stream.write_all(answer).await?;
    stream.shutdown().await?;
    let mut ignored = [0; 4096];
    while stream.read(&mut ignored).await? > 0 {}
    Ok(())
}

fn answer(status: &str, problem: &Problem) -> Vec<u8> {
    let body = serde_json::to_string(&problem.body(DOCUMENTATION_ROOT)).unwrap_or_default();
    let after = problem.retry_after();
    let after = after.map_or_else(String::new, |seconds| format!("retry-after: {seconds}\r\n"));
    format!(
        "HTTP/1.1 {status}\r\n\
         content-type: application/json; charset=utf-8\r\n\
         content-length: {}\r\n{after}connection: close\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}
