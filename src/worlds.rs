//! The worlds that this process serves: `main`, which it was started with, and those created
//! through the control API, one for each test.
//!
//! A created world belongs to the process that created it, whatever database `main` has: it is a
//! SQLite file in a folder that is removed when the process ends. It has an `App` of its own, so
//! it shares nothing with others. It connects to its file when it is first used.

mod folder;
mod gate;
mod known;
mod making;
mod open;
mod restoring;
mod templates;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use poem::Response;
use poem::endpoint::BoxEndpoint;

use contract::values::Timestamp;
use folder::{ProcessFolder, WorldFolder};
use forge::app::App;
use forge::webhooks;
pub use gate::Gate;
pub use known::{KnownTokens, known_contents};
pub use making::{MakeError, WorldOrigin, is_name};
use open::OpenWorlds;
pub use restoring::{LOADED, RestoreError};
use storage::clock::{Clock, SystemClock};
use storage::heavy::RequestMemory;
pub use templates::LoadedWorld;
use templates::Templates;
use world::load::WorldSource;

/// The name of the world that the server was started with.
pub const MAIN: &str = "main";

/// The options for creating worlds.
pub struct WorldsOptions {
    /// The folder for their files.
    pub folder: PathBuf,
    /// The most worlds at a time, not counting `main`.
    pub most: usize,
    /// The world that was loaded into `main`.
    pub loaded: Option<WorldSource>,
    /// The tokens of `main` whose values are known.
    pub known: KnownTokens,
    /// The clock that a new world begins with.
    pub clock: Arc<dyn Clock>,
}

impl Default for WorldsOptions {
    fn default() -> Self {
        Self {
            folder: std::env::temp_dir().join("forgewright-worlds"),
            most: 1000,
            loaded: None,
            known: KnownTokens::default(),
            clock: Arc::new(SystemClock),
        }
    }
}

/// Makes the endpoint that serves a world.
pub type Router = fn(&Arc<App>) -> BoxEndpoint<'static, Response>;

/// All worlds by name.
pub struct Worlds {
    served: RwLock<BTreeMap<String, Arc<ServedWorld>>>,
    /// The names of worlds that are being created.
    reserved: Mutex<BTreeSet<String>>,
    open: OpenWorlds,
    main: Arc<App>,
    router: Router,
    folder: Arc<ProcessFolder>,
    templates: Templates,
    most: usize,
    clock: Arc<dyn Clock>,
}

/// A world and the endpoint that serves it.
pub struct ServedWorld {
    pub name: String,
    pub app: Arc<App>,
    pub endpoint: BoxEndpoint<'static, Response>,
    pub created_at: Timestamp,
    /// Holds requests back while all stored data is replaced.
    pub gate: Gate,
    pub known: KnownTokens,
    deliveries: Mutex<Option<webhooks::Handle>>,
    /// Locked while a snapshot is taken or restored.
    changing: tokio::sync::Mutex<()>,
    /// `None` for `main`.
    home: Option<Home>,
}

/// The location and the origin of a created world.
struct Home {
    folder: WorldFolder,
    /// The file with the state after loading; `None` if that is a snapshot.
    loaded: Option<PathBuf>,
}

impl Worlds {
    /// Serves one world, `main`.
    pub fn new(main: &Arc<App>, router: Router) -> Arc<Self> {
        Self::with(main, router, WorldsOptions::default())
    }

    pub fn with(main: &Arc<App>, router: Router, options: WorldsOptions) -> Arc<Self> {
        let folder = Arc::new(ProcessFolder::new(options.folder));
        let world = ServedWorld {
            name: MAIN.to_owned(),
            app: main.clone(),
            endpoint: router(main),
            created_at: main.clock.now(),
            gate: Gate::default(),
            known: options.known,
            deliveries: Mutex::default(),
            changing: tokio::sync::Mutex::default(),
            home: None,
        };
        let served = BTreeMap::from([(world.name.clone(), Arc::new(world))]);
        Arc::new(Self {
            served: RwLock::new(served),
            reserved: Mutex::default(),
            open: OpenWorlds::default(),
            templates: Templates::new(folder.clone(), options.loaded, main.entropy.clone()),
            main: main.clone(),
            router,
            folder,
            most: options.most,
            clock: options.clock,
        })
    }

    /// Returns a world, and records its use.
    pub fn get(&self, name: &str) -> Option<Arc<ServedWorld>> {
        let worlds = self.served.read().unwrap_or_else(PoisonError::into_inner);
        let world = worlds.get(name)?;
        if world.home.is_some() {
            self.open.record_use(world);
        }
        Some(world.clone())
    }

    /// Every world, in the order of their names.
    pub fn all(&self) -> Vec<Arc<ServedWorld>> {
        let worlds = self.served.read().unwrap_or_else(PoisonError::into_inner);
        worlds.values().cloned().collect()
    }

    /// Takes a world out of service; `None` if there is none, or it is `main`.
    pub fn remove(&self, name: &str) -> Option<Arc<ServedWorld>> {
        let mut worlds = self.served.write().unwrap_or_else(PoisonError::into_inner);
        match name {
            MAIN => None,
            name => worlds.remove(name),
        }
    }

    /// The budget for what the requests of all worlds hold.
    pub fn memory(&self) -> &Arc<RequestMemory> {
        &self.main.settings.memory
    }

    /// Starts the deliveries of `main`.
    pub fn start_deliveries(&self) {
        if let Some(main) = self.get(MAIN) {
            main.start_deliveries();
        }
    }

    /// Ends every created world, and the deliveries of `main` once those in flight are done.
    pub async fn end(&self) {
        for world in self.all() {
            match self.remove(&world.name) {
                Some(created) => created.end().await,
                None => world.finish_deliveries().await,
            }
        }
        self.folder.remove();
    }

    fn reserved(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.reserved.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ServedWorld {
    fn start_deliveries(&self) {
        let handle = match self.home {
            Some(_) => webhooks::start_alone(self.app.clone()),
            None => webhooks::start(self.app.clone()),
        };
        *self.deliveries() = Some(handle);
    }

    /// Whether deliveries may still use the database.
    fn has_pending_deliveries(&self) -> bool {
        let deliveries = self.deliveries();
        deliveries.as_ref().is_some_and(|handle| !handle.is_idle())
    }

    async fn finish_deliveries(&self) {
        let handle = self.deliveries().take();
        if let Some(handle) = handle {
            handle.stop().await;
        }
    }

    /// Aborts the deliveries in flight.
    async fn abort_deliveries(&self) {
        let handle = self.deliveries().take();
        if let Some(handle) = handle {
            handle.abort().await;
        }
    }

    fn deliveries(&self) -> MutexGuard<'_, Option<webhooks::Handle>> {
        let deliveries = self.deliveries.lock();
        deliveries.unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends a world that is out of service: requests in flight finish, connections are
    /// closed and files removed.
    pub async fn end(&self) {
        let _closed = self.gate.close().await;
        let _alone = self.changing.lock().await;
        self.abort_deliveries().await;
        if let Err(error) = self.app.db.close().await {
            tracing::warn!(world = self.name, %error, "cannot close the database of a world");
        }
        if let Some(home) = &self.home {
            home.folder.remove();
        }
    }
}
