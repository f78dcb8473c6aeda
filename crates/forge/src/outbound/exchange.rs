//! Sends one request over a new connection: for webhooks, trace spans, and commands that query a
//! running server. Callers set the time limit.

use std::io::{self, ErrorKind};
use std::net::SocketAddr;
use std::time::Duration;

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

/// How long an address has to accept a connection if there is another one to try.
const ADDRESS_TIMEOUT: Duration = Duration::from_secs(2);

/// A response whose body is not read yet. Dropping it closes the connection.
pub struct StreamingResponse {
    pub response: Response<Incoming>,
    _connection: ConnectionTask,
}

struct ConnectionTask(tokio::task::JoinHandle<Result<(), hyper::Error>>);

impl Drop for ConnectionTask {
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
        let stream = connect(&addresses, ADDRESS_TIMEOUT).await;
        let stream = stream.map_err(|error| {
            let addresses: Vec<_> = addresses.iter().map(ToString::to_string).collect();
            format!("cannot connect to {}: {error}", addresses.join(" or "))
        })?;
        let tls = self.secure.then_some((trust, self.host.as_str()));
        exchange(stream, tls, request).await
    }
}

/// Connects to the first address that accepts. All but the last have a time limit: packets to an
/// address without a route may just be lost.
async fn connect(addresses: &[SocketAddr], time_limit: Duration) -> io::Result<TcpStream> {
    let Some((last, others)) = addresses.split_last() else {
        return Err(ErrorKind::AddrNotAvailable.into());
    };
    for address in others {
        let connecting = TcpStream::connect(address);
        if let Ok(Ok(stream)) = tokio::time::timeout(time_limit, connecting).await {
            return Ok(stream);
        }
    }
    TcpStream::connect(last).await
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
    let open = ConnectionTask(tokio::spawn(connection));
    let response = sender.send_request(request).await.map_err(failed)?;
    Ok(StreamingResponse {
        response,
        _connection: open,
    })
}

#[cfg(test)]
mod tests {
    use socket2::{Domain, Socket, Type};
    use tokio::net::TcpListener;

    use super::*;

    /// An address that answers no further connection: its queue is full.
    fn unresponsive() -> (SocketAddr, Vec<Socket>) {
        let listener = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
        listener
            .bind(&SocketAddr::from(([127, 0, 0, 1], 0)).into())
            .unwrap();
        listener.listen(0).unwrap();
        let address = listener.local_addr().unwrap();
        let mut sockets = vec![listener];
        for _ in 0..2 {
            let client = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
            client.set_nonblocking(true).unwrap();
            // In progress, or still waiting for room.
            let _ = client.connect(&address);
            sockets.push(client);
        }
        (address.as_socket().unwrap(), sockets)
    }

    #[tokio::test]
    async fn an_address_that_refuses_or_does_not_answer_does_not_hide_the_next_one() {
        let listening = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (silent, _sockets) = unresponsive();
        let closed = {
            let closed = TcpListener::bind("127.0.0.1:0").await.unwrap();
            closed.local_addr().unwrap()
        };
        let last = listening.local_addr().unwrap();
        let connected = connect(&[silent, closed, last], Duration::from_millis(50)).await;
        assert_eq!(connected.unwrap().peer_addr().unwrap(), last);
    }
}
