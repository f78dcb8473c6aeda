//! Sends one request over a new connection: for webhooks, trace spans, and commands that query a
//! running server. Callers set the time limit.

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use poem::http::{Request, Response};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::rustls::pki_types::ServerName;

use super::address::{Networks, WebhookTarget};
use super::trust::{Trust, explain};

/// The largest response head in bytes.
const LONGEST_HEAD: usize = 64 * 1024;

/// A response whose body is not read yet. Dropping it closes the connection.
pub struct StreamingResponse {
    pub response: Response<Incoming>,
    _connection: Connection,
}

struct Connection(tokio::task::JoinHandle<Result<(), hyper::Error>>);

impl Drop for Connection {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl WebhookTarget {
    /// Sends a request to the target, if these networks include it.
    pub async fn exchange(
        &self,
        networks: Networks,
        trust: &Trust,
        request: Request<Full<Bytes>>,
    ) -> Result<StreamingResponse, String> {
        let addresses = self.resolve(networks).await?;
        let stream = TcpStream::connect(&*addresses).await.map_err(|error| {
            let addresses: Vec<_> = addresses.iter().map(ToString::to_string).collect();
            format!("cannot connect to {}: {error}", addresses.join(" or "))
        })?;
        let tls = self.secure.then_some((trust, self.host.as_str()));
        exchange(stream, tls, request).await
    }
}

/// Sends a request, and waits for the head of the response. TLS needs the trusted authorities
/// and the name of the certificate.
pub async fn exchange(
    stream: TcpStream,
    tls: Option<(&Trust, &str)>,
    request: Request<Full<Bytes>>,
) -> Result<StreamingResponse, String> {
    let Some((trust, host)) = tls else {
        return send(stream, request).await;
    };
    let name = ServerName::try_from(host.to_owned())
        .map_err(|_| format!("{host} is not a valid host name for TLS"))?;
    let stream = trust.connector().connect(name, stream).await;
    send(stream.map_err(|error| explain(&error))?, request).await
}

async fn send(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    request: Request<Full<Bytes>>,
) -> Result<StreamingResponse, String> {
    let failed = |error: hyper::Error| format!("the request failed: {error}");
    let (mut sender, connection) = http1::Builder::new()
        .max_buf_size(LONGEST_HEAD)
        .handshake(TokioIo::new(stream))
        .await
        .map_err(failed)?;
    let open = Connection(tokio::spawn(connection));
    let response = sender.send_request(request).await.map_err(failed)?;
    Ok(StreamingResponse {
        response,
        _connection: open,
    })
}
