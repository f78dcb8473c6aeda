//! Starts a service for one test, with a private database, a fixed clock
//! and seeded randomness. Validates every response against the OpenAPI documents.

pub mod documented;
pub mod explaining;

use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use contract::values::Timestamp;
use forge::app::{App, Settings};
use forge::router;
use storage::clock::HeldClock;
use storage::database::{Database, Options};
use storage::entropy::SeededEntropy;

use super::database::PrivateDatabase;
pub use super::server::{Answer, Client, Server};

/// The start time of every test.
pub const START: &str = "2026-03-10T09:30:00Z";

/// The default world of the tests.
pub const WORLD: &str = include_str!("world.yaml");

/// The service of one test.
pub struct Service {
    pub clock: HeldClock,
    server: Server,
    _database: PrivateDatabase,
}

impl Service {
    /// A service with the default world and settings.
    pub async fn start() -> Self {
        Self::with(WORLD, Settings::default()).await
    }

    /// A service with this world and these settings.
    pub async fn with(world: &str, settings: Settings) -> Self {
        let clock = HeldClock::at(Timestamp::parse(START).unwrap());
        let database = PrivateDatabase::filled(world, async |url| {
            let server = server(url, &clock, 7, Settings::default()).await;
            server.load("world.yaml", world).await;
            server.stop().await;
        });
        // Boxed, because it is large and every test's future would contain it.
        let database = Box::pin(database).await;
        let server = server(&database.url(), &clock, 8, settings)
            .await
            .documented();
        Self {
            clock,
            server,
            _database: database,
        }
    }

    /// Accepts responses that no document describes, such as injected faults.
    #[must_use]
    pub fn undocumented(mut self) -> Self {
        self.server = self.server.undocumented();
        self
    }
}

async fn server(url: &str, clock: &HeldClock, seed: u64, settings: Settings) -> Server {
    let options = Options {
        connections: 3,
        // On a busy machine, a test may wait long for its turn.
        wait: Duration::from_secs(60),
        ..Options::default()
    };
    let db = Database::connect(url, options).await.unwrap();
    let entropy = Arc::new(SeededEntropy::new(seed));
    Server::new(router::app(db, Arc::new(clock.clone()), entropy, settings))
}

impl Deref for Service {
    type Target = Server;

    fn deref(&self) -> &Server {
        &self.server
    }
}
