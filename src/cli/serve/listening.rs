//! The listening address, and the number of clients.

use std::net::SocketAddr;

use rustix::process::{Resource, getrlimit, setrlimit};
use tokio::net::{TcpListener, TcpSocket};

use crate::cli::Failure;
use crate::config::ServeConfig;
use crate::web::server::ConnectionLimits;

/// File descriptors that are not client connections: the database, the log.
const OWN_DESCRIPTORS: u64 = 64;

/// The listen backlog: connections that wait to be accepted.
const BACKLOG: u32 = 1024;

/// The connection limits, from the configuration and the machine.
pub fn limits(config: &ServeConfig) -> ConnectionLimits {
    ConnectionLimits {
        shutdown_grace: config.shutdown_grace(),
        ..ConnectionLimits::for_clients(clients(config), config.max_clients_per_address)
    }
}

/// The requested number of connections, limited by the file descriptors available. Raises
/// the soft limit of descriptors as far as the hard limit allows.
fn clients(config: &ServeConfig) -> u32 {
    let limit = getrlimit(Resource::Nofile);
    let raised = rustix::process::Rlimit {
        current: limit.maximum,
        ..limit
    };
    let current = match setrlimit(Resource::Nofile, raised) {
        Ok(()) => limit.maximum,
        Err(_) => limit.current,
    };
    let reserved = OWN_DESCRIPTORS + u64::from(config.database.options().pool_size());
    let available = current.map_or(u64::MAX, |most| most.saturating_sub(reserved).max(1));
    let clients = u64::from(config.max_clients).min(available);
    if clients < u64::from(config.max_clients) {
        tracing::warn!(
            "the file descriptor limit allows only {clients} clients; raise `ulimit -n`"
        );
    }
    u32::try_from(clients).unwrap_or(config.max_clients)
}

/// Binds the address without listening yet.
pub fn reserve(address: SocketAddr) -> Result<TcpSocket, Failure> {
    let socket = match address {
        SocketAddr::V4(_) => TcpSocket::new_v4(),
        SocketAddr::V6(_) => TcpSocket::new_v6(),
    };
    let reserved = socket.and_then(|socket| {
        // Allows binding while connections of a previous server are in TIME_WAIT.
        #[cfg(unix)]
        socket.set_reuseaddr(true)?;
        socket.bind(address)?;
        Ok(socket)
    });
    reserved.map_err(|error| cannot_listen(address, &error))
}

/// Listens on the reserved address.
pub fn listen(socket: TcpSocket, address: SocketAddr) -> Result<TcpListener, Failure> {
    let listener = socket.listen(BACKLOG);
    listener.map_err(|error| cannot_listen(address, &error))
}

fn cannot_listen(address: SocketAddr, error: &std::io::Error) -> Failure {
    let advice = match error.kind() {
        std::io::ErrorKind::AddrInUse => {
            "stop the other program, or choose another address with --listen"
        }
        std::io::ErrorKind::PermissionDenied => {
            "ports below 1024 need privileges; choose another port with --listen"
        }
        _ => "choose another address with --listen",
    };
    Failure::Other(format!("cannot listen on {address}: {error}; {advice}"))
}
