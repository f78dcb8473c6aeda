//! Request ids, in the form that clients print: five groups of hexadecimal digits, the last
//! of which is the time.

use std::sync::atomic::{AtomicU64, Ordering};

use contract::values::Timestamp;

/// A new id. A counter makes it unique in this process; the process id and the time make a
/// collision with another process unlikely.
pub fn next(now: Timestamp) -> String {
    static SERVED: AtomicU64 = AtomicU64::new(1);
    let count = SERVED.fetch_add(1, Ordering::Relaxed);
    let process = std::process::id();
    format!(
        "{:04X}:{:04X}:{:06X}:{:06X}:{:08X}",
        process & 0xffff,
        process >> 16,
        count >> 24,
        count & 0x00ff_ffff,
        now.0
    )
}
