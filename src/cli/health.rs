//! `forgewright health`: checks whether a server on this machine is ready, for supervisors without
//! an HTTP client.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use clap::Args;
use http_body_util::Full;
use poem::http::{Request, StatusCode, header};
use tokio::net::TcpStream;

use super::Failure;
use super::print::say;
use crate::config::{DEFAULT_LISTEN, TlsConfig, listen_address};
use forge::outbound::{self, Trust};

/// How long the server may take to answer.
const TIMEOUT: Duration = Duration::from_secs(4);

/// The flags of the server, with the same environment variables.
#[derive(Debug, Args)]
pub struct HealthCommand {
    /// The address that the server listens on
    #[arg(
        long,
        env = "FORGEWRIGHT_LISTEN",
        value_name = "ADDRESS",
        default_value = DEFAULT_LISTEN,
        value_parser = listen_address
    )]
    listen: SocketAddr,

    #[command(flatten)]
    tls: TlsConfig,
}

pub async fn run(command: &HealthCommand) -> Result<(), Failure> {
    let address = reachable(command.listen);
    let response = tokio::time::timeout(TIMEOUT, ask(address, command.tls.is_wanted())).await;
    let status = response
        .unwrap_or_else(|elapsed| Err(elapsed.to_string()))
        .map_err(|reason| Failure::Other(format!("no response from {address}: {reason}")))?;
    match status {
        StatusCode::OK => say!("ready"),
        status => Err(Failure::Other(format!(
            "the server at {address} is not ready: {status}"
        ))),
    }
}

/// The loopback address for a server that listens on all interfaces.
fn reachable(mut address: SocketAddr) -> SocketAddr {
    match address.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => address.set_ip(Ipv4Addr::LOCALHOST.into()),
        IpAddr::V6(ip) if ip.is_unspecified() => address.set_ip(Ipv6Addr::LOCALHOST.into()),
        _ => {}
    }
    address
}

async fn ask(address: SocketAddr, tls: bool) -> Result<StatusCode, String> {
    let request = Request::get("/readyz").header(header::HOST, "localhost");
    let request = request.body(Full::default());
    let request = request.map_err(|error| error.to_string())?;
    // The certificate is for the name that other machines use.
    let (trust, name) = (Trust::anybody(), address.ip().to_string());
    let tls = tls.then_some((&trust, name.as_str()));
    let stream = TcpStream::connect(address).await;
    let stream = stream.map_err(|error| error.to_string())?;
    let answer = outbound::exchange(stream, tls, request).await?;
    Ok(answer.response.status())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_listens_everywhere_is_asked_here() {
        for (listen, expected) in [
            ("0.0.0.0:8080", "127.0.0.1:8080"),
            ("[::]:1", "[::1]:1"),
            ("10.0.0.1:1", "10.0.0.1:1"),
        ] {
            let expected: SocketAddr = expected.parse().unwrap();
            assert_eq!(reachable(listen.parse().unwrap()), expected);
        }
    }
}
