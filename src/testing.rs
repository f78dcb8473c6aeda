//! A server inside a test: in this process, on a free port of loopback, with a database in a
//! temporary folder. It runs on a separate thread, so clients may block, and stops when it is
//! dropped.
//!
//! ```
//! # async fn test() -> Result<(), Box<dyn std::error::Error>> {
//! let forge = forgewright::testing::start().await?;
//! let (url, token) = (forge.url(), forge.token("alice")?);
//! // Give both to the client under test; they are those of the demo world.
//! assert!(url.starts_with("http://127.0.0.1:"));
//! assert!(token.starts_with("ghp_"));
//!
//! // Another, isolated world on the same server:
//! let world = forge.world().await?;
//! assert!(world.url().starts_with(url));
//! # Ok(())
//! # }
//! # tokio::runtime::Runtime::new().unwrap().block_on(test()).unwrap();
//! ```
//!
//! `Builder` loads another world. The control API is served at `World::control_url`, for the
//! clock, faults, the journal and deliveries.

mod server;
mod world;

use std::io;
use std::path::Path;
use std::thread::JoinHandle;

use tokio::runtime::Handle;
use tokio::sync::oneshot;

use crate::worlds::{MakeError, WorldOrigin};
use ::world::load::{LoadError, WorldSource};
use sea_orm::DbErr;
use server::Started;
use storage::database::{ConnectError, SnapshotError};
pub use world::{AppCredentials, Token, UnknownName, World};

/// Starts a server with the demo world.
pub async fn start() -> Result<Forge, StartError> {
    Builder::default().start().await
}

/// The options of a server.
#[derive(Debug, Default)]
#[must_use]
pub struct Builder {
    source: Option<WorldSource>,
}

impl Builder {
    /// Loads the text of a world file instead of the demo world.
    pub fn world(self, text: impl Into<String>) -> Self {
        Self {
            source: Some(WorldSource::inline("world", text)),
        }
    }

    /// Loads a world file instead of the demo world.
    pub fn world_file(self, path: impl AsRef<Path>) -> Self {
        Self {
            source: Some(WorldSource::file(path)),
        }
    }

    pub async fn start(self) -> Result<Forge, StartError> {
        let source = self.source.unwrap_or_else(WorldSource::demo);
        let (ready, starting) = oneshot::channel();
        let (stop, stopped) = oneshot::channel();
        let thread = std::thread::Builder::new()
            .name("forgewright".to_owned())
            .spawn(move || server::run(source, ready, stopped))?;
        let Started {
            main,
            runtime,
            server,
        } = starting.await.map_err(|_| StartError::Ended)??;
        Ok(Forge {
            main,
            runtime,
            server,
            stop: Some(stop),
            thread: Some(thread),
        })
    }
}

/// A server that runs until it is dropped, and its world `main`.
#[derive(Debug)]
pub struct Forge {
    main: World,
    runtime: Handle,
    server: server::ServerHandle,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Forge {
    /// Creates a world with the loaded state of `main`. It shares nothing with `main`, and is
    /// deleted when it is dropped.
    pub async fn world(&self) -> Result<World, StartError> {
        self.make(WorldOrigin::Main).await
    }

    /// Creates a world from the text of a world file.
    pub async fn world_from(&self, text: impl Into<String>) -> Result<World, StartError> {
        self.make(WorldOrigin::File(text.into())).await
    }

    async fn make(&self, origin: WorldOrigin) -> Result<World, StartError> {
        let server = self.server.clone();
        let runtime = self.runtime.clone();
        // On the runtime of the server, which outlives that of the caller.
        let making = self.runtime.spawn(async move {
            let (world, about) = server.worlds.make(None, origin).await?;
            let mut introduced = server.introduce(&world.name, about);
            introduced.ending = Some(world::Ending {
                runtime,
                worlds: server.worlds.clone(),
                name: world.name.clone(),
            });
            Ok(introduced)
        });
        making.await.map_err(|_| StartError::Ended)?
    }
}

/// The methods of `World` on the server are those of `main`.
impl std::ops::Deref for Forge {
    type Target = World;

    fn deref(&self) -> &World {
        &self.main
    }
}

impl Drop for Forge {
    fn drop(&mut self) {
        self.stop.take();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Why a server was not started, or a world not created.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error("cannot start a server on loopback: {0}")]
    Io(#[from] io::Error),
    #[error("cannot load the world:\n{0}")]
    World(#[from] LoadError),
    #[error(transparent)]
    Make(#[from] MakeError),
    #[error(transparent)]
    Connect(#[from] ConnectError),
    #[error(transparent)]
    Snapshot(#[from] SnapshotError),
    #[error(transparent)]
    Database(#[from] DbErr),
    #[error("the server thread ended unexpectedly")]
    Ended,
}

#[cfg(test)]
mod tests;
