//! The HTTP client for webhooks. Follows no redirects, reads only the head of a response,
//! and takes at most ten seconds in total.

use std::sync::LazyLock;
use std::time::Duration;

use http_body_util::Full;
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use poem::http::{Request, StatusCode, header};
use sha2::{Digest, Sha256};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::rustls::pki_types::ServerName;

use super::address::{Networks, WebhookTarget};
use super::signature;
use super::trust::{Trust, explain};

/// The time limit of a delivery, from connecting to the response.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The largest response head in bytes.
const LONGEST_HEAD: usize = 64 * 1024;

/// A webhook request.
#[derive(Debug, Clone)]
pub struct Webhook {
    pub url: String,
    pub secret: Option<String>,
    pub app: i64,
    pub event: String,
    pub guid: String,
    pub payload: String,
}

impl Webhook {
    /// Sends the request. The error is a sentence for the log.
    pub async fn send(self, networks: Networks, trust: &Trust) -> Result<(), String> {
        match tokio::time::timeout(TIMEOUT, self.exchange(networks, trust)).await {
            Ok(Ok(status)) if status.is_success() => Ok(()),
            Ok(Ok(status)) => Err(format!("the receiver answered {status}")),
            Ok(Err(reason)) => Err(reason),
            Err(_) => Err(format!(
                "the receiver did not answer within {} seconds",
                TIMEOUT.as_secs()
            )),
        }
    }

    async fn exchange(self, networks: Networks, trust: &Trust) -> Result<StatusCode, String> {
        let target = WebhookTarget::parse(&self.url)?;
        let request = self.request(&target)?;
        exchange(&target, networks, trust, request).await
    }

    fn request(self, target: &WebhookTarget) -> Result<Request<Full<Bytes>>, String> {
        let mut request = Request::post(&target.path)
            .header(header::HOST, target.authority())
            .header(header::USER_AGENT, USER_AGENT.as_str())
            .header(header::ACCEPT, "*/*")
            .header(header::CONTENT_TYPE, "application/json")
            .header("X-GitHub-Event", &self.event)
            .header("X-GitHub-Delivery", &self.guid)
            .header("X-GitHub-Hook-ID", self.app)
            .header("X-GitHub-Hook-Installation-Target-ID", self.app)
            .header("X-GitHub-Hook-Installation-Target-Type", "integration");
        if let Some(secret) = &self.secret {
            for (name, value) in signature::headers(secret, self.payload.as_bytes()) {
                request = request.header(name, value);
            }
        }
        request
            .body(Full::new(Bytes::from(self.payload)))
            .map_err(|error| error.to_string())
    }
}

/// Receivers match this name followed by seven hexadecimal digits, which stand for the
/// version.
static USER_AGENT: LazyLock<String> = LazyLock::new(|| {
    let version = hex::encode(Sha256::digest(env!("CARGO_PKG_VERSION")));
    format!("GitHub-Hookshot/{}", &version[..7])
});

/// Sends a request to a target, and waits for the head of the response.
pub async fn exchange(
    target: &WebhookTarget,
    networks: Networks,
    trust: &Trust,
    request: Request<Full<Bytes>>,
) -> Result<StatusCode, String> {
    let address = target.resolve(networks).await?;
    let stream = TcpStream::connect(address)
        .await
        .map_err(|error| format!("cannot connect to {address}: {error}"))?;
    if !target.secure {
        return answer(stream, request).await;
    }
    let name = ServerName::try_from(target.host.clone())
        .map_err(|_| format!("{} is no name for a certificate", target.host))?;
    let stream = trust
        .connector()
        .connect(name, stream)
        .await
        .map_err(|error| explain(&error))?;
    answer(stream, request).await
}

async fn answer(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    request: Request<Full<Bytes>>,
) -> Result<StatusCode, String> {
    let failed = |error: hyper::Error| format!("the request failed: {error}");
    let (mut sender, connection) = http1::Builder::new()
        .max_buf_size(LONGEST_HEAD)
        .handshake(TokioIo::new(stream))
        .await
        .map_err(failed)?;
    let connection = tokio::spawn(connection);
    let outcome = sender.send_request(request).await.map_err(failed);
    // The rest of the response is not needed.
    connection.abort();
    Ok(outcome?.status())
}
