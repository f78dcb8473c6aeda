//! The limits of connections.

use std::time::Duration;

/// The number of connections, and their timeouts.
#[derive(Debug, Clone, Copy)]
pub struct ConnectionLimits {
    /// Concurrent connections; further ones get 503 and are closed.
    pub clients: u32,
    /// Concurrent connections from one address. Not applied to loopback, where the client
    /// is a proxy or a test.
    pub clients_per_address: u32,
    /// From the connection to the end of its TLS handshake.
    pub handshake: Duration,
    /// From the connection to its first request.
    pub first_request: Duration,
    /// Without an open request. Load balancers keep theirs for a minute, so this must be
    /// longer.
    pub idle: Duration,
    /// From the first byte of a request to the first byte of its response. Longer than the
    /// request timeout (`edge.rs`), so that a slow client gets a response first.
    pub response_start: Duration,
    /// How long a response may make no progress, or be below the minimum rate.
    pub stall: Duration,
    /// The minimum average rate of a response.
    pub bytes_per_second: f64,
    /// Unsent response bytes of one connection (a single response may have more). Further
    /// requests get 503.
    pub connection_bytes: usize,
    /// How long requests in flight may take during shutdown.
    pub shutdown_grace: Duration,
}

impl ConnectionLimits {
    /// Limits for this many connections, of which one address may hold a share between 0
    /// and 1.
    pub fn for_clients(clients: u32, share_of_an_address: f64) -> Self {
        let of_an_address = (f64::from(clients) * share_of_an_address).ceil();
        Self {
            clients,
            clients_per_address: (of_an_address as u32).clamp(1, clients),
            handshake: Duration::from_secs(10),
            first_request: Duration::from_secs(30),
            idle: Duration::from_secs(75),
            response_start: Duration::from_secs(30),
            stall: Duration::from_secs(30),
            bytes_per_second: 16.0 * 1024.0,
            connection_bytes: 16 << 20,
            shutdown_grace: Duration::from_secs(10),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_its_share_and_at_least_one_connection() {
        let share =
            |clients, share| ConnectionLimits::for_clients(clients, share).clients_per_address;
        assert_eq!(share(1000, 0.25), 250);
        assert_eq!(share(1000, 1.0), 1000);
        assert_eq!(share(3, 0.25), 1);
        assert_eq!(share(10, 0.001), 1);
    }
}
