//! What a connection may take of the server.

use std::time::Duration;

/// How many connections there may be, and how long each may keep the server waiting.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Connections at a time; more are told so and closed.
    pub clients: u32,
    /// Connections at a time from one address. Loopback addresses may have all: there
    /// the peer is a proxy, or somebody's test.
    pub clients_per_address: u32,
    /// From the connection to its first request.
    pub first_request: Duration,
    /// Without an open request. Balancers keep theirs for a minute and expect the
    /// server to be more patient.
    pub idle: Duration,
    /// From the first byte of a request to the first of its answer. Longer than an
    /// answer may take (`edge.rs`), so that whoever is late is told so first.
    pub asking: Duration,
    /// How long an answer may be stuck, or be taken more slowly than it must.
    pub taking: Duration,
    /// How fast an answer must be taken, on average.
    pub bytes_per_second: f64,
    /// Bytes of answers on one connection that have not gone out, unless one alone has
    /// more; and on all connections. More requests get 503.
    pub connection_bytes: usize,
    pub process_bytes: usize,
    /// How long requests in flight may take to finish when the server ends.
    pub shutdown_grace: Duration,
}

impl Limits {
    /// So many connections, of which an address may hold a share between 0 and 1.
    pub fn for_clients(clients: u32, share_of_an_address: f64) -> Self {
        let of_an_address = (f64::from(clients) * share_of_an_address).ceil();
        Self {
            clients,
            clients_per_address: (of_an_address as u32).clamp(1, clients),
            first_request: Duration::from_secs(30),
            idle: Duration::from_secs(75),
            asking: Duration::from_secs(30),
            taking: Duration::from_secs(30),
            bytes_per_second: 16.0 * 1024.0,
            connection_bytes: 16 << 20,
            process_bytes: 256 << 20,
            shutdown_grace: Duration::from_secs(10),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_its_share_and_at_least_one_connection() {
        let share = |clients, share| Limits::for_clients(clients, share).clients_per_address;
        assert_eq!(share(1000, 0.25), 250);
        assert_eq!(share(1000, 1.0), 1000);
        assert_eq!(share(3, 0.25), 1);
        assert_eq!(share(10, 0.001), 1);
    }
}
