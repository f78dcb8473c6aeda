//! `forgewright health`: whether a server on this machine is ready, for supervisors that have
//! no other way to ask.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use clap::Args;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::rustls::pki_types::ServerName;

use super::Failure;
use super::print::say;
use crate::config::{TlsConfig, listen_address};
use crate::notify::Trust;

/// How long the server may take to answer.
const TIMEOUT: Duration = Duration::from_secs(4);

const REQUEST: &[u8] = b"GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

/// The flags of the server that is asked, with the same variables.
#[derive(Debug, Args)]
pub struct HealthCommand {
    /// The address that the server listens on
    #[arg(
        long,
        env = "FORGEWRIGHT_LISTEN",
        value_name = "ADDRESS",
        default_value = "127.0.0.1:8080",
        value_parser = listen_address
    )]
    listen: SocketAddr,

    #[command(flatten)]
    tls: TlsConfig,
}

pub async fn run(command: &HealthCommand) -> Result<(), Failure> {
    let address = reachable(command.listen);
    let asked = tokio::time::timeout(TIMEOUT, ask(address, command.tls.is_wanted())).await;
    let answer = asked
        .unwrap_or_else(|_| Err(std::io::ErrorKind::TimedOut.into()))
        .map_err(|error| Failure::Other(format!("no answer from {address}: {error}")))?;
    match answer.split(' ').nth(1) {
        Some("200") => say!("ready"),
        status => Err(Failure::Other(format!(
            "the server at {address} is not ready: {}",
            status.unwrap_or("it does not speak HTTP")
        ))),
    }
}

/// A server that listens everywhere is reached on this machine.
fn reachable(mut address: SocketAddr) -> SocketAddr {
    match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => address.set_ip(Ipv4Addr::LOCALHOST.into()),
        IpAddr::V6(ip) if ip.is_unspecified() => address.set_ip(Ipv6Addr::LOCALHOST.into()),
        _ => {}
    }
    address
}

async fn ask(address: SocketAddr, tls: bool) -> std::io::Result<String> {
    let stream = TcpStream::connect(address).await?;
    if !tls {
        return exchange(stream).await;
    }
    // The certificate has the name that others use.
    let trust = Trust::anybody();
    let name = ServerName::IpAddress(address.ip().into());
    exchange(trust.connector().connect(name, stream).await?).await
}

async fn exchange(mut stream: impl AsyncRead + AsyncWrite + Unpin) -> std::io::Result<String> {
    stream.write_all(REQUEST).await?;
    let mut answer = [0; 64];
    let count = stream.read(&mut answer).await?;
    Ok(String::from_utf8_lossy(&answer[..count]).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_listens_everywhere_is_asked_here() {
        for (listens, asked) in [
            ("0.0.0.0:8080", "127.0.0.1:8080"),
            ("[::]:1", "[::1]:1"),
            ("10.0.0.1:1", "10.0.0.1:1"),
        ] {
            let asked: SocketAddr = asked.parse().unwrap();
            assert_eq!(reachable(listens.parse().unwrap()), asked);
        }
    }
}
