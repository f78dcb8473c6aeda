//! Connection settings.

use std::num::NonZero;
use std::time::Duration;

/// Operator settings for the connections.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Connections for reading; on PostgreSQL for everything. Heavy work has its own in
    /// addition.
    pub connections: u32,
    /// How long a request waits for a connection before it fails.
    pub wait: Duration,
    /// The time limit of a request, for a server. `None` for commands, which have no limit.
    pub request_timeout: Option<Duration>,
    /// For one of many SQLite files that end with this process: connects when it is first
    /// used, and never waits for the disk.
    pub ephemeral: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            connections: 8,
            wait: Duration::from_secs(5),
            request_timeout: None,
            ephemeral: false,
        }
    }
}

impl Options {
    /// For a world that the control API makes. There may be hundreds, of one client each.
    pub fn ephemeral() -> Self {
        Self {
            connections: 1,
            ephemeral: true,
            ..Self::default()
        }
    }

    /// The size of the pool: heavy work never holds all connections.
    pub fn pool_size(self) -> u32 {
        self.connections.saturating_add(self.heavy())
    }

    /// How many heavy computations may hold a connection at the same time: one per
    /// processor, at most a quarter of the other connections, and at least two so that no
    /// caller can hold all of them.
    pub(super) fn heavy(self) -> u32 {
        let processors = std::thread::available_parallelism().map_or(1, NonZero::get);
        let processors = u32::try_from(processors).unwrap_or(u32::MAX);
        (self.connections / 4).min(processors).max(2)
    }
}
