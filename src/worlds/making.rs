//! Creates worlds.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use sea_orm::DbErr;

use super::gate::Gate;
use super::templates::{LoadedWorld, open};
use super::{Home, LOADED, MAIN, ServedWorld, Worlds};
use contract::control::WORLDS_PATH;
use forge::app::{App, Settings};
use forge::router;
use storage::cache::CacheSize;
use storage::database::{ConnectError, SnapshotError};
use world::load::{LoadError, WorldSource};

/// The longest name.
const LONGEST_NAME: usize = 40;

/// The origin of a new world.
#[derive(Debug)]
pub enum WorldOrigin {
    Empty,
    Demo,
    /// The world that was loaded into `main`.
    Main,
    /// The text of a world file.
    File(String),
    Copy(Arc<ServedWorld>),
}

impl std::fmt::Debug for ServedWorld {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_tuple("ServedWorld")
            .field(&self.name)
            .finish()
    }
}

/// Why a world was not created.
#[derive(Debug, thiserror::Error)]
pub enum MakeError {
    #[error("a name has 1 to 40 lower-case letters, digits, hyphens and underscores")]
    Name,
    #[error("a world with this name already exists")]
    Taken,
    #[error("the limit of {0} worlds is reached; delete a world, or raise --max-worlds")]
    TooMany(usize),
    #[error(
        "the state in which `main` was loaded is not known; start the server with --world, or use \
         `copy_of` to copy the current state"
    )]
    NothingLoaded,
    #[error(transparent)]
    Load(#[from] LoadError),
    #[error(transparent)]
    Snapshot(#[from] SnapshotError),
    #[error(transparent)]
    Connect(#[from] ConnectError),
    #[error(transparent)]
    Database(#[from] DbErr),
    #[error(transparent)]
    File(#[from] std::io::Error),
}

/// The name of a world that is being created.
struct Reservation<'a> {
    worlds: &'a Worlds,
    name: String,
}

impl Drop for Reservation<'_> {
    fn drop(&mut self) {
        self.worlds.reserved().remove(&self.name);
    }
}

/// Whether this is a valid name of a world or a snapshot.
pub fn is_name(name: &str) -> bool {
    let fits =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_".contains(&byte);
    (1..=LONGEST_NAME).contains(&name.len()) && name.bytes().all(fits)
}

impl Worlds {
    /// Creates a world and serves it. Also returns its tokens and apps.
    pub async fn make(
        &self,
        name: Option<String>,
        origin: WorldOrigin,
    ) -> Result<(Arc<ServedWorld>, LoadedWorld), MakeError> {
        let reservation = self.reserve(name)?;
        let folder = self.folder.world(&reservation.name)?;
        let (summary, loaded) = self.store(&folder.database(), origin).await?;
        let home = Home { folder, loaded };
        let world = self.open(&reservation.name, home, &summary).await?;
        if world.is_loaded_from_snapshot() {
            world.app.db.make_snapshot(LOADED).await?;
            world.app.outbox.wake();
        }
        world.start_deliveries();
        let world = Arc::new(world);
        self.open.record_use(&world);
        let mut served = self.served.write().unwrap_or_else(PoisonError::into_inner);
        served.insert(world.name.clone(), world.clone());
        Ok((world, summary))
    }

    /// Writes the file of a world. Also returns the template file with the same state, if there
    /// is one.
    async fn store(
        &self,
        file: &Path,
        origin: WorldOrigin,
    ) -> Result<(LoadedWorld, Option<PathBuf>), MakeError> {
        let template = match origin {
            WorldOrigin::Empty => self.templates.empty().await?,
            WorldOrigin::Demo => self.templates.demo().await?,
            WorldOrigin::Main => match self.templates.main().await? {
                Some(template) => template,
                None => return Ok((self.store_loaded(file).await?, None)),
            },
            WorldOrigin::File(text) => {
                let empty = self.templates.empty().await?;
                tokio::fs::copy(&empty.file, file).await?;
                let source = WorldSource::inline("file", text);
                let summary = self.templates.load_into(file, &source, &*self.clock);
                return Ok((summary.await?, None));
            }
            WorldOrigin::Copy(world) => {
                let App { db, clock, .. } = &*world.app;
                let empty = self.templates.empty().await?;
                db.copy_to(file, &empty.file).await?;
                let summary = LoadedWorld::of(db, world.known.clone(), clock.now().0).await?;
                return Ok((summary, None));
            }
        };
        tokio::fs::copy(&template.file, file).await?;
        Ok((template.summary.clone(), Some(template.file.clone())))
    }

    /// Writes the file of a world from the state of `main` after loading, which an earlier run of
    /// the server saved.
    async fn store_loaded(&self, file: &Path) -> Result<LoadedWorld, MakeError> {
        let main = self.get(MAIN).ok_or(MakeError::NothingLoaded)?;
        let copied = main.app.db.copy_snapshot(LOADED, file).await;
        copied.map_err(|error| match error {
            SnapshotError::Missing | SnapshotError::NoFile => MakeError::NothingLoaded,
            other => other.into(),
        })?;
        let db = open(file).await?;
        let summary = LoadedWorld::of(&db, main.known.clone(), self.clock.now().0).await;
        db.close().await?;
        summary
    }

    async fn open(
        &self,
        name: &str,
        home: Home,
        summary: &LoadedWorld,
    ) -> Result<ServedWorld, MakeError> {
        let db = open(&home.folder.database()).await?;
        let settings = Settings {
            mount: format!("{WORLDS_PATH}/{name}"),
            // A cache would cost a connection, and tests rarely repeat a request.
            cache: CacheSize(0),
            ..self.main.settings.clone()
        };
        let app = router::app(db, self.clock.clone(), self.main.entropy.clone(), settings);
        Ok(ServedWorld {
            name: name.to_owned(),
            endpoint: (self.router)(&app),
            created_at: app.clock.now(),
            gate: Gate::default(),
            known: summary.known.clone(),
            deliveries: Mutex::default(),
            changing: tokio::sync::Mutex::default(),
            home: Some(home),
            app,
        })
    }

    fn reserve(&self, name: Option<String>) -> Result<Reservation<'_>, MakeError> {
        let name = name.unwrap_or_else(|| self.main.entropy.short_id());
        if !is_name(&name) {
            return Err(MakeError::Name);
        }
        let mut reserved = self.reserved();
        let served = self.served.read().unwrap_or_else(PoisonError::into_inner);
        // `main` does not count.
        let count = served.len() - 1 + reserved.len();
        if served.contains_key(&name) || reserved.contains(&name) {
            return Err(MakeError::Taken);
        }
        if count >= self.most {
            return Err(MakeError::TooMany(count));
        }
        reserved.insert(name.clone());
        Ok(Reservation { worlds: self, name })
    }
}
