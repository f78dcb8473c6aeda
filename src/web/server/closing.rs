//! How a listener closes without cutting anybody off.
//!
//! A connection is made by the kernel, and waits in a queue until it is taken. When a
//! listener closes, those in its queue are reset, although their peers may have sent a
//! request already. However fast the queue is emptied, the next one may come in before
//! the listener closes. So first no more are let in: a filter drops the packets that ask
//! for a connection. Whoever sent one asks again a second later, and is then refused, or
//! let in by the next process. Meanwhile those that are half made are made and taken.

use std::time::Duration;

use tokio::net::TcpListener;

/// How long a connection that is half made may take until it is whole: one round trip
/// over a long way.
pub const HALF_MADE: Duration = Duration::from_millis(250);

/// Lets no more connections in. Where there is no such filter, the listener just closes
/// a moment later.
#[cfg(target_os = "linux")]
pub fn refuse_new(listener: &TcpListener) {
    use socket2::{SockFilter, SockRef};

    // Load the flags of the TCP header; drop the packet if SYN is among them.
    let filter = [
        SockFilter::new(0x30, 0, 0, 13),
        SockFilter::new(0x45, 0, 1, 0x02),
        SockFilter::new(0x06, 0, 0, 0),
        SockFilter::new(0x06, 0, 0, u32::MAX),
    ];
    if let Err(error) = SockRef::from(listener).attach_filter(&filter) {
        tracing::warn!("connections may be cut off while the listener closes: {error}");
    }
}

#[cfg(not(target_os = "linux"))]
pub fn refuse_new(_: &TcpListener) {}
