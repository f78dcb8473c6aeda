//! Closes a listener without resetting connections.
//!
//! The kernel completes connections and queues them until they are accepted. Closing a
//! listener resets the queued ones, although their clients may have sent a request. A new
//! one may arrive however fast the queue is drained. So a socket filter drops SYN packets
//! first: clients retry a second later, and are then refused, or accepted by the next
//! process. Meanwhile pending handshakes complete and are accepted.

use std::time::Duration;

use tokio::net::TcpListener;

/// The time for pending handshakes: one long round trip.
pub const PENDING_HANDSHAKES: Duration = Duration::from_millis(250);

/// Stops accepting connections. On platforms without such a filter, the listener just
/// closes shortly after.
#[cfg(target_os = "linux")]
pub fn refuse_new(listener: &TcpListener) {
    use socket2::{SockFilter, SockRef};

    // Load the flags of the TCP header; drop the packet if SYN is set.
    let filter = [
        SockFilter::new(0x30, 0, 0, 13),
        SockFilter::new(0x45, 0, 1, 0x02),
        SockFilter::new(0x06, 0, 0, 0),
        SockFilter::new(0x06, 0, 0, u32::MAX),
    ];
    if let Err(error) = SockRef::from(listener).attach_filter(&filter) {
        tracing::warn!("new connections may be reset while the listener closes: {error}");
    }
}

#[cfg(not(target_os = "linux"))]
pub fn refuse_new(_: &TcpListener) {}
